// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// lagEach is how many templates come each time the manager was stopped. It gets the events of all
// watches at once then, so that their order is by chance.
const lagEach = 5

// lagRounds is how often it is stopped: the environment variable LAG_ROUNDS, or 3.
var lagRounds = sync.OnceValue(func() int {
	text, set := os.LookupEnv("LAG_ROUNDS")
	if !set {
		return 3
	}
	rounds, err := strconv.Atoi(text)
	if err != nil || rounds < 1 {
		panic(fmt.Sprintf("LAG_ROUNDS is %q, want a number above 0", text))
	}
	return rounds
})

// lagging applies something with a manager that is stopped meanwhile, in each of the rounds.
func lagging(apply func(round int)) {
	GinkgoHelper()
	for round := range lagRounds() {
		Expect(env.Manager.Pause()).To(Succeed())
		apply(round)
		Expect(env.Manager.Resume()).To(Succeed())
	}
}

// lagNames returns the names of the templates of a round, or of all rounds.
func lagNames(prefix string, rounds ...int) (names []string) {
	if len(rounds) == 0 {
		for round := range lagRounds() {
			rounds = append(rounds, round)
		}
	}
	for _, round := range rounds {
		for i := range lagEach {
			names = append(names, fmt.Sprintf("%s%d-%d", prefix, round, i))
		}
	}
	return names
}

// versionsSeen returns what a function says about each version of the objects of a kind that a
// member has in a namespace, or in all, since the call; it says "" about what is right.
func versionsSeen(ctx context.Context, member, namespace string, kind schema.GroupVersionKind, wrong func(watch.EventType, *unstructured.Unstructured) string) func() []string {
	GinkgoHelper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	w, err := env.At(member).Watch(ctx, list, client.InNamespace(namespace))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var (
		mu  sync.Mutex
		all []string
	)
	go func() {
		for event := range w.ResultChan() {
			o, is := event.Object.(*unstructured.Unstructured)
			if !is || event.Type == watch.Bookmark {
				continue
			}
			if what := wrong(event.Type, o); what != "" {
				mu.Lock()
				all = append(all, what)
				mu.Unlock()
			}
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// presentIn waits until a member has objects of some names.
func presentIn(ctx context.Context, member, namespace string, kind schema.GroupVersionKind, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		Eventually(func() error {
			return env.At(member).Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, fixture.Object(kind, namespace, name, nil))
		}).Should(Succeed(), "%s in %s", name, member)
	}
}

// seenByManager waits until the manager has looked at a policy.
func seenByManager(ctx context.Context, namespace string, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		Eventually(func(g Gomega) {
			p := &policyv1alpha1.PropagationPolicy{}
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, p)).To(Succeed())
			g.Expect(p.Labels[policyv1alpha1.PropagationPolicyPermanentIDLabel]).NotTo(BeEmpty())
		}).Should(Succeed())
	}
}

var (
	configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")
)

// emptyAfter removes the templates of a kind from namespaces at the end of the spec, and waits for
// the end of their copies: evictions from a member are paced, and other specs would wait for each.
func emptyAfter(kind schema.GroupVersionKind, namespaces ...string) {
	GinkgoHelper()
	DeferCleanup(func(ctx SpecContext) {
		for _, namespace := range namespaces {
			Expect(env.Hub.DeleteAllOf(ctx, fixture.Object(kind, namespace, "", nil), client.InNamespace(namespace))).To(Succeed())
		}
		for _, namespace := range namespaces {
			env.NoWorks(ctx, namespace)
		}
	})
}

// createConfigMaps creates ConfigMaps of names.
func createConfigMaps(ctx context.Context, namespace string, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		Expect(env.Hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})).To(Succeed())
	}
}

// anyVersion names each object.
func anyVersion(_ watch.EventType, o *unstructured.Unstructured) string { return o.GetName() }

