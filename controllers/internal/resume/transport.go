// SPDX-License-Identifier: Apache-2.0

package resume

import "net/http"

// Transport is the transport of the requests for watches, and of the lists before them. While the
// API server does not answer they wait for it instead of failing: a reflector whose requests fail
// doubles the time to its next one, up to a minute, and would learn that much later than everybody
// else that the API server is back.
type Transport struct {
	Circuit *Circuit
	Next    http.RoundTripper
}

// RoundTrip makes a request once the circuit is closed. One that gets no answer opens it; so does the
// answer of a gateway that does not reach the API server.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.Circuit.Wait(r.Context()); err != nil {
		return nil, err
	}
	response, err := t.Next.RoundTrip(r)
	switch {
	case err != nil && r.Context().Err() == nil:
		t.Circuit.Trip(err)
	case err == nil && fromGateway(response):
		t.Circuit.Check(r.Context())
	}
	return response, err
}

// WrappedRoundTripper returns the transport that makes the requests.
func (t Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// fromGateway reports whether an answer may be one of a gateway or a load balancer, in place of
// the API server. An API server answers alike for an API that it aggregates.
func fromGateway(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
