// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("a tenant beside one that creates hundreds of templates", func() {
	It("waits for a few of them", func(ctx SpecContext) {
		const many = 150
		crowd, alone := env.Namespace(ctx), env.Namespace(ctx)
		emptyAfter(configMapKind, crowd, alone)
		settings := func(namespace, name string) *corev1.ConfigMap {
			return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"turns": crowd}}}
		}
		for _, space := range []string{crowd, alone} { // the namespaces are in the member
			env.Apply(ctx, space, everyConfigMap)
			first := settings(space, "first")
			first.Labels = nil
			Expect(env.Hub.Create(ctx, first)).To(Succeed())
			Eventually(func() error {
				return env.At("member1").Get(ctx, client.ObjectKeyFromObject(first), &corev1.ConfigMap{})
			}).Should(Succeed())
		}
		w, err := env.At("member1").Watch(ctx, &corev1.ConfigMapList{}, client.MatchingLabels{"turns": crowd})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(w.Stop)

		Expect(env.Manager.Pause()).To(Succeed())
		for i := range many {
			Expect(env.Hub.Create(ctx, settings(crowd, fmt.Sprint("c", i)))).To(Succeed())
		}
		Expect(env.Hub.Create(ctx, settings(alone, "one"))).To(Succeed())
		Expect(env.Manager.Resume()).To(Succeed())

		var arrived []string
		for len(arrived) <= many {
			var event watch.Event
			Eventually(ctx, w.ResultChan()).Should(Receive(&event))
			if o, ok := event.Object.(*corev1.ConfigMap); ok && event.Type == watch.Added {
				arrived = append(arrived, o.Namespace)
			}
		}
		at := slices.Index(arrived, alone)
		AddReportEntry("before it", at)
		Expect(at).To(BeNumerically("<", many/2), "it came last, and each controller has some of the others in its hands")
	}, NodeTimeout(10*time.Minute))
})