var _ = Describe("what is applied right before its template, while the manager lags,", Ordered, ContinueOnFailure, func() {
	BeforeAll(func() {
		// A manager that is stopped cannot renew its lease.
		env.RestartManager("--leader-elect-lease-duration=2m", "--leader-elect-renew-deadline=90s")
		DeferCleanup(func() { env.RestartManager() })
	})

	It("places it, where it is an edit of the policy's placement", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		emptyAfter(configMapKind, space)
		for _, name := range lagNames("c") {
			env.Apply(ctx, space, placing("v1", "ConfigMap", name, toMember1))
		}
		seenByManager(ctx, space, lagNames("c")...)
		seen := versionsSeen(ctx, "member1", space, configMapKind, anyVersion)
		busy := crowd(ctx, space, crowdOfPolicies)
		const edit = `{"spec":{"placement":{"clusterAffinity":{"clusterNames":["member2"]}}}}`
		lagging(func(round int) {
			busy(round)
			for _, name := range lagNames("c", round) {
				p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
				Expect(env.Hub.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(edit)))).To(Succeed())
			}
			createConfigMaps(ctx, space, lagNames("c", round)...)
		})
		presentIn(ctx, "member2", space, configMapKind, lagNames("c")...)
		Expect(seen()).To(BeEmpty())
	}, NodeTimeout(8*time.Minute))

	It("places it, where it is an edit by which a policy selects it", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		emptyAfter(configMapKind, space)
		env.Apply(ctx, space, everyConfigMap)
		for _, name := range lagNames("c") {
			env.Apply(ctx, space, placing("v1", "ConfigMap", name, "{clusterAffinity: {clusterNames: [member2]}}\n  priority: 5"))
			p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
			Expect(env.Hub.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"resourceSelectors":[{"apiVersion":"v1","kind":"ConfigMap","name":"none"}]}}`)))).To(Succeed())
		}
		seenByManager(ctx, space, append(lagNames("c"), "all")...)
		busy := crowd(ctx, space, crowdOfPolicies)
		createConfigMaps(ctx, space, "first")
		presentIn(ctx, "member1", space, configMapKind, "first")
		seen := versionsSeen(ctx, "member1", space, configMapKind, func(_ watch.EventType, o *unstructured.Unstructured) string {
			if o.GetName() == "first" {
				return ""
			}
			return o.GetName()
		})
		lagging(func(round int) {
			busy(round)
			for _, name := range lagNames("c", round) {
				p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}}
				edit := fmt.Appendf(nil, `{"spec":{"resourceSelectors":[{"apiVersion":"v1","kind":"ConfigMap","name":%q}]}}`, name)
				Expect(env.Hub.Patch(ctx, p, client.RawPatch(types.MergePatchType, edit))).To(Succeed())
			}
			createConfigMaps(ctx, space, lagNames("c", round)...)
		})
		for _, name := range lagNames("c") {
			Eventually(func(g Gomega) {
				o := &corev1.ConfigMap{}
				g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, o)).To(Succeed())
				g.Expect(o.Annotations).To(HaveKey(policyv1alpha1.PropagationPolicyNameAnnotation))
			}).Should(Succeed())
		}
		Expect(seen()).To(BeEmpty())
		presentIn(ctx, "member2", space, configMapKind, lagNames("c")...)
	}, NodeTimeout(8*time.Minute))

	It("changes each version of its copies, where it is an override policy that the policy names", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		emptyAfter(configMapKind, space)
		env.Apply(ctx, space, everyConfigMap)
		seenByManager(ctx, space, "all")
		seen := versionsSeen(ctx, "member1", space, configMapKind, func(_ watch.EventType, o *unstructured.Unstructured) string {
			if o.GetLabels()["zone"] == "north" {
				return ""
			}
			return o.GetName()
		})
		busy := crowd(ctx, space, crowdOfOverrides)
		lagging(func(round int) {
			busy(round)
			for _, name := range lagNames("c", round) {
				env.Apply(ctx, space, fmt.Sprintf(`
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: %[1]s}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: %[1]s}]
  overrideRules:
    - overriders: {labelsOverrider: [{operator: add, value: {zone: north}}]}
`, name))
				env.Apply(ctx, space, placing("v1", "ConfigMap", name, toMember1)+fmt.Sprintf("  priority: 5\n  dependentOverrides: [%s]\n", name))
			}
			createConfigMaps(ctx, space, lagNames("c", round)...)
		})
		presentIn(ctx, "member1", space, configMapKind, lagNames("c")...)
		Expect(seen()).To(BeEmpty())
	}, NodeTimeout(8*time.Minute))

	It("divides it, where it is a customization", func(ctx SpecContext) {
		env.Serve(ctx, fixture.Definition(poolKind, apiextensionsv1.NamespaceScoped))
		space := env.Namespace(ctx)
		emptyAfter(poolKind, space)
		env.Apply(ctx, space, `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: pools}
