// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefaultsOfTheSchema checks that defaults reach lists and maps, that a null which
// the schema does not allow is as absent, and that a value stays.
func TestDefaultsOfTheSchema(t *testing.T) {
	known, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for kind, s := range known {
		if kind.Kind != "PropagationPolicy" {
			continue
		}
		object := map[string]any{"spec": map[string]any{
			"conflictResolution": nil,
			"dependentOverrides": nil,
			"priority":           int64(3),
			"failover":           map[string]any{"application": map[string]any{"decisionConditions": map[string]any{}}},
		}}
		s.SetDefaults(object)
		want := map[string]any{"status": map[string]any{"observedGeneration": int64(-1)}, "spec": map[string]any{
			"conflictResolution": "Abort",
			"preemption":         "Never",
			"priority":           int64(3),
			"schedulerName":      "default-scheduler",
			"failover": map[string]any{"application": map[string]any{
				"purgeMode": "Gracefully", "decisionConditions": map[string]any{"tolerationSeconds": int64(300)},
			}},
		}}
		if d := cmp.Diff(want, object); d != "" {
			t.Errorf("want -, got +:\n%s", d)
		}
	}
}
