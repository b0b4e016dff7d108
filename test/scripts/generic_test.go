// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// odd are values that no field of a known kind has, and any of an unknown kind may.
var odd = []any{nil, true, int64(7), "text", []any{}, []any{"text"}, map[string]any{}, map[string]any{"a": int64(1)}}

// TestGenericAnswersWhateverAFieldIs puts odd values in the place of each field below spec and
// status of the cases, one at a time: an error of a generic rule would hold up an object of
// which the bundle knows nothing.
func TestGenericAnswersWhateverAFieldIs(t *testing.T) {
	i := interpreter(t)
	generic := bundleNamed(t, "generic")
	asked := 0
	for _, c := range casesOf(t, generic) {
		paths := map[schema.GroupVersionKind]string{c.Kind(): "spec.replicas"}
		if path := c.Parameters[bundle.ReplicasPath]; path != "" {
			paths[c.Kind()] = path
		}
		if err := i.Set(engine.Derived, generic.Scaled("case", paths)); err != nil {
			t.Fatal(err)
		}
		rules := i.Snapshot()
		q := c.Question
		q.Object = q.Object.DeepCopy()
		spoil := func() {
			asked++
			if _, err := rules.Evaluate(q); err != nil {
				t.Errorf("%s: %v: %v", c.Where(), err, q.Object.Object)
			}
		}
		for _, part := range []string{"spec", "status"} {
			if value, has := q.Object.Object[part]; has {
				eachSpoilt(value, func(v any) { q.Object.Object[part] = v }, spoil)
			}
		}
	}
	t.Logf("asked %d times", asked)
}

// eachSpoilt calls ask with each odd value in the place of a value and of each value in it.
func eachSpoilt(value any, put func(any), ask func()) {
	for _, v := range odd {
		put(v)
		ask()
	}
	put(value)
	switch x := value.(type) {
	case map[string]any:
		for key, below := range x {
			eachSpoilt(below, func(v any) { x[key] = v }, ask)
		}
	case []any:
		for i, below := range x {
			eachSpoilt(below, func(v any) { x[i] = v }, ask)
		}
	}
}
