// SPDX-License-Identifier: Apache-2.0

package rulechange_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// replace has other rules answer operations of a kind.
func replace(c *rulechange.Changes, kind string, operations ...engine.Op) {
	rules := engine.Rules{}
	for _, o := range operations {
		rules[o] = &engine.Rule{}
	}
	c.Replaced(engine.RuleSet{}, engine.RuleSet{Kinds: map[schema.GroupVersionKind]engine.Rules{{Kind: kind}: rules}})
}

// recorder is a queue that records what was added.
type recorder struct {
	workqueue.TypedRateLimitingInterface[string]
	objects []string
}

func (r *recorder) AddAfter(object string, _ time.Duration) { r.objects = append(r.objects, object) }

// started returns a queue whose objects are enqueued when the rules for Retain or
// InterpretState change: for each kind one and two of it.
func started(t *testing.T, c *rulechange.Changes, broken error) *recorder {
	t.Helper()
	queue := &recorder{}
	list := func(_ context.Context, kind schema.GroupVersionKind) ([]string, error) {
		return []string{kind.Kind + " one", kind.Kind + " two"}, broken
	}
	if err := rulechange.Source(c, clock.RealClock{}, list, engine.Retain, engine.InterpretState).Start(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

func TestSource(t *testing.T) {
	cases := map[string]struct {
		reason     string
		operations []engine.Op
		broken     error
		want       []string
	}{
		"One":    {reason: "an operation that was asked", operations: []engine.Op{engine.InterpretHealth, engine.Retain}, want: []string{"Gadget one", "Gadget two"}},
		"Both":   {reason: "an object is woken once", operations: []engine.Op{engine.InterpretState, engine.Retain}, want: []string{"Gadget one", "Gadget two"}},
		"Other":  {reason: "an operation that was not", operations: []engine.Op{engine.InterpretHealth}},
		"Broken": {reason: "what could be listed is woken", operations: []engine.Op{engine.Retain}, broken: errors.New("half"), want: []string{"Gadget one", "Gadget two"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var c rulechange.Changes
			queue := started(t, &c, tc.broken)
			replace(&c, "Gadget", tc.operations...)
			if diff := cmp.Diff(tc.want, queue.objects); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSourceOfNothing(t *testing.T) {
	if queue := started(t, nil, nil); !slices.Equal(queue.objects, nil) {
		t.Errorf("woke %v", queue.objects)
	}
}

func TestSourceOfAnUnknownOperation(t *testing.T) {
	list := func(context.Context, schema.GroupVersionKind) ([]string, error) { return nil, nil }
	if err := rulechange.Source(&rulechange.Changes{}, clock.RealClock{}, list, engine.Retain, "Retian").Start(t.Context(), &recorder{}); err == nil {
		t.Error("a source that can never enqueue anything started without an error")
	}
}

// Objects that other scripts have reconciled again come after those that an event
// enqueued.
func TestSourceComesAfterEvents(t *testing.T) {
	var c rulechange.Changes
	queue := priorityqueue.New[string]("test")
	defer queue.ShutDown()
	list := func(context.Context, schema.GroupVersionKind) ([]string, error) { return []string{"old"}, nil }
	if err := rulechange.Source(&c, clock.RealClock{}, list, engine.Retain).Start(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	replace(&c, "Gadget", engine.Retain)
	queue.Add("new")
	for _, want := range []string{"new", "old"} {
		if got, _ := queue.Get(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
