// SPDX-License-Identifier: Apache-2.0

package resume_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// restarting stands in for an API server that forgets the versions before it was started. It is safe
// for many goroutines.
type restarting struct {
	mu      sync.Mutex
	away    bool
	version int
	// watches end when it goes away.
	watches []*watch.FakeWatcher
	// lists and refused count lists, and watches of a version that it does not know.
	lists, refused int
}

func (s *restarting) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
	for _, w := range s.watches {
		w.Stop()
	}
	s.watches = nil
}

// returns has it answer again; known means that it was not started anew.
func (s *restarting) returns(known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = false
	if !known {
		s.version++
	}
}

// counts returns how often it was listed, how many watches it refused, and how many there are.
func (s *restarting) counts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d lists, %d refused, %d watches", s.lists, s.refused, len(s.watches))
}

func (s *restarting) probe(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errRefused
	}
	return nil
}

func (s *restarting) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return nil, errRefused
	}
	q, code := r.URL.Query(), http.StatusOK
	switch {
	case q.Get("watch") == "":
		s.lists++
	case q.Get("resourceVersion") != fmt.Sprint(s.version):
		s.refused++
		code = http.StatusGone
	}
	return &http.Response{StatusCode: code, Body: http.NoBody}, nil
}

// begin returns a watch that ends when the server goes away.
func (s *restarting) begin() *watch.FakeWatcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := watch.NewFake()
	s.watches = append(s.watches, w)
	return w
}

// reflect runs an informer of a server whose requests a transport makes.
func (s *restarting) reflect(ctx context.Context, by http.RoundTripper) {
	ask := func(ctx context.Context, query string) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://hub/api/v1/configmaps?"+query, nil)
		if err != nil {
			return err
		}
		response, err := by.RoundTrip(r)
		if err == nil && response.StatusCode == http.StatusGone {
			err = apierrors.NewResourceExpired("410")
		}
		return err
	}
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			if err := ask(ctx, ""); err != nil {
				return nil, err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: fmt.Sprint(s.version)}}, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			if err := ask(ctx, "watch=true&resourceVersion="+o.ResourceVersion); err != nil {
				return nil, err
			}
			return s.begin(), nil
		},
	}
	informer := toolscache.NewSharedInformer(listOnly{source}, &corev1.ConfigMap{}, 0)
	// That of client-go waits by the clock of the process, which is not that of the test.
	_ = informer.SetWatchErrorHandlerWithContext(func(context.Context, *toolscache.Reflector, error) {})
	informer.RunWithContext(ctx)
}

// listOnly has a reflector begin with a list.
type listOnly struct{ *toolscache.ListWatch }

func (listOnly) IsWatchListSemanticsUnSupported() bool { return true }

// TestReflectorsNeedNotWait has an API server be away for eight seconds or for one, and compares what
// reflectors have done 600 ms after it was back: they wait for at least 800 ms after a watch that fails.
func TestReflectorsNeedNotWait(t *testing.T) {
	cases := map[string]struct {
		reason string
		away   time.Duration
		known  bool
		want   string
	}{
		"Started":     {"its versions are not known any more, and a watch of one would be refused", 8 * time.Second, false, "2 lists, 0 refused, 1 watches"},
		"Unreachable": {"it knows them, but nobody can know that", 8 * time.Second, true, "2 lists, 0 refused, 1 watches"},
		"Briefly":     {"what was a second is no start, and a list is dear", time.Second, true, "1 lists, 0 refused, 1 watches"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				s := &restarting{version: 1}
				go s.reflect(ctx, patient(ctx, s, s.probe))
				time.Sleep(time.Hour)
				s.leave()
				time.Sleep(tc.away)
				s.returns(tc.known)
				time.Sleep(600 * time.Millisecond)
				synctest.Wait()
				if got := s.counts(); got != tc.want {
					t.Errorf("got %s, want %s: %s", got, tc.want, tc.reason)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}

// TestExpired has watches of some kinds wait for an API server that stays away.
func TestExpired(t *testing.T) {
	cases := map[string]struct {
		query   string
		expires bool
	}{
		"Watch":       {"watch=true&resourceVersion=7", true},
		"WatchOf1":    {"watch=1&resourceVersion=7", true},
		"WatchList":   {"watch=true&resourceVersion=7&sendInitialEvents=true", false},
		"WatchOfAny":  {"watch=true&resourceVersion=0", false},
		"WatchOfNone": {"watch=true", false},
		"List":        {"resourceVersion=7", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				s := &restarting{away: true}
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://hub/api/v1/configmaps?"+tc.query, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := patient(ctx, s, s.probe).RoundTrip(r)
				if !tc.expires {
					if err == nil {
						t.Errorf("got the answer %s, want that it waits", response.Status)
					}
					synctest.Wait()
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				var status metav1.Status
				err = errors.Join(json.NewDecoder(response.Body).Decode(&status), response.Body.Close())
				if err != nil || !apierrors.IsResourceExpired(&apierrors.StatusError{ErrStatus: status}) {
					t.Errorf("got the answer %+v with error %v, want that of an expired version", status, err)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}
