// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
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
	const inForce = "True InForce: The limit is in force"
	cases := map[string]struct {
		clusters []string
		works    []*workv1alpha1.Work
		want     string
	}{
		"no assignments":         {want: inForce},
		"applied":                {[]string{"m1", "m2"}, []*workv1alpha1.Work{work("m1", "1", 2, "True"), work("m2", "1000m", 2, "True")}, inForce},
		"no Work yet":            {[]string{"m1", "m2"}, []*workv1alpha1.Work{work("m1", "1", 2, "True")}, "False NotAssigned: The ResourceQuota is not applied in m2"},
		"refused":                {[]string{"m1"}, []*workv1alpha1.Work{work("m1", "1", 2, "False")}, "False NotAssigned: The ResourceQuota is not applied in m1"},
		"applied as it was":      {[]string{"m1"}, []*workv1alpha1.Work{work("m1", "1", 1, "True")}, "False NotAssigned: The ResourceQuota is not applied in m1"},
		"the Work is as it was":  {[]string{"m1"}, []*workv1alpha1.Work{work("m1", "2", 2, "True")}, "False NotAssigned: The ResourceQuota is not applied in m1"},
		"many":                   {[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}, nil, "False NotAssigned: The ResourceQuota is not applied in a, b, c, d, e, f, g, h, i, j and 2 more"},
		"a cluster that is gone": {[]string{"m1"}, []*workv1alpha1.Work{work("m1", "1", 2, "True"), work("m9", "1", 2, "False")}, inForce},
	}
	for name, tc := range cases {
		q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Generation: 5}}
		for _, cluster := range tc.clusters {
			q.Spec.StaticAssignments = append(q.Spec.StaticAssignments, policyv1alpha1.StaticClusterAssignment{ClusterName: cluster, Hard: corev1.ResourceList{"cpu": resource.MustParse("1")}})
		}
		c := ready(q, tc.works)
		if got := string(c.Status) + " " + c.Reason + ": " + c.Message; got != tc.want || c.ObservedGeneration != 5 {
			t.Errorf("%s: got %s of generation %d, want %s", name, got, c.ObservedGeneration, tc.want)
		}
	}
}
