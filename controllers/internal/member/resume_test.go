// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/dragoman-io/dragoman/controllers/internal/resume"
)

// reflected runs an informer whose requests a transport makes, and that calls listed for each
// list that was answered.
func reflected(ctx context.Context, transport http.RoundTripper, listed func()) {
	ask := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member/api/v1/configmaps", nil)
		if err != nil {
			return err
		}
		response, err := transport.RoundTrip(r)
		if err == nil && response.StatusCode != http.StatusOK {
			err = errors.New(response.Status)
		}
		return err
	}
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			if err := ask(ctx); err != nil {
				return nil, err
			}
			listed()
			return &corev1.ConfigMapList{}, nil
		},
		WatchFuncWithContext: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
			return watch.NewFake(), ask(ctx)
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

// TestWatchResumes has a member be away for ten minutes, and measures how long after that its
// objects are listed.
func TestWatchResumes(t *testing.T) {
	cases := map[string]struct {
		reason string
		away   func(*http.Request) (*http.Response, error)
	}{
		"Refused": {
			reason: "nobody is there",
			away:   func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") },
		},
		"Gateway": {reason: "a load balancer answers in its place", away: answers(http.StatusServiceUnavailable)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				var back atomic.Bool
				var since, took atomic.Int64
				s := &server{answer: func(r *http.Request) (*http.Response, error) {
					if back.Load() {
						return answers(http.StatusOK)(r)
					}
					return tc.away(r)
				}}
				begin := time.Now()
				c := circuitOf(ctx, func(context.Context) error {
					if back.Load() {
						return nil
					}
					return errors.New("still down")
				}, func() {})
				go reflected(ctx, resume.Transport{Circuit: c, Next: s}, func() {
					took.CompareAndSwap(0, int64(time.Since(begin))-since.Load())
				})
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				requests := s.requests.Load()
				since.Store(int64(time.Since(begin)))
				back.Store(true)
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if got := time.Duration(took.Load()); got <= 0 || got > lastProbe {
					t.Errorf("%s: listed %v after the member was back, want at most %v", tc.reason, got, lastProbe)
				}
				if requests > 3 {
					t.Errorf("%s: %d requests of a watch while the member was away, want at most 3", tc.reason, requests)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}

func TestWatchesResumeOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		c := circuitOf(ctx, func(context.Context) error { return errors.New("still down") }, func() {})
		c.Trip(errors.New("connection refused"))
		var made [100]time.Time
		for i := range made {
			go func() {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member/api/v1/configmaps", nil)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := (resume.Transport{Circuit: c, Next: &server{answer: answers(http.StatusOK)}}).RoundTrip(r); err != nil { //nolint:bodyclose // it has none
					t.Error(err)
				}
				made[i] = time.Now()
			}()
		}
		synctest.Wait()
		back := time.Now()
		c.Close()
		time.Sleep(time.Minute)
		synctest.Wait()
		in := map[time.Duration]int{}
		for i := range made {
			in[made[i].Sub(back)]++
		}
		for after, n := range in {
			if n != 1 || after >= time.Duration(len(made))*resumeEvery {
				t.Errorf("%d watches went on %v after the member was back; want one every %v", n, after, resumeEvery)
			}
		}
	})
}

func TestWatchEndsWhileAMemberIsAway(t *testing.T) {
	cases := map[string]func(watch, connection context.CancelFunc){
		"Watch":      func(watch, _ context.CancelFunc) { watch() },
		"Connection": func(_, connection context.CancelFunc) { connection() },
	}
	for name, end := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				connection, disconnect := context.WithCancel(t.Context())
				defer disconnect()
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				c := circuitOf(connection, func(context.Context) error { return errors.New("still down") }, func() {})
				c.Trip(errors.New("connection refused"))
				ended := make(chan error, 1)
				go func() { ended <- c.Wait(ctx) }()
				synctest.Wait()
				end(stop, disconnect)
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, want that it was canceled", err)
				}
			})
		})
	}
}
