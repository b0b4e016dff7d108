// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Requests lists the requests that a client makes, but for those of watches and
// discovery: its Wrap is for the transport of the client. It is safe for many goroutines;
// the zero value is ready.
type Requests struct {
	mu  sync.Mutex
	all []request
}

// request is one as "POST /apis/...". It is late if the API server refused it with 409: it
// was made by a cache that lagged behind, wrote nothing, and says nothing of what is made
// by one that does not.
type request struct {
	text string
	late bool
}

// Wrap returns a transport that lists what goes through it.
func (r *Requests) Wrap(next http.RoundTripper) http.RoundTripper {
	return recorder{r, next}
}

// Made returns the requests whose path holds all the parts, each as "POST /apis/...", but
// for late ones. The order is that in which they were sent.
func (r *Requests) Made(parts ...string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var made []string
	for _, one := range r.all {
		lacks := func(part string) bool { return !strings.Contains(one.text, part) }
		if !one.late && !slices.ContainsFunc(parts, lacks) {
			made = append(made, one.text)
		}
	}
	return made
}

type recorder struct {
	requests *Requests
	next     http.RoundTripper
}

func (r recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	query := q.URL.Query()
	watches := query.Has("watch") || query.Has("resourceVersion") || query.Has("resourceVersionMatch")
	if q.Method == http.MethodGet && watches {
		return r.next.RoundTrip(q)
	}
	i := r.requests.sent(fmt.Sprintf("%s %s", q.Method, q.URL.Path))
	response, err := r.next.RoundTrip(q)
	if err == nil && response.StatusCode == http.StatusConflict {
		r.requests.refused(i)
	}
	return response, err
}

// sent adds a request, and returns its index.
func (r *Requests) sent(text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, request{text: text})
	return len(r.all) - 1
}

func (r *Requests) refused(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[i].late = true
}
