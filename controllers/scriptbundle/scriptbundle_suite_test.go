// SPDX-License-Identifier: Apache-2.0

package scriptbundle_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/kept"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// keptOf lists the ConfigMaps that are kept of a ScriptBundle.
func keptOf(ctx context.Context, name string) func() []string {
	return func() []string {
		GinkgoHelper()
		var list corev1.ConfigMapList
		Expect(hub.Client.List(ctx, &list, client.InNamespace(names.SystemNamespace), client.MatchingLabels{kept.Label: name})).To(Succeed())
		all := []string{}
		for i := range list.Items {
			all = append(all, list.Items[i].Name)
		}
		return all
	}
}

var _ = Describe("A ScriptBundle", func() {
	It("answers once it passed all stages, and no longer than it is there", func(ctx SpecContext) {
		p := start()
		create(ctx, inline("plain", files("plain", "1.0.0", "true")))
		Eventually(conditions(ctx, "plain")).Should(Equal(active))
		Expect(p.health(kindOf("plain"))()).To(Equal("Healthy"))
		b := get(ctx, "plain")
		Expect(b.Status.ObservedGeneration).To(Equal(b.Generation))
		Expect(b.Status.Active.Revision).To(And(HaveLen(64), Equal(b.Status.Wanted.Revision)))
		Expect(b.Status.Active.Version).To(Equal("1.0.0"))
		Expect(keptOf(ctx, "plain")()).To(HaveLen(1))

		Expect(hub.Client.Delete(ctx, b)).To(Succeed())
		Eventually(p.health(kindOf("plain"))).Should(ContainSubstring("no script answers"))
		Eventually(keptOf(ctx, "plain")).Should(BeEmpty(), "nothing of it is left behind")
	})

	It("begins again when it is deleted and created again", func(ctx SpecContext) {
		p := start()
		create(ctx, inline("recreated", files("recreated", "1.0.0", "true")))
		Eventually(conditions(ctx, "recreated")).Should(Equal(active))
		Expect(hub.Client.Delete(ctx, get(ctx, "recreated"))).To(Succeed())
		again := inline("recreated", files("recreated", "2.0.0", "true"))
		again.Spec.Mode = interpreterv1alpha1.ModeShadow
		create(ctx, again)
		Eventually(p.health(kindOf("recreated"))).Should(ContainSubstring("no script answers"))
		Eventually(conditions(ctx, "recreated")).Should(ContainElement(HavePrefix("Active False Shadow: nothing of this bundle answers")))
		Expect(p.health(kindOf("recreated"))()).To(ContainSubstring("no script answers"))
	})

	It("stays as it was while a new revision is refused, and says where it is wrong", func(ctx SpecContext) {
		p := start()
		create(ctx, inline("careful", files("careful", "1.0.0", "true")))
		Eventually(conditions(ctx, "careful")).Should(Equal(active))
		good := get(ctx, "careful").Status.Active

		By("a script that does not compile")
		change(ctx, "careful", func(s *interpreterv1alpha1.ScriptBundleSpec) {
			s.Source.Inline.Files = files("careful", "1.1.0", "true end")
		})
		Eventually(conditions(ctx, "careful")).Should(HaveExactElements(
			"Fetched True Fetched", "Verified True Verified",
			And(HavePrefix("Compiled False Failed: "), ContainSubstring("scriptbundle/careful/Site/health.lua:3")),
			"Checked Unknown Pending", "SmokeTested Unknown Pending",
			And(HavePrefix("Active False Refused: "), ContainSubstring("(1.1.0) is not active, and revision"), ContainSubstring("(1.0.0) stays active"), ContainSubstring("health.lua:3")),
		))
		Expect(get(ctx, "careful").Status.Active).To(Equal(good))
		Expect(p.health(kindOf("careful"))()).To(Equal("Healthy"))

		By("a case that does not pass")
		change(ctx, "careful", func(s *interpreterv1alpha1.ScriptBundleSpec) {
			s.Source.Inline.Files = with(files("careful", "1.2.0", "false"), "Site/testdata/health.yaml",
				"name: it is healthy\ndesiredObj: {apiVersion: careful.example.com/v1, kind: Site}\noperation: InterpretHealth\noutput: {healthy: true}\n")
		})
		Eventually(conditions(ctx, "careful")).Should(ContainElement(And(
			HavePrefix("Checked False Failed: "), ContainSubstring("testdata/health.yaml:1: it is healthy: healthy: want true, got false"),
		)))
		Expect(p.health(kindOf("careful"))()).To(Equal("Healthy"))

		By("files that are no bundle")
		change(ctx, "careful", func(s *interpreterv1alpha1.ScriptBundleSpec) {
			s.Source.Inline.Files = with(files("careful", "1.3.0", "true"), "Site/healht.lua", "return 1\n")
		})
		Eventually(conditions(ctx, "careful")).Should(ContainElements(
			And(HavePrefix("Verified False NoBundle: "), ContainSubstring("Site/healht.lua")),
			And(HavePrefix("Active False NoBundle: "), ContainSubstring("(1.0.0) stays active")),
		))
		Expect(versions(ctx, "careful")()).To(Equal([]string{"1.0.0"}))

		By("mended")
		change(ctx, "careful", func(s *interpreterv1alpha1.ScriptBundleSpec) {
			s.Source.Inline.Files = files("careful", "1.4.0", "false")
		})
		Eventually(conditions(ctx, "careful")).Should(Equal(active))
		Expect(p.health(kindOf("careful"))()).To(Equal("Unhealthy"))
		Expect(versions(ctx, "careful")()).To(Equal([]string{"1.4.0", "1.0.0"}))
		Eventually(func() []string { return p.events.About("", "careful") }).Should(HaveExactElements( // each follows its status
			And(HavePrefix("Normal Active: the scripts of revision "), ContainSubstring("(1.0.0)")),
			And(HavePrefix("Warning Refused: "), ContainSubstring("Site/health.lua:3")),
			And(HavePrefix("Warning Refused: "), ContainSubstring("testdata/health.yaml:1")),
			And(HavePrefix("Warning NoBundle: "), ContainSubstring("Site/healht.lua")),
			And(HavePrefix("Normal Active: the scripts of revision "), ContainSubstring("(1.4.0)")),
		), "each outcome once")
	})

	It("keeps three revisions, and goes back to one of them", func(ctx SpecContext) {
		p := start()
		create(ctx, inline("history", files("history", "1.0.0", "true")))
		Eventually(conditions(ctx, "history")).Should(Equal(active))
		for _, version := range []string{"2.0.0", "3.0.0", "4.0.0"} {
			change(ctx, "history", func(s *interpreterv1alpha1.ScriptBundleSpec) {
				s.Source.Inline.Files = files("history", version, "false")
			})
			Eventually(versions(ctx, "history")).Should(ContainElement(version))
		}
		change(ctx, "history", func(s *interpreterv1alpha1.ScriptBundleSpec) {
			s.Source.Inline.Files = files("history", "5.0.0", "true")
		})
		Eventually(versions(ctx, "history")).Should(Equal([]string{"5.0.0", "4.0.0", "3.0.0"}))
		Eventually(keptOf(ctx, "history")).Should(HaveLen(3))
		Expect(p.health(kindOf("history"))()).To(Equal("Healthy"))

		old := get(ctx, "history").Status.History[1]
		change(ctx, "history", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Revision = old.Revision })
		Eventually(conditions(ctx, "history")).Should(ContainElements("Fetched True Kept", "Active True Active"))
		Expect(p.health(kindOf("history"))()).To(Equal("Unhealthy"))
		Eventually(versions(ctx, "history")).Should(Equal([]string{"4.0.0", "5.0.0", "3.0.0"}))

		change(ctx, "history", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Revision = strings.Repeat("0", 64) })
		Eventually(conditions(ctx, "history")).Should(ContainElements(
			And(HavePrefix("Fetched False NotKept: "), ContainSubstring(old.Revision)),
			And(HavePrefix("Active False NotKept: "), ContainSubstring("(4.0.0) stays active")),
		))
		Expect(p.health(kindOf("history"))()).To(Equal("Unhealthy"))

		change(ctx, "history", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Revision = "" })
		Eventually(conditions(ctx, "history")).Should(Equal(active))
		Expect(versions(ctx, "history")()).To(Equal([]string{"5.0.0", "4.0.0", "3.0.0"}))
	})

	It("has the values of its parameters", func(ctx SpecContext) {
		p := start()
		bundle := with(files("valued", "1.0.0", `params.answer == "yes"`), "bundle.yaml", `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: valued}
spec:
  kinds: [{group: valued.example.com, versions: [v1], kind: Site}]
  parameters: [{name: answer, default: "yes", values: ["yes", "no"]}]
`)
		create(ctx, inline("valued", bundle))
		Eventually(conditions(ctx, "valued")).Should(Equal(active))
		Expect(p.health(kindOf("valued"))()).To(Equal("Healthy"))
		change(ctx, "valued", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Parameters = map[string]string{"answer": "no"} })
		Eventually(p.health(kindOf("valued"))).Should(Equal("Unhealthy"))
		Eventually(conditions(ctx, "valued")).Should(Equal(active))
		Expect(get(ctx, "valued").Status.Active.Parameters).To(HaveKeyWithValue("answer", "no"))

		change(ctx, "valued", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Parameters = map[string]string{"answer": "maybe"} })
		Eventually(conditions(ctx, "valued")).Should(ContainElement(And(HavePrefix("Active False Refused: "), ContainSubstring(`parameter answer cannot be "maybe"`))))
		Expect(p.health(kindOf("valued"))()).To(Equal("Unhealthy"))
		Expect(p.stop()).To(Succeed())

		again := start()
		Expect(again.health(kindOf("valued"))()).To(Equal("Unhealthy"), "with the values that were active")
	})

	It("waits for one that answers the same", func(ctx SpecContext) {
		p := start()
		create(ctx, inline("first", files("same", "1.0.0", "true")))
		Eventually(conditions(ctx, "first")).Should(Equal(active))
		create(ctx, inline("second", files("same", "2.0.0", "false")))
		Eventually(conditions(ctx, "second")).Should(ContainElement(And(HavePrefix("Checked False Failed: "), ContainSubstring("scriptbundle/first"))))
		Expect(p.health(kindOf("same"))()).To(Equal("Healthy"))
		Expect(hub.Client.Delete(ctx, get(ctx, "first"))).To(Succeed())
		Eventually(conditions(ctx, "second")).Should(Equal(active))
		Expect(p.health(kindOf("same"))()).To(Equal("Unhealthy"))
	})

	It("follows its ConfigMap", func(ctx SpecContext) {
		p := start()
		data := map[string]string{}
		for name, text := range files("mapped", "1.0.0", "true") {
			data[strings.ReplaceAll(name, "/", ".")] = text
		}
		namespace, err := hub.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		source := interpreterv1alpha1.BundleSource{ConfigMap: &interpreterv1alpha1.ObjectName{Namespace: namespace, Name: "scripts"}}
		create(ctx, &interpreterv1alpha1.ScriptBundle{ObjectMeta: metav1.ObjectMeta{Name: "mapped"}, Spec: interpreterv1alpha1.ScriptBundleSpec{Source: source}})
		Eventually(conditions(ctx, "mapped")).Should(ContainElement(And(HavePrefix("Fetched False Unreachable: spec.source.configMap: "), ContainSubstring("not found"))))

		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "scripts"}, Data: data}
		Expect(hub.Client.Create(ctx, m)).To(Succeed())
		Eventually(conditions(ctx, "mapped")).Should(Equal(active))
		Expect(p.health(kindOf("mapped"))()).To(Equal("Healthy"))

		m.Data["Site.health.lua"] = "function InterpretHealth(obj)\n  return false\nend\n"
		Expect(hub.Client.Update(ctx, m)).To(Succeed())
		Eventually(p.health(kindOf("mapped"))).Should(Equal("Unhealthy"))

		Expect(hub.Client.Delete(ctx, m)).To(Succeed())
		Eventually(conditions(ctx, "mapped")).Should(ContainElement(And(HavePrefix("Fetched False Unreachable: "), ContainSubstring("what is active stays"))))
		Expect(p.health(kindOf("mapped"))()).To(Equal("Unhealthy"))
	})

	It("comes from a registry, signed by one of its keys, and is active again when the registry is away", func(ctx SpecContext) {
		p, r := start(), newRegistry()
		mine, err := sign.Generate()
		Expect(err).NotTo(HaveOccurred())
		other, err := sign.Generate()
		Expect(err).NotTo(HaveOccurred())
		public, err := mine.Public.PEM()
		Expect(err).NotTo(HaveOccurred())
		reference, _ := r.push(ctx, "shipped", "stable", files("shipped", "1.0.0", "true"), &other)
		signed := fromRegistry("shipped", reference)
		signed.Spec.Keys = []interpreterv1alpha1.BundleKey{{Name: "acme", PublicKey: string(public)}}
		create(ctx, signed)
		Eventually(conditions(ctx, "shipped")).Should(ContainElements(
			"Fetched True Fetched",
			And(HavePrefix("Verified False NotSigned: "), ContainSubstring("signed by "+other.Public.ID)),
			And(HavePrefix("Active False NotSigned: ")),
		))
		Expect(p.health(kindOf("shipped"))()).To(ContainSubstring("no script answers"))

		_, digest := r.push(ctx, "shipped", "stable", files("shipped", "1.0.1", "true"), &mine)
		refresh(ctx, "shipped")
		Eventually(conditions(ctx, "shipped")).Should(Equal(active))
		b := get(ctx, "shipped")
		Expect(b.Status.Active.Digest).To(Equal(digest))
		Expect(b.Status.Active.SignedBy).To(Equal("acme"))

		By("another one under the tag that is not signed")
		r.push(ctx, "shipped", "stable", files("shipped", "1.0.2", "false"), nil)
		refresh(ctx, "shipped")
		Eventually(conditions(ctx, "shipped")).Should(ContainElement(And(HavePrefix("Active False NotSigned: "), ContainSubstring("(1.0.1) stays active"))))
		Expect(p.health(kindOf("shipped"))()).To(Equal("Healthy"))
		Expect(p.stop()).To(Succeed())

		By("a start while the registry is away")
		r.setAway(true)
		again := start()
		Expect(again.health(kindOf("shipped"))()).To(Equal("Healthy"), "before any controller runs")
		Eventually(conditions(ctx, "shipped")).Should(ContainElement(And(HavePrefix("Fetched False Unreachable: "), ContainSubstring("what is active stays"))))
		Expect(get(ctx, "shipped").Status.Active.Version).To(Equal("1.0.1"))

		By("a rollback while it is away is possible, and a revision that nobody kept is none")
		change(ctx, "shipped", func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Revision = b.Status.Active.Revision })
		Eventually(conditions(ctx, "shipped")).Should(ContainElements("Fetched True Kept", "Active True Active"))
	})
})

// refresh has the source of a ScriptBundle read now.
func refresh(ctx context.Context, name string) {
	GinkgoHelper()
	b := get(ctx, name)
	base := b.DeepCopy()
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, "example.com/refresh", b.ResourceVersion)
	Expect(hub.Client.Patch(ctx, b, client.MergeFrom(base))).To(Succeed())
}
