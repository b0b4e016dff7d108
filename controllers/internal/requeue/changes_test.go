// SPDX-License-Identifier: Apache-2.0

package requeue_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"

	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/engine"
)

// changes tells of changes when a test says so.
type changes []func(schema.GroupVersionKind, []engine.Op)

func (c *changes) Listen(f func(schema.GroupVersionKind, []engine.Op)) { *c = append(*c, f) }

func (c *changes) tell(kind string, operations ...engine.Op) {
	for _, f := range *c {
		f(schema.GroupVersionKind{Kind: kind}, operations)
	}
}

// woken is a queue that notes what was added.
type woken struct {
	workqueue.TypedRateLimitingInterface[string]
	objects []string
}

func (w *woken) AddAfter(object string, _ time.Duration) { w.objects = append(w.objects, object) }

// started returns a queue whose objects are woken when the scripts for Retain or
// InterpretState change: for each kind one and two of it.
func started(t *testing.T, c requeue.Changes, broken error) *woken {
	t.Helper()
	queue := &woken{}
	list := func(_ context.Context, kind schema.GroupVersionKind) ([]string, error) {
		return []string{kind.Kind + " one", kind.Kind + " two"}, broken
	}
	if err := requeue.OnChange(c, list, "Retain", "InterpretState").Start(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

func TestOnChange(t *testing.T) {
	cases := map[string]struct {
		reason     string
		operations []engine.Op
		broken     error
		want       []string
	}{
		"One":    {reason: "an operation that was asked", operations: []engine.Op{"InterpretHealth", "Retain"}, want: []string{"Gadget one", "Gadget two"}},
		"Both":   {reason: "an object is woken once", operations: []engine.Op{"InterpretState", "Retain"}, want: []string{"Gadget one", "Gadget two"}},
		"Other":  {reason: "an operation that was not", operations: []engine.Op{"InterpretHealth"}},
		"Broken": {reason: "what could be listed is woken", operations: []engine.Op{"Retain"}, broken: errors.New("half"), want: []string{"Gadget one", "Gadget two"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var c changes
			queue := started(t, &c, tc.broken)
			c.tell("Gadget", tc.operations...)
			if diff := cmp.Diff(tc.want, queue.objects); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOnChangeOfAnUnknownOperation(t *testing.T) {
	list := func(context.Context, schema.GroupVersionKind) ([]string, error) { return nil, nil }
	if err := requeue.OnChange(&changes{}, list, engine.Retain, "Retian").Start(t.Context(), &woken{}); err == nil {
		t.Error("a source that can never wake anything started without an error")
	}
}

func TestOnChangeOfNothing(t *testing.T) {
	if queue := started(t, nil, nil); !slices.Equal(queue.objects, nil) {
		t.Errorf("woke %v", queue.objects)
	}
}
