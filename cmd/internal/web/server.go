// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/engine/author/playground"
)

// evaluations is how many requests are answered at once; others wait.
const evaluations = 2

// handler serves the page and answers its requests. Whatever comes from another site is refused:
// a page there can have the browser send requests, and names of its own lead to this machine.
type handler struct {
	playground *playground.Playground
	// hosts are the names by which a browser on this machine calls the server.
	hosts []string
	// files are those of the page by name.
	files map[string][]byte
	slots chan struct{}
}

// NewHandler returns what serves the page of a playground at an address on this machine.
func NewHandler(p *playground.Playground, address net.Addr) (http.Handler, error) {
	_, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return nil, err
	}
	all, err := files(page)
	if err != nil {
		return nil, err
	}
	return &handler{
		playground: p,
		hosts:      []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("localhost", port)},
		files:      all,
		slots:      make(chan struct{}, evaluations),
	}, nil
}

// Serve serves until the context ends, and closes the listener.
func Serve(ctx context.Context, listener net.Listener, p *playground.Playground) error {
	h, err := NewHandler(p, listener.Addr())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	if !h.isLocal(r) {
		http.Error(w, "this server answers only its own page on this machine", http.StatusForbidden)
		return
	}
	name, isRequest := strings.CutPrefix(r.URL.Path, "/api/")
	switch {
	case isRequest && r.Method == http.MethodPost:
		h.respond(w, r, name)
	case !isRequest && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		h.file(w, r)
	default:
		http.Error(w, "no such method here", http.StatusMethodNotAllowed)
	}
}

// file serves a file of the page.
func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html")
	text, found := h.files[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}

// isLocal reports whether a request is for this machine by name, and does not come from a page of
// another site.
func (h *handler) isLocal(r *http.Request) bool {
	if !slices.Contains(h.hosts, r.Host) {
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none" || r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// respond answers a request of the page.
func (h *handler) respond(w http.ResponseWriter, r *http.Request, name string) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		http.Error(w, "want application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, playground.MaxRequest+1))
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		http.Error(w, "the texts are too long", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "read the request", http.StatusBadRequest)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-r.Context().Done():
		return
	}
	answer, err := h.playground.Respond(name, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // the page is gone if it fails
}
