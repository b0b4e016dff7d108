// SPDX-License-Identifier: Apache-2.0

package related

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// server has backups, and counts how often they are listed.
type server struct {
	mu      sync.Mutex
	objects map[string]*unstructured.Unstructured
	events  *apiwatch.FakeWatcher
	lists   int
}

func (s *server) listWatch() *toolscache.ListWatch {
	return &toolscache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.lists++
			l := &unstructured.UnstructuredList{Object: map[string]any{"metadata": map[string]any{"resourceVersion": "1"}}}
			for _, o := range s.objects {
				l.Items = append(l.Items, *o)
			}
			return l, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (apiwatch.Interface, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = apiwatch.NewFakeWithOptions(apiwatch.FakeOptions{ChannelSize: 100})
			return s.events, nil
		},
	}
}

// listed returns how often the objects were listed.
func (s *server) listed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// remove removes an object.
func (s *server) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events.Delete(s.objects[name])
	delete(s.objects, name)
}

// TestObjectsThatWereDroppedAreFoundAgain removes the newest objects: the others are the answer
// while there are some, none is no answer, and after a list the next newest are.
func TestObjectsThatWereDroppedAreFoundAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{objects: map[string]*unstructured.Unstructured{}}
		for i := range 25 {
			s.objects[fmt.Sprintf("b%d", i)] = backup(fmt.Sprintf("b%d", i), "home", i)
		}
		var notified atomic.Int32
		w := newWatch(backups, func([]types.NamespacedName) { notified.Add(1) }, func() {})
		w.want(site("home"))
		ctx, stop := context.WithCancel(t.Context())
		go w.run(ctx, s.listWatch())
		check := func(when string, objects int, known bool, newest string, lists int) {
			t.Helper()
			synctest.Wait()
			found, is := w.of(site("home"))
			first := ""
			if selected := backups.Select(site("home").object(), found); len(selected) > 0 {
				first = selected[0].Name
			}
			if listed := s.listed(); len(found) != objects || is != known || first != newest || listed != lists {
				t.Errorf("%s: %d objects (known: %t), the newest %q, after %d lists; want %d (%t), %q, after %d", when, len(found), is, first, listed, objects, known, newest, lists)
			}
		}
		check("listed", 10, true, "b24", 1)
		s.remove("b3")
		check("one that is not kept is gone", 10, true, "b24", 1)
		s.remove("b24")
		check("the newest is gone", 9, true, "b23", 1)
		for i := 15; i < 24; i++ {
			s.remove(fmt.Sprintf("b%d", i))
		}
		check("all that are kept are gone", 0, false, "", 1)
		if n := notified.Load(); n != 10 {
			t.Errorf("%d changes were notified, want 10", n)
		}
		wait(ctx, nil, relist)
		check("listed again", 10, true, "b14", 2)
		stop()
		synctest.Wait()
	})
}
