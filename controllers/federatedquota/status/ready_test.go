// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

func TestReady(t *testing.T) {
	work := func(cluster, cpu string, generation int64, status metav1.ConditionStatus) *workv1alpha1.Work {
		w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(cluster), Name: "q", Generation: 2}}
		w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ResourceQuota","spec":{"hard":{"cpu":%q}}}`, cpu)}}}
		w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: status, ObservedGeneration: generation}}
		return w
	}
	const (
		inForce = "True InForce: The limit is in force"
		counted = "True CountedOnly: What is used is counted, and nothing is refused: the feature gate FederatedQuotaEnforcement is off"
	)
	cases := map[string]struct {
		clusters []string
		works    []*workv1alpha1.Work
		want     string
		// counted means that the limit is not enforced.
		counted bool
	}{
		"no assignments":            {want: inForce},
		"applied":                   {clusters: []string{"m1", "m2"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "True"), work("m2", "1000m", 2, "True")}, want: inForce},
		"no Work yet":               {clusters: []string{"m1", "m2"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "True")}, want: "False NotAssigned: The ResourceQuota is not applied in m2"},
		"refused":                   {clusters: []string{"m1"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "False")}, want: "False NotAssigned: The ResourceQuota is not applied in m1"},
		"applied as it was":         {clusters: []string{"m1"}, works: []*workv1alpha1.Work{work("m1", "1", 1, "True")}, want: "False NotAssigned: The ResourceQuota is not applied in m1"},
		"the Work is as it was":     {clusters: []string{"m1"}, works: []*workv1alpha1.Work{work("m1", "2", 2, "True")}, want: "False NotAssigned: The ResourceQuota is not applied in m1"},
		"many":                      {clusters: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}, works: nil, want: "False NotAssigned: The ResourceQuota is not applied in a, b, c, d, e, f, g, h, i, j and 2 more"},
		"a cluster that is gone":    {clusters: []string{"m1"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "True"), work("m9", "1", 2, "False")}, want: inForce},
		"not enforced":              {counted: true, want: counted},
		"not enforced, and applied": {counted: true, clusters: []string{"m1"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "True")}, want: strings.Replace(counted, "nothing is refused", "only the clusters with a static assignment refuse something", 1)},
		"not enforced, nor applied": {counted: true, clusters: []string{"m1"}, want: "False NotAssigned: The ResourceQuota is not applied in m1"},
		"a cluster with two items": {
			clusters: []string{"m1", "m2", "m1", "m1"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "True"), work("m2", "1", 2, "True")},
			want: "False NotAssigned: spec.staticAssignments has several items of m1, of which only the first is applied",
		},
		"a cluster with two items, and another without its Work": {
			clusters: []string{"m1", "m2", "m1"}, works: []*workv1alpha1.Work{work("m1", "1", 2, "True")},
			want: "False NotAssigned: The ResourceQuota is not applied in m2; spec.staticAssignments has several items of m1, of which only the first is applied",
		},
	}
	for name, tc := range cases {
		q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Generation: 5}}
		for _, cluster := range tc.clusters {
			q.Spec.StaticAssignments = append(q.Spec.StaticAssignments, policyv1alpha1.StaticClusterAssignment{ClusterName: cluster, Hard: corev1.ResourceList{"cpu": resource.MustParse("1")}})
		}
		c := ready(q, tc.works, !tc.counted)
		if got := string(c.Status) + " " + c.Reason + ": " + c.Message; got != tc.want || c.ObservedGeneration != 5 {
			t.Errorf("%s: got %s of generation %d, want %s", name, got, c.ObservedGeneration, tc.want)
		}
	}
}
