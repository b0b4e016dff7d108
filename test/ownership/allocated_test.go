// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/test/fixture"
)

// service returns a load balancer with a port, and with a node port where it is not 0.
func service(name string, nodePort int64) *unstructured.Unstructured {
	port := map[string]any{"name": "web", "port": int64(80), "protocol": "TCP"}
	if nodePort > 0 {
		port["nodePort"] = nodePort
	}
	return fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "Service"}, space, name, map[string]any{"spec": map[string]any{
		"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": []any{port},
	}})
}

var _ = Describe("what the API server allocated to a Service", func() {
	It("has no owner, other than what the user wrote", func(ctx SpecContext) {
		// The port is one of the first 86 of the range, which the API server gives to nobody while it has others.
		chosen, given := service("chosen", 30013), service("given", 0)
		Expect(server.Create(ctx, chosen, user)).To(Succeed())
		Expect(server.Create(ctx, given, user)).To(Succeed())
		Expect(given.Object["spec"]).To(HaveKeyWithValue("healthCheckNodePort", BeNumerically(">", 0)))
		for _, field := range []string{"nodePort", "healthCheckNodePort", "clusterIP", "clusterIPs", "ipFamilies"} {
			Expect(isOwned(given, field)).To(BeFalse(), field)
		}
		Expect(isOwned(chosen, "nodePort")).To(BeTrue())
	})

	It("has none after others wrote the whole object back with a change", func(ctx SpecContext) {
		given := service("given", 0)
		Expect(server.Create(ctx, given, user)).To(Succeed())
		whole := read(ctx, given)
		whole.SetLabels(map[string]string{"team": "a"})
		Expect(server.Update(ctx, whole, member)).To(Succeed())
		Expect(isOwned(whole, "nodePort")).To(BeFalse())
		Expect(isOwned(whole, "labels")).To(BeTrue())
	})

	It("has the owner that wrote it elsewhere, as after a backup is restored", func(ctx SpecContext) {
		given := service("given", 0)
		Expect(server.Create(ctx, given, user)).To(Succeed())
		saved := read(ctx, given)
		Expect(server.Delete(ctx, given)).To(Succeed())
		saved.SetResourceVersion("")
		saved.SetUID("")
		saved.SetManagedFields(nil)
		Expect(server.Create(ctx, saved, user)).To(Succeed())
		Expect(isOwned(saved, "nodePort")).To(BeTrue())
	})
})
