// SPDX-License-Identifier: Apache-2.0

package scriptbundle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/kept"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
)

// storeOf is what keeps bundles, beside a process.
func storeOf() kept.Store { return kept.Store{Client: hub.Client, Reader: hub.Client} }

// noise returns a text that does not compress to less than half of n bytes.
func noise(n int) string {
	random, text := rand.New(rand.NewPCG(1, 2)), &strings.Builder{}
	for text.Len() < n {
		fmt.Fprintf(text, "%016x\n", random.Uint64())
	}
	return text.String()
}

var _ = Describe("A ScriptBundle whose luck has run out", func() {
	It("holds up no other one where its registry does not answer", func(ctx SpecContext) {
		p, sick, well := start(), newRegistry(), newRegistry()
		reference, _ := sick.push(ctx, "stuck", "stable", files("stuck", "1.0.0", "true"), nil)
		sick.setHanging(true)
		for i := range 12 {
			create(ctx, fromRegistry(fmt.Sprintf("stuck-%d", i), reference))
		}
		reference, _ = well.push(ctx, "fluent", "stable", files("fluent", "1.0.0", "true"), nil)
		create(ctx, fromRegistry("fluent", reference))
		Eventually(conditions(ctx, "fluent")).Should(Equal(active))
		Expect(p.health(kindOf("fluent"))()).To(Equal("Healthy"))
		Expect(get(ctx, "stuck-11").Status.Conditions).To(BeEmpty())

		By("another reference, whose registry answers")
		reference, _ = well.push(ctx, "stuck", "stable", files("stuck", "1.0.1", "true"), nil)
		change(ctx, "stuck-11", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Source.OCI.Reference = reference })
		Eventually(conditions(ctx, "stuck-11")).Should(Equal(active))
		Expect(get(ctx, "stuck-11").Status.Active.Version).To(Equal("1.0.1"))
	})

	It("says so where it is larger than a control plane keeps, and what was active stays", func(ctx SpecContext) {
		p, r := start(), newRegistry()
		reference, _ := r.push(ctx, "large", "stable", files("large", "1.0.0", "true"), nil)
		create(ctx, fromRegistry("large", reference))
		Eventually(conditions(ctx, "large")).Should(Equal(active))

		r.push(ctx, "large", "stable", with(files("large", "2.0.0", "false"), "README.md", noise(2_500_000)), nil)
		refresh(ctx, "large")
		Eventually(conditions(ctx, "large")).Should(ContainElements(
			And(HavePrefix("Verified False TooLarge: the archive of the bundle has "), ContainSubstring(".dragomanignore")),
			And(HavePrefix("Active False TooLarge: "), ContainSubstring("(1.0.0) stays active")),
		))
		Expect(p.health(kindOf("large"))()).To(Equal("Healthy"))
		Expect(keptOf(ctx, "large")()).To(HaveLen(1))
	})

	It("has nothing left behind of a manager that ended before it reported what it kept", func(ctx SpecContext) {
		b := inline("halfway", files("halfway", "1.0.0", "true"))
		create(ctx, b)
		for _, health := range []string{"true", "false"} {
			a, err := archive.Build(folder("halfway", files("halfway", "1.0.0", health)), "halfway")
			Expect(err).NotTo(HaveOccurred())
			revision, err := bundle.Revision(a.FS("halfway"), "halfway")
			Expect(err).NotTo(HaveOccurred())
			Expect(storeOf().Put(ctx, b, revision, a)).To(Succeed())
		}
		Expect(keptOf(ctx, "halfway")()).To(HaveLen(2))
		p := start()
		Eventually(conditions(ctx, "halfway")).Should(Equal(active))
		Expect(p.health(kindOf("halfway"))()).To(Equal("Healthy"))
		Eventually(keptOf(ctx, "halfway")).Should(HaveLen(1))
	})

	It("is fetched again where somebody put something else in the place of what was kept", func(ctx SpecContext) {
		p, r := start(), newRegistry()
		reference, _ := r.push(ctx, "swapped", "stable", files("swapped", "1.0.0", "true"), nil)
		create(ctx, fromRegistry("swapped", reference))
		Eventually(conditions(ctx, "swapped")).Should(Equal(active))
		Expect(p.stop()).To(Succeed())

		there := &corev1.ConfigMap{}
		Expect(hub.Client.Get(ctx, client.ObjectKey{Namespace: names.SystemNamespace, Name: keptOf(ctx, "swapped")()[0]}, there)).To(Succeed())
		Expect(hub.Client.Delete(ctx, there)).To(Succeed())
		other, err := archive.Build(folder("swapped", files("swapped", "1.0.0", "false")), "swapped")
		Expect(err).NotTo(HaveOccurred())
		Expect(hub.Client.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: there.Namespace, Name: there.Name, Labels: there.Labels, Annotations: there.Annotations, OwnerReferences: there.OwnerReferences},
			BinaryData: map[string][]byte{"bundle.tar.gz": other.Bytes},
		})).To(Succeed())

		again := start()
		Expect(again.health(kindOf("swapped"))()).NotTo(Equal("Unhealthy"), "nobody has verified that")
		Eventually(again.health(kindOf("swapped"))).Should(Equal("Healthy"))
		Eventually(conditions(ctx, "swapped")).Should(Equal(active))
	})
})
