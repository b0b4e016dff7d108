// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// poolKind is a kind that nothing is known of, with replicas in spec.size.
var poolKind = schema.GroupVersionKind{Group: "pools.dev", Version: "v1", Kind: "Pool"}

const poolOfThree = `
apiVersion: pools.dev/v1
kind: Pool
metadata: {name: pool}
spec: {size: 3}
`

// Scripts by which a Pool has replicas.
const (
	poolReplicas = "function GetReplicas(obj)\n  return obj.spec.size, nil\nend\n"
	poolRevise   = "function ReviseReplica(obj, n)\n  obj.spec.size = n\n  return obj\nend\n"
)

// poolBundle is a ConfigMap with a bundle of them.
var poolBundle = map[string]string{
	"bundle.yaml": `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: pools}
spec:
  kinds: [{group: pools.dev, versions: [v1], kind: Pool}]
`,
	"Pool.replicas.lua": "function GetReplicas(obj)\n  return obj.spec.size, nil\nend\n",
	"Pool.revise.lua":   poolRevise,
}

// poolCustomization has Pools counted.
func poolCustomization(replicas string) *configv1alpha1.ResourceInterpreterCustomization {
	return &configv1alpha1.ResourceInterpreterCustomization{
		ObjectMeta: metav1.ObjectMeta{Name: "pools"},
		Spec: configv1alpha1.ResourceInterpreterCustomizationSpec{
			Target: configv1alpha1.CustomizationTarget{APIVersion: "pools.dev/v1", Kind: "Pool"},
			Customizations: configv1alpha1.CustomizationRules{
				ReplicaResource: &configv1alpha1.Script{LuaScript: replicas}, ReplicaRevision: &configv1alpha1.Script{LuaScript: poolRevise},
			},
		},
	}
}

// poolsSeen returns the size and generation of each version of the Pools that a namespace of the
// members has had since the call.
func poolsSeen(ctx context.Context, namespace string) func() []string {
	GinkgoHelper()
	return env.Versions(ctx, poolKind, namespace, func(member string, is watch.EventType, pool *unstructured.Unstructured) string {
		size, _, _ := unstructured.NestedInt64(pool.Object, "spec", "size")
		return fmt.Sprintf("%s %s: %d, generation %d", is, member, size, pool.GetGeneration())
	})
}

// poolScriptBundle is a ScriptBundle of the bundle in poolBundle.
func poolScriptBundle() *interpreterv1alpha1.ScriptBundle {
	files := map[string]string{}
	for key, text := range poolBundle {
		files[strings.Replace(key, "Pool.", "Pool/", 1)] = text
	}
	b := &interpreterv1alpha1.ScriptBundle{ObjectMeta: metav1.ObjectMeta{Name: "pools"}}
	b.Spec.Source.Inline = &interpreterv1alpha1.InlineSource{Files: files}
	return b
}

var _ = Describe("a kind that begins to have replicas while its objects run", Ordered, func() {
	// unchanged has a Pool go to all members, and expects that nothing but the first size is seen
	// of it there while it begins and ceases to have replicas.
	unchanged := func(ctx SpecContext, begin, cease func()) {
		GinkgoHelper()
		env.Serve(ctx, fixture.Definition(poolKind, apiextensionsv1.NamespaceScoped))
		space := env.Namespace(ctx)
		env.Apply(ctx, space, placing("pools.dev/v1", "Pool", "pool", "{}"))
		env.Apply(ctx, space, poolOfThree)
		counted := func(replicas int, targets ...string) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				b, err := env.Binding(ctx, space, "pool-pool")()
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(b.Spec.Replicas).To(BeEquivalentTo(replicas))
				g.Expect(fixture.TargetsOf(b)).To(ConsistOf(targets))
				g.Expect(b.Status.SchedulerObservedGeneration).To(Equal(b.Generation))
			}).Should(Succeed())
		}
		counted(0, "member1:0", "member2:0", "member3:0")
		for _, m := range env.Members {
			Eventually(func() error {
				pool := &unstructured.Unstructured{}
				pool.SetGroupVersionKind(poolKind)
				return env.At(m.Name).Get(ctx, client.ObjectKey{Namespace: space, Name: "pool"}, pool)
			}).Should(Succeed())
		}
		seen := poolsSeen(ctx, space)
		for range 3 {
			begin()
			counted(3, "member1:3", "member2:3", "member3:3")
			cease()
			counted(0, "member1:0", "member2:0", "member3:0")
		}
		for _, s := range seen() {
			Expect(s).To(MatchRegexp(`: 3, generation 1$`))
		}
		Expect(seen()).To(HaveLen(3), "nothing was written but what was there first")
	}

	It("has them by a customization, with nothing written to the members", func(ctx SpecContext) {
		cr := poolCustomization(poolReplicas)
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, cr))).To(Succeed()) })
		unchanged(ctx, func() {
			cr = poolCustomization(poolReplicas)
			Expect(env.Hub.Create(ctx, cr)).To(Succeed())
		}, func() { Expect(env.Hub.Delete(ctx, cr)).To(Succeed()) })
	}, NodeTimeout(10*time.Minute))

	It("has them by a script that was repaired, with nothing written to the members", func(ctx SpecContext) {
		const failing = "function GetReplicas(obj)\n  return obj.spec.none.size, nil\nend\n"
		cr := poolCustomization(failing)
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, cr))).To(Succeed()) })
		unchanged(ctx, func() {
			cr = poolCustomization(failing)
			Expect(env.Hub.Create(ctx, cr)).To(Succeed())
			before := cr.DeepCopy() // its status is written meanwhile
			cr.Spec.Customizations.ReplicaResource.LuaScript = poolReplicas
			Expect(env.Hub.Patch(ctx, cr, client.MergeFrom(before))).To(Succeed())
		}, func() { Expect(env.Hub.Delete(ctx, cr)).To(Succeed()) })
	}, NodeTimeout(10*time.Minute))

	It("has them by a bundle, with nothing written to the members", func(ctx SpecContext) {
		dir := filepath.Join(bundles, "pools")
		DeferCleanup(func() { Expect(os.RemoveAll(dir)).To(Succeed()) })
		round := 0
		unchanged(ctx, func() {
			round++
			coming := filepath.Join(bundles, fmt.Sprintf(".pools%d", round))
			mount(coming, "..2026_01_01", poolBundle)
			Expect(os.Rename(coming, dir)).To(Succeed())
		}, func() { Expect(os.Rename(dir, filepath.Join(bundles, fmt.Sprintf(".gone%d", round)))).To(Succeed()) })
	}, NodeTimeout(10*time.Minute))

	It("has them by its first ScriptBundle, with nothing written to the members", func(ctx SpecContext) {
		b := poolScriptBundle()
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, b))).To(Succeed()) })
		unchanged(ctx, func() {
			b = poolScriptBundle()
			Expect(env.Hub.Create(ctx, b)).To(Succeed())
		}, func() { Expect(env.Hub.Delete(ctx, b)).To(Succeed()) })
	}, NodeTimeout(10*time.Minute))

	It("has them by another release of the program, with nothing written to the members", func(ctx SpecContext) {
		// The flag that is given last counts. What a release knows is active before its first reconcile.
		release := GinkgoT().TempDir()
		mount(filepath.Join(release, "pools"), "..2026_01_01", poolBundle)
		DeferCleanup(func() { env.RestartManager() })
		unchanged(ctx, func() { env.RestartManager("--bundle-dir", release) }, func() { env.RestartManager() })
	}, NodeTimeout(10*time.Minute))
})
