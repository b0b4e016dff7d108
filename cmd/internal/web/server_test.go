// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine/author/playground"
)

// address is where the tests say that the server listens.
var address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8390}

func newHandler(t *testing.T) http.Handler {
	t.Helper()
	p, err := playground.New(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHandler(p, address)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// request returns a request as a browser on this machine sends it.
func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8390"+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "http://127.0.0.1:8390")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return r
}

const evaluate = `{"object": "apiVersion: v1\nkind: A\n", "script": "true", "language": "cel"}`

func TestRequests(t *testing.T) {
	h := newHandler(t)
	for name, c := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
		want               int
		text               string
	}{
		"the page":              {method: "GET", path: "/", want: 200, text: "<title>Dragoman playground"},
		"its head":              {method: "HEAD", path: "/app.js", want: 200},
		"a module":              {method: "GET", path: "/app.js", want: 200, text: "import"},
		"by the name localhost": {method: "GET", path: "/", change: func(r *http.Request) { r.Host = "localhost:8390" }, want: 200},
		"no such file":          {method: "GET", path: "/static/worker.js", want: 404},
		"a file outside":        {method: "GET", path: "/../server.go", want: 404},
		"an evaluation":         {method: "POST", path: "/api/evaluate", body: evaluate, want: 200, text: `"healthy: true\n"`},
		"a catalog":             {method: "POST", path: "/api/catalog", body: "{}", want: 200, text: `"samples":[]`},
		"an unknown request":    {method: "POST", path: "/api/other", body: "{}", want: 400, text: "there is no request"},
		"no JSON":               {method: "POST", path: "/api/evaluate", body: "x", want: 400, text: "read the request"},
		"too much":              {method: "POST", path: "/api/evaluate", body: strings.Repeat("a", playground.MaxRequest+2), want: 413},
		"a request by GET":      {method: "GET", path: "/api/catalog", want: 405},
		"a page by POST":        {method: "POST", path: "/", want: 405},
		"another host, as after DNS rebinding": {
			method: "GET", path: "/", change: func(r *http.Request) { r.Host = "evil.example:8390" }, want: 403,
		},
		"another port":   {method: "GET", path: "/", change: func(r *http.Request) { r.Host = "127.0.0.1:80" }, want: 403},
		"no host":        {method: "GET", path: "/", change: func(r *http.Request) { r.Host = "" }, want: 403},
		"another origin": {method: "POST", path: "/api/evaluate", body: evaluate, change: func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, want: 403},
		"an origin of no name": {
			method: "POST", path: "/api/evaluate", body: evaluate, change: func(r *http.Request) { r.Header.Set("Origin", "null") }, want: 403,
		},
		"another site": {
			method: "POST", path: "/api/evaluate", body: evaluate, change: func(r *http.Request) {
				r.Header.Del("Origin")
				r.Header.Set("Sec-Fetch-Site", "cross-site")
			}, want: 403,
		},
		"a script of another site": {
			method: "GET", path: "/app.js", change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, want: 403,
		},
		"a link on another site": {
			method: "GET", path: "/", change: func(r *http.Request) {
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				r.Header.Set("Sec-Fetch-Mode", "navigate")
			}, want: 200,
		},
		"what a form can send": {
			method: "POST", path: "/api/evaluate", body: evaluate, change: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, want: 415,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(c.method, c.path, c.body)
			if c.change != nil {
				c.change(r)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.want || !strings.Contains(w.Body.String(), c.text) {
				t.Errorf("got %d %s; want %d %s", w.Code, w.Body, c.want, c.text)
			}
			if cors := w.Header().Get("Access-Control-Allow-Origin"); cors != "" {
				t.Errorf("other sites may read it: %s", cors)
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Error("the type of the content may be guessed")
			}
		})
	}
}

// TestServe serves on a listener until the context ends.
func TestServe(t *testing.T) {
	p, err := playground.New(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Serve(ctx, listener, p) }()
	response, err := http.Get("http://" + listener.Addr().String() + "/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil || response.Body.Close() != nil || !strings.HasPrefix(string(text), "<svg") {
		t.Errorf("got %q, %v", text, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("got %v at the end", err)
	}
}
