// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// silent are the items of a cluster that has the object and reports nothing of it yet.
var silent = []map[string]any{
	{"clusterName": "zzz"},
	{"clusterName": "zzz", "applied": true, "status": nil},
	{"clusterName": "zzz", "applied": true, "status": map[string]any{}},
}

// TestOneClusterIsSilent adds a cluster without a report to the items of all cases: the others
// still have one status together, and an object that has succeeded in them has not succeeded.
func TestOneClusterIsSilent(t *testing.T) {
	known := interpreter(t).Snapshot()
	asked, succeeded := 0, map[string]bool{}
	for _, b := range bundles(t) {
		for _, c := range casesOf(t, b) {
			q := c.Question
			if q.Operation != engine.AggregateStatus || len(q.Items) == 0 {
				continue
			}
			whole, err := aggregate(known, q.Object, q.Items)
			if err != nil {
				continue // the case expects it
			}
			asked++
			for _, item := range silent {
				partial, err := aggregate(known, q.Object, append(slices.Clone(q.Items), item))
				if err != nil {
					t.Errorf("%s: with %v: %v", c.Where(), item, err)
					continue
				}
				if hasSucceeded(known, whole) && !hasSucceeded(known, q.Object) {
					succeeded[q.Object.GetKind()] = true
					if hasSucceeded(known, partial) {
						t.Errorf("%s: it has succeeded with %v, whose cluster reports nothing", c.Where(), item)
					}
				}
			}
		}
	}
	t.Logf("%d cases, success of %v", asked, succeeded)
	if asked < 100 || len(succeeded) < 5 {
		t.Errorf("%d cases were asked, and success of %v", asked, succeeded)
	}
}

// aggregate returns the object with the status of all items.
func aggregate(known engine.Snapshot, object *unstructured.Unstructured, items []any) (*unstructured.Unstructured, error) {
	return known.Aggregate(object.DeepCopy(), items)
}

// hasSucceeded reports whether an object has finished and is healthy: a run, for a snapshot is taken
// in one cluster.
func hasSucceeded(known engine.Snapshot, object *unstructured.Unstructured) bool {
	if !known.Supports(object.GroupVersionKind(), engine.InterpretFinished) || slices.Contains(withoutRuns, object.GetKind()) {
		return false
	}
	answer, err := known.Evaluate(engine.Request{Operation: engine.InterpretFinished, Object: object})
	return err == nil && answer[0] == true && isHealthy(known, object, false)
}