spec:
  resourceSelectors: [{apiVersion: pools.dev/v1, kind: Pool}]
  placement:
    clusterAffinity: {clusterNames: [member1, member2]}
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - {targetCluster: {clusterNames: [member1]}, weight: 1}
          - {targetCluster: {clusterNames: [member2]}, weight: 1}
`)
		seenByManager(ctx, space, "pools")
		pool := func(name string) *unstructured.Unstructured {
			return fixture.Object(poolKind, space, name, map[string]any{"spec": map[string]any{"size": int64(4)}})
		}
		Expect(env.Hub.Create(ctx, pool("first"))).To(Succeed())
		counted := func(replicas int) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				b, err := env.Binding(ctx, space, "first-pool")()
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(b.Spec.Replicas).To(BeEquivalentTo(replicas))
			}).Should(Succeed())
		}
		counted(0)
		wrong := func(member string) func() []string {
			return versionsSeen(ctx, member, space, poolKind, func(of watch.EventType, o *unstructured.Unstructured) string {
				size, _, _ := unstructured.NestedInt64(o.Object, "spec", "size")
				if o.GetName() == "first" || of == watch.Deleted || size == 2 {
					return ""
				}
				return fmt.Sprintf("%s: %d", o.GetName(), size)
			})
		}
		seen1, seen2 := wrong("member1"), wrong("member2")
		busy := crowd(ctx, "", crowdOfCustomizations)
		lagging(func(round int) {
			if round > 0 {
				Expect(env.Manager.Resume()).To(Succeed())
				counted(4)
				presentIn(ctx, "member1", space, poolKind, lagNames("c", round-1)...)
				presentIn(ctx, "member2", space, poolKind, lagNames("c", round-1)...)
				for _, name := range lagNames("c", round-1) {
					Expect(env.Hub.Delete(ctx, pool(name))).To(Succeed())
				}
				for _, name := range lagNames("c", round-1) {
					for _, member := range []string{"member1", "member2"} {
						Eventually(func() (bool, error) { return env.Present(ctx, member, pool(name)) }).Should(BeFalse())
					}
				}
				Expect(env.Hub.Delete(ctx, poolCustomization(poolReplicas))).To(Succeed())
				counted(0)
				Expect(env.Manager.Pause()).To(Succeed())
			}
			busy(round)
			Expect(env.Hub.Create(ctx, poolCustomization(poolReplicas))).To(Succeed())
			for _, name := range lagNames("c", round) {
				Expect(env.Hub.Create(ctx, pool(name))).To(Succeed())
			}
		})
		DeferCleanup(func(ctx SpecContext) {
			Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, poolCustomization(poolReplicas)))).To(Succeed())
		})
		counted(4)
		presentIn(ctx, "member1", space, poolKind, lagNames("c", lagRounds()-1)...)
		presentIn(ctx, "member2", space, poolKind, lagNames("c", lagRounds()-1)...)
		Expect(append(seen1(), seen2()...)).To(BeEmpty())
	}, NodeTimeout(8*time.Minute))

	It("comes before it with its labels, where it is its namespace", func(ctx SpecContext) {
		prefix := env.Namespace(ctx)
		policy := fixture.Document(fmt.Sprintf(`
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: %[1]s}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {lag: %[1]s}}}]
  placement: {clusterAffinity: {clusterNames: [member1]}}
`, prefix))
		Expect(env.Hub.Create(ctx, policy)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(env.Hub.Delete(ctx, policy)).To(Succeed()) })
		emptyAfter(configMapKind, lagNames(prefix)...)
		seen := versionsSeen(ctx, "member1", "", namespaceKind, func(of watch.EventType, o *unstructured.Unstructured) string {
			if of == watch.Deleted || !slices.Contains(lagNames(prefix), o.GetName()) || o.GetLabels()["team"] == "red" {
				return ""
			}
			return fmt.Sprintf("%s %s %v", of, o.GetName(), o.GetLabels())
		})
		lagging(func(round int) {
			for _, name := range lagNames(prefix, round) {
				Expect(env.Hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": "red"}}})).To(Succeed())
			}
			for _, name := range lagNames(prefix, round) {
				Expect(env.Hub.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "lag", Labels: map[string]string{"lag": prefix}}})).To(Succeed())
			}
		})
		for _, name := range lagNames(prefix) {
			presentIn(ctx, "member1", name, configMapKind, "lag")
		}
		Expect(seen()).To(BeEmpty())
	}, NodeTimeout(8*time.Minute))
})
