// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// BenchmarkAdmit decides in a namespace with that many placed bindings, and writes: the time
// follows what the namespace has.
func BenchmarkAdmit(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("bindings=%d", n), func(b *testing.B) {
			w := &world{cache: map[string]*workv1alpha2.ResourceBinding{}, quotas: map[string]*policyv1alpha1.FederatedResourceQuota{}}
			q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "q"}}
			q.Spec.Overall = corev1.ResourceList{corev1.ResourceCPU: milli(1 << 40), corev1.ResourceMemory: milli(1 << 60)}
			w.quotas["q"] = q
			for i := range n {
				o := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprint(i), Generation: 1}}
				o.Spec.Replicas = 3
				o.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{
					corev1.ResourceCPU: milli(500), corev1.ResourceMemory: milli(1 << 40),
				}}
				o.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "m", Replicas: 3}}
				w.cache[o.Name] = o
			}
			l, err := New(w, clocktesting.NewFakePassiveClock(time.Unix(0, 0)), nil)
			if err != nil {
				b.Fatal(err)
			}
			read := w.cache["0"]
			after := read.DeepCopy()
			after.Spec.Clusters[0].Replicas = 4
			for b.Loop() {
				admission, err := l.Admit(b.Context(), Request{Consumer: "scheduling", Binding: read, After: after})
				if err != nil || admission == nil {
					b.Fatal(admission, err)
				}
				admission.Done(read, nil)
			}
		})
	}
}
