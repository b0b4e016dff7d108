// SPDX-License-Identifier: Apache-2.0

package base

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
)

func TestReadyOfAScriptBundle(t *testing.T) {
	stages := []string{"Fetched", "Verified", "Compiled", "Checked", "SmokeTested", "Active"}
	reach := func(status metav1.ConditionStatus, at int, generation int64) (all []metav1.Condition) {
		for i, stage := range stages {
			c := metav1.Condition{Type: stage, Status: metav1.ConditionTrue, Reason: stage, Message: "all is well", ObservedGeneration: generation}
			if i >= at {
				c.Status, c.Message = status, "why "+stage
			}
			all = append(all, c)
		}
		return all
	}
	cases := map[string]struct {
		conditions     []metav1.Condition
		mode           interpreterv1alpha1.BundleMode
		wanted, active string
		want           string
	}{
		"nothing yet":              {want: "Unknown Pending: not all stages were reached"},
		"active":                   {conditions: reach("True", 6, 2), wanted: "a", active: "a", want: "True Active: all is well"},
		"does not compile":         {conditions: reach("False", 2, 2), wanted: "b", active: "a", want: "False Compiled: why Compiled"},
		"the source is away":       {conditions: reach("False", 0, 2)[:1], wanted: "a", active: "a", want: "False Fetched: why Fetched"},
		"of the generation before": {conditions: reach("True", 6, 1), wanted: "a", active: "a", want: "Unknown Pending: not all stages were reached"},
		"a newer revision":         {conditions: reach("True", 6, 2), wanted: "b", active: "a", want: "Unknown Pending: not all stages were reached"},
		"shadow, nothing active":   {conditions: reach("False", 5, 2), mode: interpreterv1alpha1.ModeShadow, wanted: "b", want: "True Active: why Active"},
		"shadow, fails its cases":  {conditions: reach("False", 3, 2), mode: interpreterv1alpha1.ModeShadow, wanted: "b", want: "False Checked: why Checked"},
	}
	for name, tc := range cases {
		b := &interpreterv1alpha1.ScriptBundle{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
		b.Spec.Mode, b.Status.Conditions = tc.mode, tc.conditions
		if tc.wanted != "" {
			b.Status.Wanted = &interpreterv1alpha1.BundleRevision{Revision: tc.wanted}
		}
		if tc.active != "" {
			b.Status.Active = &interpreterv1alpha1.BundleRevision{Revision: tc.active}
		}
		SetReady(b)
		c := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionReady)
		if got := string(c.Status) + " " + c.Reason + ": " + c.Message; got != tc.want || c.ObservedGeneration != 2 {
			t.Errorf("%s: got %s of generation %d, want %s", name, got, c.ObservedGeneration, tc.want)
		}
	}
}
