// SPDX-License-Identifier: Apache-2.0

package member

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// counted counts requests.
type counted struct{ n int }

func (c *counted) RoundTrip(*http.Request) (*http.Response, error) {
	c.n++
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestGuard(t *testing.T) {
	next, m := &counted{}, &Member{Name: "m"}
	no := errors.New("another writes")
	try := func(method string) error {
		r, err := http.NewRequestWithContext(t.Context(), method, "https://m", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := guard{m, next}.RoundTrip(r)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	for name, test := range map[string]struct {
		allow   func() error
		refuses bool
	}{
		"allows":  {allow: func() error { return nil }},
		"refuses": {allow: func() error { return no }, refuses: true},
		"no more": {},
	} {
		m.GuardWrites(test.allow)
		for method, writes := range map[string]bool{"GET": false, "HEAD": false, "POST": true, "PUT": true, "PATCH": true, "DELETE": true} {
			before := next.n
			err := try(method)
			if refused := errors.Is(err, no); refused != (test.refuses && writes) || (next.n == before) != refused {
				t.Errorf("%s: %s returned %v after %d requests", name, method, err, next.n-before)
			}
		}
	}
}
