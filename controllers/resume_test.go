// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers"
)

// plane is an API server of empty lists that can be away: it ends each connection then, and it has
// been started anew when it is back. It is safe for many goroutines.
type plane struct {
	*httptest.Server

	mu       sync.Mutex
	away     bool
	revision int
	// ended is closed when it goes away.
	ended chan struct{}
	// lost counts what was asked for while it was away.
	lost int
	// watches counts the watches since it was back.
	watches map[string]int
}

func newPlane(t *testing.T) *plane {
	p := &plane{ended: make(chan struct{}), watches: map[string]int{}, revision: 1}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.leave()
		p.Close()
	})
	return p
}

// leave ends all connections.
func (p *plane) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = true
	close(p.ended)
}

// returns has it answer again.
func (p *plane) returns() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away, p.ended, p.watches = false, make(chan struct{}), map[string]int{}
	p.revision++
}

// state returns how many requests were lost, and how many kinds are watched.
func (p *plane) state() (lost, watched int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost, len(p.watches)
}

func (p *plane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	ended, away, revision := p.ended, p.away, p.revision
	if away {
		p.lost++
	}
	p.mu.Unlock()
	if away {
		panic(http.ErrAbortHandler)
	}
	kinds := map[string]string{"/api/v1/configmaps": "ConfigMap", "/api/v1/secrets": "Secret", "/api/v1/services": "Service", "/api/v1/pods": "Pod"}
	kind, found := kinds[r.URL.Path]
	query := r.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case !found: // a probe
	case query.Get("watch") == "":
		fmt.Fprintf(w, `{"kind":"%sList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[]}`, kind, revision)
	case query.Get("sendInitialEvents") == "" && query.Get("resourceVersion") != fmt.Sprint(revision):
		w.WriteHeader(http.StatusGone)
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: http.StatusGone})
	default:
		p.mu.Lock()
		p.watches[kind]++
		p.mu.Unlock()
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":%q,"apiVersion":"v1","metadata":{"resourceVersion":"%d","annotations":{%q:"true"}}}}`+"\n", kind, revision, metav1.InitialEventsAnnotationKey)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ended:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
		}
	}
}

// failures counts the requests of a client that got no answer.
type failures struct {
	http.RoundTripper
	mu sync.Mutex
	n  int
}

func (f *failures) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f.RoundTripper.RoundTrip(r)
	if err != nil && r.Context().Err() == nil {
		f.mu.Lock()
		f.n++
		f.mu.Unlock()
	}
	return response, err
}

func (f *failures) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// text is a log.
type text struct {
	mu    sync.Mutex
	lines []string
}

func (l *text) add(_, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *text) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// TestWatchesOfTheControlPlaneWait has the control plane of a cache be away for some time. A reflector
// that is told so waits ever longer before it asks again; so none is.
func TestWatchesOfTheControlPlaneWait(t *testing.T) {
	log := &text{}
	ctx, stop := context.WithCancel(ctrl.LoggerInto(t.Context(), funcr.New(log.add, funcr.Options{})))
	defer stop()
	p := newPlane(t)
	config := &rest.Config{Host: p.URL}
	options, err := controllers.ManagerOptions(ctrl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	informers := controllers.ObserveInformers(&options)
	watcher, err := controllers.ResumeWatches(ctx, config, &options, informers)
	if err != nil {
		t.Fatal(err)
	}
	failed := &failures{RoundTripper: watcher.Transport}
	watcher.Transport = failed
	kinds := []client.Object{&corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Service{}}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"ConfigMap", "Secret", "Service", "Pod"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	options.Cache.Scheme, options.Cache.Mapper = options.Scheme, mapper
	c, err := cache.New(config, options.Cache)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	for _, kind := range kinds {
		if _, err := c.GetInformer(ctx, kind); err != nil {
			t.Fatal(err)
		}
	}
	await := func(what string, is func() bool) {
		t.Helper()
		if err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) { return is(), nil }); err != nil {
			lost, watched := p.state()
			t.Fatalf("%s: never; %d requests were lost, %d kinds are watched; the log is\n%s", what, lost, watched, log)
		}
	}
	await("all kinds are watched", func() bool { _, watched := p.state(); return watched == len(kinds) })

	p.leave()
	await("it is asked whether it is back", func() bool { lost, _ := p.state(); return lost >= len(kinds)+3 })
	// A kind whose watch begins now is not listed, for a reason that the probe of readiness has.
	if _, err := c.GetInformer(ctx, &corev1.Pod{}, cache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	if err := informers.Err(); err == nil || !strings.Contains(err.Error(), "not listed yet: v1/Pod; the control plane does not answer: ") {
		t.Errorf("the informers report %v, want what they wait for", err)
	}
	other := &http.Client{}
	if response, err := other.Get(p.URL + "/api/v1/configmaps"); err == nil { //nolint:noctx // it is refused at once
		_ = response.Body.Close()
		t.Error("a request other than those for watches got an answer")
	}
	p.returns()
	await("all kinds are watched again", func() bool { _, watched := p.state(); return watched == len(kinds)+1 })

	if n := failed.count(); n != 0 {
		t.Errorf("%d requests for watches failed while the control plane was away, want that they wait", n)
	}
	if got := log.String(); strings.Count(got, "got no answer from the control plane, for which all watches wait") != 1 || strings.Count(got, "got an answer from the control plane again") != 1 {
		t.Errorf("the log is\n%s\nwant one entry when the control plane went and one when it came", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
