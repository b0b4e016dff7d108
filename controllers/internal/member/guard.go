// SPDX-License-Identifier: Apache-2.0

package member

import "net/http"

// GuardWrites has each request that writes to the cluster ask allow at the last moment, and fail
// with its error; nil allows all. Requests of Leases do not ask: they are how that is decided.
func (m *Member) GuardWrites(allow func() error) { m.allow.Store(&allow) }

// guard is the transport of requests that may be refused.
type guard struct {
	member *Member
	next   http.RoundTripper
}

// RoundTrip makes a request, unless it writes and that is not allowed.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return g.next.RoundTrip(r)
	}
	if allow := g.member.allow.Load(); allow != nil && *allow != nil {
		if err := (*allow)(); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	return g.next.RoundTrip(r)
}

// WrappedRoundTripper returns the transport that makes the requests.
func (g guard) WrappedRoundTripper() http.RoundTripper { return g.next }
