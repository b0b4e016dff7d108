// SPDX-License-Identifier: Apache-2.0

package override_test

import (
	"fmt"
	"strings"
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
)

// BenchmarkApply applies 1 and 20 policies, of which half select the object, to a
// Deployment, and one policy to a document of 4 KiB.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{1, 20} {
		b.Run(fmt.Sprintf("policies=%d", n), func(b *testing.B) {
			in, cluster, p := object(b, deployment), member("m1"), override.Policies{}
			for i := range n {
				one := policyOf(b, `{imageOverrider: [{component: Registry, operator: replace, value: "b.io:5000"}], plaintext: [{path: /spec/replicas, operator: replace, value: 5}], labelsOverrider: [{operator: add, value: {a: b}}]}`).Namespaced[0]
				one.Name = fmt.Sprintf("p%d", i)
				kind := "Deployment"
				if i%2 == 1 {
					kind = "StatefulSet"
				}
				one.Spec.ResourceSelectors = []policyv1alpha1.ResourceSelector{{APIVersion: "apps/v1", Kind: kind}}
				p.Namespaced = append(p.Namespaced, one)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := override.Apply(in, cluster, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for form, operation := range map[string]string{"yaml": "yaml", "json": "json"} {
		b.Run("document="+form, func(b *testing.B) {
			var text strings.Builder
			text.WriteString("{\"a\": {\"port\": 1}\n")
			for i := range 100 {
				fmt.Fprintf(&text, ",\"key%d\": {\"name\": \"value %d\"}\n", i, i)
			}
			text.WriteString("}\n")
			in, cluster := object(b, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {}}"), member("m1")
			in.Object["data"].(map[string]any)["f"] = text.String()
			p := policyOf(b, `{fieldOverrider: [{fieldPath: /data/f, `+operation+`: [{subPath: /a/port, operator: replace, value: 2}]}]}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := override.Apply(in, cluster, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
