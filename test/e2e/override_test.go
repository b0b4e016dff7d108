// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
)

// exampleConfigMap and exampleOverride are the user's example of a field override.
const (
	exampleConfigMap = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: example-configmap
data:
  config.yaml: |
    app:
      database:
        port: 5432
        ip: 127.0.0.1
        name: example
        zone: zone1
`
	exampleOverride = `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata:
  name: example
spec:
  resourceSelectors:
    - apiVersion: v1
      kind: ConfigMap
      name: example-configmap
  overrideRules:
    - overriders:
        fieldOverrider:
          - fieldPath: /data/config.yaml
            yaml:
              - subPath: /app/database/port
                operator: replace # Supports add, remove, and replace operations
                value: "3306"
      targetCluster:
        clusterNames:
          - member1
`
	examplePropagation = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: example
spec:
  resourceSelectors:
    - apiVersion: v1
      kind: ConfigMap
      name: example-configmap
`
)

var _ = Describe("an override of a field", func() {
	It("changes the one line in the one member, and only while the policy is there", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, exampleConfigMap)
		env.Apply(ctx, space, exampleOverride)
		env.Apply(ctx, space, examplePropagation)
		const original = "app:\n  database:\n    port: 5432\n    ip: 127.0.0.1\n    name: example\n    zone: zone1\n"
		const overridden = "app:\n  database:\n    port: 3306\n    ip: 127.0.0.1\n    name: example\n    zone: zone1\n"
		Eventually(config(ctx, "member1", space)).Should(Equal(overridden))
		Eventually(config(ctx, "member2", space)).Should(Equal(original))

		policy := fixture.Document(exampleOverride)
		policy.SetNamespace(space)
		Expect(env.Hub.Delete(ctx, policy)).To(Succeed())
		Eventually(config(ctx, "member1", space)).Should(Equal(original))
	})
})

// config returns a function that reads the file in a member's ConfigMap.
func config(ctx context.Context, member, space string) func() (string, error) {
	c := env.At(member)
	return func() (string, error) {
		m := &corev1.ConfigMap{}
		err := c.Get(ctx, client.ObjectKey{Namespace: space, Name: "example-configmap"}, m)
		return m.Data["config.yaml"], err
	}
}
