// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// announced is a policy that sends a Deployment along with its dependencies, and an override of it.
const announced = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: announced}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {clusterAffinity: {clusterNames: [member1, member2]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: announced}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules: [{overriders: {annotationsOverrider: [{operator: add, value: {from: override}}]}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: page}
data: {text: hello}
`

// toFirst is a policy that sends everything to one member.
const toFirst = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: to-first}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]
  placement: {clusterAffinity: {clusterNames: [member1]}}
`

var _ = Describe("events of success", func() {
	It("follow a template from its policy to its status", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		for document := range strings.SplitSeq(announced, "---\n") {
			env.Apply(ctx, space, document)
		}
		d := fixture.Nginx(space, 1)
		page := corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "page"}}
		d.Spec.Template.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &page}}
		Expect(env.Hub.Create(ctx, d)).To(Succeed())
		has := func(namespace, kind, name string, reasons ...string) {
			GinkgoHelper()
			for _, reason := range reasons {
				Eventually(env.Events(ctx, namespace, kind, name)).Should(ContainElement(ContainSubstring(reason)))
			}
		}
		has(space, "Deployment", "nginx", "ApplyPolicySucceed", "ScheduleBindingSucceed", "ApplyOverridePolicySucceed",
			"GetDependenciesSucceed", "SyncWorkSucceed", "AggregateStatusSucceed")
		has(space, "ResourceBinding", "nginx-deployment", "ScheduleBindingSucceed", "SyncScheduleResultToDependenciesSucceed",
			"SyncWorkSucceed", "AggregateStatusSucceed")
		has("karmada-es-member1", "Work", names.Work("Deployment", space, "nginx"), "SyncSucceed")
	}, NodeTimeout(10*time.Minute))

	It("are dropped in a burst, and not those of others or of what fails", func(ctx SpecContext) {
		const burst = 80
		space, other := env.Namespace(ctx), env.Namespace(ctx)
		for _, namespace := range []string{space, other} {
			env.Apply(ctx, namespace, toFirst)
		}
		dropped, began := overBudget(ctx), time.Now()
		for i := range burst {
			o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: fmt.Sprintf("burst-%d", i)}, Data: map[string]string{"a": "b"}}
			Expect(env.Hub.Create(ctx, o)).To(Succeed())
		}
		Expect(env.Hub.Create(ctx, fixture.Nginx(other, 1))).To(Succeed())
		arrives := func(name string) {
			GinkgoHelper()
			o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
			Eventually(func(ctx context.Context) (bool, error) { return env.Present(ctx, "member1", o) }).WithContext(ctx).Should(BeTrue(), name)
		}
		arrives("burst-0")
		taken := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "taken"}}
		Expect(env.At("member1").Create(ctx, taken.DeepCopy())).To(Succeed(), "one that the control plane must not overwrite")
		Expect(env.Hub.Create(ctx, taken)).To(Succeed())

		Eventually(env.Events(ctx, other, "Deployment", "nginx")).Should(ContainElement(ContainSubstring("ScheduleBindingSucceed")), "another namespace has its own share")
		Eventually(env.Events(ctx, space, "ConfigMap", "taken")).Should(ContainElement(ContainSubstring("SyncWorkFailed")), "what fails is not dropped")
		for i := range burst {
			arrives(fmt.Sprintf("burst-%d", i))
		}
		var list corev1.EventList
		Expect(env.Hub.List(ctx, &list, client.InNamespace(space))).To(Succeed())
		normal := 0
		for i := range list.Items {
			if list.Items[i].Type == corev1.EventTypeNormal {
				normal++
			}
		}
		share := 30 + int(time.Since(began)/time.Second) + 1
		Expect(normal).To(And(BeNumerically(">", 0), BeNumerically("<=", share)), "thirty, and one a second")
		Expect(overBudget(ctx)).To(BeNumerically(">=", dropped+burst), "those that were dropped are counted")
	}, NodeTimeout(10*time.Minute))
})

// overBudget returns how many events of success the manager dropped.
func overBudget(ctx context.Context) int {
	GinkgoHelper()
	text, err := env.Metrics(ctx)
	Expect(err).NotTo(HaveOccurred())
	found := regexp.MustCompile(`dragoman_success_events_total\{outcome="over_budget"\} (\d+)`).FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	Expect(err).NotTo(HaveOccurred())
	return n
}
