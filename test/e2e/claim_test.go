// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// everyConfigMap has all ConfigMaps go to member1 that no other policy has.
const everyConfigMap = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  placement: {clusterAffinity: {clusterNames: [member1]}}
`

// configMapsSeen returns the names of the ConfigMaps that a namespace of a member has had since
// the call.
func configMapsSeen(ctx context.Context, member, namespace string) func() map[string]bool {
	GinkgoHelper()
	w, err := env.At(member).Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var mu sync.Mutex
	seen := map[string]bool{}
	go func() {
		for event := range w.ResultChan() {
			if o, ok := event.Object.(*corev1.ConfigMap); ok {
				mu.Lock()
				seen[o.Name] = true
				mu.Unlock()
			}
		}
	}()
	return func() map[string]bool {
		mu.Lock()
		defer mu.Unlock()
		all := map[string]bool{}
		for name := range seen {
			all[name] = true
		}
		return all
	}
}

var _ = Describe("a template that comes right after its policy", func() {
	It("goes where that policy says, and nowhere else before, also where the manager lags", func(ctx SpecContext) {
		const rounds, each = 12, 5
		space := env.Namespace(ctx)
		emptyAfter(configMapKind, space)
		env.Apply(ctx, space, everyConfigMap)
		Eventually(func(g Gomega) { // the kind is watched
			p := &policyv1alpha1.PropagationPolicy{}
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: "all"}, p)).To(Succeed())
			g.Expect(p.Labels[policyv1alpha1.PropagationPolicyPermanentIDLabel]).NotTo(BeEmpty())
		}).Should(Succeed())
		first := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "first"}}
		Expect(env.Hub.Create(ctx, first)).To(Succeed())
		Eventually(func() error {
			return env.At("member1").Get(ctx, client.ObjectKeyFromObject(first), &corev1.ConfigMap{})
		}).Should(Succeed())
		seen := configMapsSeen(ctx, "member1", space)

		var names []string
		for round := range rounds {
			Expect(env.Manager.Pause()).To(Succeed())
			for i := range each {
				name := fmt.Sprintf("c%d-%d", round, i)
				names = append(names, name)
				env.Apply(ctx, space, placing("v1", "ConfigMap", name, "{clusterAffinity: {clusterNames: [member2]}}\n  priority: 5"))
			}
			for _, name := range names[len(names)-each:] {
				Expect(env.Hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}})).To(Succeed())
			}
			Expect(env.Manager.Resume()).To(Succeed())
		}
		for _, name := range names {
			Eventually(func(g Gomega) {
				o := &corev1.ConfigMap{}
				g.Expect(env.At("member2").Get(ctx, client.ObjectKey{Namespace: space, Name: name}, o)).To(Succeed())
			}).Should(Succeed(), name)
			o := &corev1.ConfigMap{}
			Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, o)).To(Succeed())
			Expect(o.Annotations).To(HaveKeyWithValue(policyv1alpha1.PropagationPolicyNameAnnotation, name))
		}
		for _, name := range names {
			Expect(seen()).NotTo(HaveKey(name), "it was in member1 for a moment")
		}
		Expect(seen()).To(HaveKey("first"))
	}, NodeTimeout(10*time.Minute))
})
