// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

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
})
