// SPDX-License-Identifier: Apache-2.0

package status

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// work returns the Work of a quota in a cluster, with what the member reported.
func work(cluster string, applied metav1.ConditionStatus, reported string) *workv1alpha1.Work {
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-" + cluster}}
	w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: applied}}
	if reported != "" {
		w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Status: &runtime.RawExtension{Raw: []byte(reported)}}}
	}
	return w
}

func TestAggregate(t *testing.T) {
	var got []string
	for _, item := range aggregate([]*workv1alpha1.Work{
		work("b", metav1.ConditionTrue, `{"hard":{"cpu":"2"},"used":{"cpu":"500m"}}`),
		work("a", metav1.ConditionTrue, `{"hard":{"cpu":"1","memory":"1Gi"}}`),
		work("refused", metav1.ConditionFalse, `{"hard":{"cpu":"1"}}`),
		work("silent", metav1.ConditionTrue, ""),
		work("early", metav1.ConditionTrue, `{}`),
		work("broken", metav1.ConditionTrue, `{"hard":"none"}`),
		work("hostile", metav1.ConditionTrue, `{"hard":{"cpu":"1e-999999999"}}`),
		work("long", metav1.ConditionTrue, `{"hard":{"cpu":"`+strings.Repeat("9", 1000000)+`"}}`),
		work("wrong", metav1.ConditionTrue, `{"hard":{"cpu":"1.2.3"}}`),
	}) {
		got = append(got, item.ClusterName+" "+item.Hard.Cpu().String()+" "+item.Used.Cpu().String())
	}
	if want := "a 1 0, b 2 500m"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q: sorted, and without those that say nothing of use", got, want)
	}
}
