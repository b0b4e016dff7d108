// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// policyOn returns a policy of generation 4 that places on a cluster.
func policyOn(cluster string) *policyv1alpha1.PropagationPolicy {
	p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "p", Generation: 4}}
	p.Spec.Placement.ClusterAffinity = &policyv1alpha1.ClusterAffinity{ClusterNames: []string{cluster}}
	return p
}

// bindingOn returns the binding of a ConfigMap whose placement is that of policyOn, with the conditions.
func bindingOn(name, cluster string, conditions ...metav1.Condition) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Generation: 2}}
	b.Spec.Resource = workv1alpha2.ObjectReference{Kind: "ConfigMap", Namespace: "shop", Name: name}
	b.Spec.Placement = &policyOn(cluster).Spec.Placement
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: cluster}}
	b.Status.SchedulerObservedGeneration, b.Status.Conditions = 2, conditions
	return b
}

var (
	applied    = metav1.Condition{Type: workv1alpha2.FullyApplied, Status: metav1.ConditionTrue, Reason: "FullyAppliedSuccess", ObservedGeneration: 2}
	notApplied = metav1.Condition{Type: workv1alpha2.FullyApplied, Status: metav1.ConditionFalse, Reason: "FullyAppliedFailed", ObservedGeneration: 2}
	noFit      = metav1.Condition{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse, Reason: "NoClusterFit", ObservedGeneration: 2}
)

func TestStatusOf(t *testing.T) {
	deferred := bindingOn("d", "m2", applied)
	deferred.Annotations = map[string]string{workv1alpha2.DeferredPolicyAnnotation: "4"}
	leaving := bindingOn("l", "m1", notApplied)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	said := policyOn("m1")
	said.Status.Conditions = []metav1.Condition{{Type: policyv1alpha1.Ready, Status: metav1.ConditionTrue, ObservedGeneration: 4}}
	cases := map[string]struct {
		policy   *policyv1alpha1.PropagationPolicy
		bindings []workv1alpha2.Binding
		want     string
	}{
		"no template":    {want: "0 of 0, True NoTemplate: No template is claimed"},
		"all":            {bindings: []workv1alpha2.Binding{bindingOn("a", "m1", applied), bindingOn("b", "m1", applied)}, want: "2 of 2, True Applied: 2 of 2 templates are applied in all their clusters"},
		"one is leaving": {bindings: []workv1alpha2.Binding{bindingOn("a", "m1", applied), leaving}, want: "1 of 1, True Applied: 1 of 1 templates are applied in all their clusters"},
		"what failed goes first": {
			bindings: []workv1alpha2.Binding{bindingOn("a", "m1"), bindingOn("z", "m1", noFit), bindingOn("b", "m1", applied)},
			want:     "1 of 3, False NoClusterFit: 1 of 3 templates are applied in all their clusters; not so ConfigMap shop/z (NoClusterFit), ConfigMap shop/a (Pending)",
		},
		"many": {
			bindings: []workv1alpha2.Binding{bindingOn("e", "m1", notApplied), bindingOn("d", "m1", notApplied), bindingOn("c", "m1", notApplied), bindingOn("b", "m1", notApplied), bindingOn("a", "m1", noFit)},
			want:     "0 of 5, False NoClusterFit: 0 of 5 templates are applied in all their clusters; not so ConfigMap shop/a (NoClusterFit), ConfigMap shop/b (FullyAppliedFailed), ConfigMap shop/c (FullyAppliedFailed), and 2 more",
		},
		"made from the spec before": {bindings: []workv1alpha2.Binding{bindingOn("a", "m2", applied)}, want: "0 of 1, Unknown Pending: 0 of 1 templates are applied in all their clusters; not so ConfigMap shop/a (Pending)"},
		"lazy":                      {bindings: []workv1alpha2.Binding{deferred}, want: "1 of 1, True Applied: 1 of 1 templates are applied in all their clusters"},
		"of a generation that was ready": {
			policy: said, bindings: []workv1alpha2.Binding{bindingOn("a", "m1", applied), bindingOn("b", "m1", notApplied)},
			want: "1 of 2, False FullyAppliedFailed: 1 of 2 templates are applied in all their clusters; not so ConfigMap shop/b (FullyAppliedFailed)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := tc.policy
			if p == nil {
				p = policyOn("m1")
				p.Status.ObservedGeneration = -1
			}
			s := statusOf(p, tc.bindings)
			if len(s.Conditions) != 1 || s.ObservedGeneration != 4 || s.Conditions[0].ObservedGeneration != 4 {
				t.Fatalf("got %+v", s)
			}
			c := s.Conditions[0]
			if got := fmt.Sprintf("%d of %d, %s %s: %s", s.Applied, s.Templates, c.Status, c.Reason, c.Message); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestChanged(t *testing.T) {
	numbers := noFit
	numbers.Message = "0 of 4 clusters fit"
	leaving := bindingOn("a", "m1", applied)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	lazy := bindingOn("a", "m2", applied)
	lazy.Annotations = map[string]string{workv1alpha2.DeferredPolicyAnnotation: "4"}
	cases := map[string]struct {
		before, after *workv1alpha2.ResourceBinding
		want          bool
	}{
		"applied":         {bindingOn("a", "m1"), bindingOn("a", "m1", applied), true},
		"another reason":  {bindingOn("a", "m1", notApplied), bindingOn("a", "m1", noFit), true},
		"another message": {bindingOn("a", "m1", noFit), bindingOn("a", "m1", numbers), false},
		"lazy now":        {bindingOn("a", "m2", applied), lazy, true},
		"leaves":          {bindingOn("a", "m1", applied), leaving, true},
	}
	for name, tc := range cases {
		if got := changed(tc.before, tc.after); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// BenchmarkStatusOf counts 10,000 bindings of one policy.
func BenchmarkStatusOf(b *testing.B) {
	var all []workv1alpha2.Binding
	for i := range 10_000 {
		all = append(all, bindingOn(fmt.Sprint("c", i), "m1", applied))
	}
	b.ReportAllocs()
	for p := policyOn("m1"); b.Loop(); {
		statusOf(p, all)
	}
}
