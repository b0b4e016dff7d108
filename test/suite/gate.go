// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// Gate stands before the API server of a member: it keeps a list of the requests
// that come, and can answer them in the server's place. It is safe for many
// goroutines.
type Gate struct {
	URL string
	// CA is the PEM bundle that the gate's own certificate chains to.
	CA []byte

	server *httptest.Server
	proxy  *httputil.ReverseProxy

	mu       sync.Mutex
	requests []string
	answer   http.HandlerFunc
}

// NewGate opens a gate before a member; the caller must call Close.
func NewGate(member *fleet.Cluster) (*Gate, error) {
	target, err := url.Parse(member.URL)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(member.CA) {
		return nil, errors.New("the CA bundle of the member holds no certificate")
	}
	g := &Gate{}
	g.proxy = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true},
		FlushInterval: -1, // a watch is told of each event at once
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	g.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.requests = append(g.requests, r.Method+" "+r.URL.RequestURI())
		answer := g.answer
		g.mu.Unlock()
		if answer == nil {
			answer = g.Pass
		}
		answer(w, r)
	}))
	g.server.EnableHTTP2 = true
	g.server.StartTLS()
	g.URL = g.server.URL
	g.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.server.Certificate().Raw})
	return g, nil
}

// Answer has f answer all requests from now on; nil lets them through again.
// Watches that have begun go on.
func (g *Gate) Answer(f http.HandlerFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = f
}

// Pass has the member answer a request.
func (g *Gate) Pass(w http.ResponseWriter, r *http.Request) { g.proxy.ServeHTTP(w, r) }

// Count counts the requests whose method and URI hold all the parts.
func (g *Gate) Count(parts ...string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
next:
	for _, r := range g.requests {
		for _, part := range parts {
			if !strings.Contains(r, part) {
				continue next
			}
		}
		n++
	}
	return n
}

// Close ends the gate.
func (g *Gate) Close() {
	g.server.CloseClientConnections()
	g.server.Close()
}
