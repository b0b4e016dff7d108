// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

func sourceOf(name string, rules ...*engine.Rule) engine.RuleSet {
	kinds := map[schema.GroupVersionKind]engine.Rules{}
	for i, rule := range rules {
		rule.Customization = name
		kinds[schema.GroupVersionKind{Kind: fmt.Sprint(i)}] = engine.Rules{engine.InterpretHealth: rule}
	}
	return engine.RuleSet{Name: name, Kinds: kinds}
}

func TestFailures(t *testing.T) {
	var f failures
	var notified []string
	f.listen(func(name string) { notified = append(notified, name) })
	one, two, other := &engine.Rule{}, &engine.Rule{}, &engine.Rule{}
	f.begin(sourceOf("c", one, two))
	f.begin(sourceOf("d", other))
	first, second := errors.New("first"), errors.New("second")
	f.observe(engine.Run{Rule: one})
	f.observe(engine.Run{Rule: &engine.Rule{}, Err: first})
	if f.of("c") != nil || len(notified) > 0 {
		t.Fatalf("runs that went well, and those of bundles, count: got %v, notified of %v", f.of("c"), notified)
	}
	f.observe(engine.Run{Rule: two, Err: first})
	f.observe(engine.Run{Rule: one, Err: second})
	if !errors.Is(f.of("c"), first) || f.of("d") != nil {
		t.Errorf("got %v for c and %v for d, want the first failure for c and none for d", f.of("c"), f.of("d"))
	}
	if diff := cmp.Diff([]string{"c"}, notified); diff != "" {
		t.Errorf("the first failure notifies, and no other (-want +got):\n%s", diff)
	}

	next := &engine.Rule{}
	f.begin(sourceOf("c", next))
	f.observe(engine.Run{Rule: one, Err: second})
	if f.of("c") != nil {
		t.Errorf("got %v from a run of rules that were replaced", f.of("c"))
	}
	f.observe(engine.Run{Rule: next, Err: second})
	if !errors.Is(f.of("c"), second) {
		t.Errorf("got %v, want the failure of the new rules", f.of("c"))
	}
	f.forget("c")
	f.observe(engine.Run{Rule: next, Err: first})
	if f.of("c") != nil {
		t.Errorf("got %v of a customization that is gone", f.of("c"))
	}
}

func TestFailuresFromManyGoroutines(t *testing.T) {
	var f failures
	rule := &engine.Rule{}
	f.listen(func(string) {})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				f.observe(engine.Run{Rule: rule, Err: fmt.Errorf("%d", i)})
				_ = f.of("c")
			}
		})
		all.Go(func() { f.begin(sourceOf("c", &engine.Rule{})) })
	}
	all.Wait()
}
