// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Patient is a Transport after whose requests a reflector has nothing to wait for once the API server
// answers again. A GET that gets no answer is made once more then, so that not even the watches fail
// that are the first to find out that it is away; what fails twice is returned. A watch that would go
// on where it ended is answered as expired (410) after Relist, as by an API server that was started
// anew: the reflector waits for about a second before it lists its kind again, whatever the cause,
// and so it does that while nobody answers.
type Patient struct {
	Transport
	// Relist is after how long a watch is answered as expired. It is less than an API server takes to
	// start; what is briefer than that goes on where it ended.
	Relist time.Duration
}

// RoundTrip makes a request once the circuit is closed.
func (p Patient) RoundTrip(r *http.Request) (*http.Response, error) {
	if !p.await(r) {
		return expired(r)
	}
	response, err := p.Transport.RoundTrip(r)
	if err == nil || r.Context().Err() != nil || r.Method != http.MethodGet || r.Body != nil && r.Body != http.NoBody {
		return response, err
	}
	if !p.await(r) {
		return expired(r)
	}
	return p.Transport.RoundTrip(r)
}

// await reports whether a request need not be answered as expired: the circuit is closed, or it waits
// for that as long as it has to.
func (p Patient) await(r *http.Request) bool {
	if !continues(r) {
		return true
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Relist)
	defer cancel()
	err := p.Circuit.Wait(ctx)
	return err == nil || ctx.Err() == nil || r.Context().Err() != nil
}

// continues reports whether a request is for a watch that goes on from a version, and lists nothing.
func continues(r *http.Request) bool {
	q := r.URL.Query()
	watch, _ := strconv.ParseBool(q.Get("watch"))
	lists, _ := strconv.ParseBool(q.Get("sendInitialEvents"))
	version := q.Get("resourceVersion")
	return watch && !lists && version != "" && version != "0"
}

// expired is the answer of an API server that does not know the version of a watch any more.
func expired(r *http.Request) (*http.Response, error) {
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: http.StatusGone, Reason: metav1.StatusReasonExpired,
		Message: "the API server is away, and the watch is not resumed where it ended",
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: "410 Gone", StatusCode: http.StatusGone, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(string(body))),
	}, nil
}
