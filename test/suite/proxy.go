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

// Proxy forwards to the API server of a member: it keeps a list of the requests
// that come, and can answer them in the server's place. It is safe for many
// goroutines.
type Proxy struct {
	URL string
	// CA is the PEM bundle that the proxy's own certificate chains to.
	CA []byte

	server  *httptest.Server
	reverse *httputil.ReverseProxy

	mu       sync.Mutex
	requests []string
	answer   http.HandlerFunc
}

// NewProxy starts a proxy before a member; the caller must call Close.
func NewProxy(member *fleet.Cluster) (*Proxy, error) {
	target, err := url.Parse(member.URL)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(member.CA) {
		return nil, errors.New("the CA bundle of the member holds no certificate")
	}
	p := &Proxy{}
	p.reverse = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true},
		FlushInterval: -1, // a watch gets each event at once
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests = append(p.requests, r.Method+" "+r.URL.RequestURI())
		answer := p.answer
		p.mu.Unlock()
		if answer == nil {
			answer = p.Pass
		}
		answer(w, r)
	}))
	p.server.EnableHTTP2 = true
	p.server.StartTLS()
	p.URL = p.server.URL
	p.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.server.Certificate().Raw})
	return p, nil
}

// Answer has f answer all requests from now on; nil lets them through again.
// Watches that have begun go on.
func (p *Proxy) Answer(f http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = f
}

// Pass has the member answer a request.
func (p *Proxy) Pass(w http.ResponseWriter, r *http.Request) { p.reverse.ServeHTTP(w, r) }

// Count counts the requests whose method and URI hold all the parts.
func (p *Proxy) Count(parts ...string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
next:
	for _, r := range p.requests {
		for _, part := range parts {
			if !strings.Contains(r, part) {
				continue next
			}
		}
		n++
	}
	return n
}

// Close stops the proxy.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.server.Close()
}
