// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

func TestWaits(t *testing.T) {
	is := func(status metav1.ConditionStatus, generation int64) *policyv1alpha1.PropagationStatus {
		s := &policyv1alpha1.PropagationStatus{ObservedGeneration: generation}
		if status != "" {
			s.Conditions = []metav1.Condition{{Type: policyv1alpha1.Ready, Status: status}}
		}
		return s
	}
	none := is("True", 1)
	none.Conditions[0].Reason = policyv1alpha1.NoTemplateReason
	cases := map[string]struct {
		written, next *policyv1alpha1.PropagationStatus
		want          bool
	}{
		"new, not decided":         {is("", -1), is("Unknown", 1), true},
		"new, applied":             {is("", -1), is("True", 1), false},
		"new, failed":              {is("", -1), is("False", 1), false},
		"more of what is pending":  {is("Unknown", 1), is("Unknown", 1), true},
		"failed, and tried again":  {is("False", 1), is("Unknown", 1), true},
		"applied, and not decided": {is("True", 1), is("Unknown", 1), false},
		"of the spec before":       {is("True", 1), is("Unknown", 2), true},
		"no template yet":          {is("", -1), none, true},
		"no template any more":     {is("Unknown", 1), none, false},
	}
	for name, tc := range cases {
		if got := waits(tc.written, tc.next); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestPending(t *testing.T) {
	var p pending
	key, begin := types.NamespacedName{Namespace: "shop", Name: "web"}, time.Unix(0, 0)
	for after, want := range []time.Duration{Pending, Pending - time.Second} {
		if left := p.left(key, begin.Add(time.Duration(after)*time.Second)); left != want {
			t.Errorf("after %d s: %v are left, want %v", after, left, want)
		}
	}
	if left := p.left(key, begin.Add(Pending)); left > 0 {
		t.Errorf("%v are left at the end", left)
	}
	p.end(key)
	if left := p.left(key, begin.Add(time.Hour)); left != Pending || p.since.Len() != 1 {
		t.Errorf("%v are left anew", left)
	}
}
