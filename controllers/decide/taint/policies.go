// SPDX-License-Identifier: Apache-2.0

package taint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// ByPolicies returns the taints of a cluster as policies want them, in the order of their
// creation: each adds its taints where its conditions to add hold, then removes them where
// those to remove do. A taint of the same key and effect that is there stays as it is, with
// its time; a new one was added now, or when the status of the cluster has it. A policy whose
// targets cannot be read is left out, and is in the error. So are the taints of readiness, which
// are not in the error: ByReadiness would undo what a policy does to them, without end.
func ByPolicies(cluster *clusterv1alpha1.Cluster, policies []*policyv1alpha1.ClusterTaintPolicy, now metav1.Time) ([]corev1.Taint, error) {
	taints := slices.Clone(cluster.Spec.Taints)
	var failed []error
	for _, p := range inOrder(policies) {
		matches, err := Targets(p, cluster)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("ClusterTaintPolicy %s: spec.targetClusters: %w", p.Name, err))
			continue
		case !matches:
			continue
		}
		theirs := slices.DeleteFunc(slices.Clone(p.Spec.Taints), func(w policyv1alpha1.Taint) bool {
			return clusterv1alpha1.IsTaintOfReadiness(w.Key, w.Effect)
		})
		if allHold(p.Spec.AddOnConditions, cluster.Status.Conditions) {
			taints = added(taints, cluster, theirs, now)
		}
		if allHold(p.Spec.RemoveOnConditions, cluster.Status.Conditions) {
			taints = slices.DeleteFunc(taints, func(t corev1.Taint) bool {
				return slices.ContainsFunc(theirs, func(w policyv1alpha1.Taint) bool { return w.Key == t.Key && w.Effect == t.Effect })
			})
		}
	}
	return taints, errors.Join(failed...)
}

// inOrder returns policies in the order of their creation, those of one second by name.
func inOrder(policies []*policyv1alpha1.ClusterTaintPolicy) []*policyv1alpha1.ClusterTaintPolicy {
	return slices.SortedFunc(slices.Values(policies), func(a, b *policyv1alpha1.ClusterTaintPolicy) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
}

// Targets reports whether a policy is about a cluster.
func Targets(p *policyv1alpha1.ClusterTaintPolicy, cluster *clusterv1alpha1.Cluster) (bool, error) {
	affinity, err := selector.NewAffinity(p.Spec.TargetClusters)
	return err == nil && affinity.Matches(cluster), err
}

// allHold reports whether there are tests and all hold. One about a condition that the
// cluster does not have holds for no operator.
func allHold(tests []policyv1alpha1.MatchCondition, conditions []metav1.Condition) bool {
	for i := range tests {
		found := meta.FindStatusCondition(conditions, tests[i].ConditionType)
		if found == nil {
			return false
		}
		among := slices.Contains(tests[i].StatusValues, found.Status)
		if among != (tests[i].Operator == policyv1alpha1.MatchConditionOpIn) {
			return false
		}
	}
	return len(tests) > 0
}

// added returns taints with those wanted that are not among them. One that the cluster had
// before comes back as it was, and one that its status has comes back with its time.
func added(taints []corev1.Taint, cluster *clusterv1alpha1.Cluster, wanted []policyv1alpha1.Taint, now metav1.Time) []corev1.Taint {
	before := cluster.Spec.Taints
	for _, w := range wanted {
		same := func(t corev1.Taint) bool { return t.Key == w.Key && t.Effect == w.Effect }
		if slices.ContainsFunc(taints, same) {
			continue
		}
		taint := corev1.Taint{Key: w.Key, Value: w.Value, Effect: w.Effect}
		taint.TimeAdded = now.DeepCopy()
		if w.Effect == corev1.TaintEffectNoExecute {
			taint.TimeAdded = sinceOf(&taint, cluster.Status.TaintedSince, now)
		}
		if i := slices.IndexFunc(before, same); i >= 0 && before[i].Value == w.Value {
			taint = before[i]
		}
		taints = append(taints, taint)
	}
	return taints
}
