// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestRedirects(t *testing.T) {
	for name, test := range map[string]struct{ from, to, want string }{
		"to another path": {"https://a.example/x", "https://a.example/y", ""},
		"to encryption":   {"http://a.example/x", "https://a.example/x", ""},
		"from encryption": {"https://a.example/x", "http://u:p@b.example/x", "from https to http, to http://u:xxxxx@b.example/x"},
		"out of the web":  {"https://a.example/x", "ftp://b.example/x", "a URL of ftp"},
		"to a local file": {"http://a.example/x", "file:///etc/passwd", "a URL of file"},
		"to another host": {"http://a.example/x", "http://b.example/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkRedirect(&http.Request{URL: parsed(t, test.to)}, []*http.Request{{URL: parsed(t, test.from)}})
			switch {
			case test.want == "" && err != nil:
				t.Errorf("%s to %s: %v", test.from, test.to, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%s to %s: got %v, want an error with %q", test.from, test.to, err, test.want)
			}
		})
	}
}

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
