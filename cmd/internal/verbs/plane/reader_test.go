// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A command that only shows something cannot write, whatever its code does.
func TestReaderRefusesToWrite(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Method) }))
	defer server.Close()
	c := &http.Client{Transport: readOnlyTransport{http.DefaultTransport}}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/apis", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		refused := err != nil && strings.Contains(err.Error(), method+" /apis is refused: this command only reads")
		if refused == (method == http.MethodGet) {
			t.Errorf("%s: got %v", method, err)
		}
	}
	if len(seen) != 1 || seen[0] != http.MethodGet {
		t.Errorf("the server saw %v", seen)
	}
}
