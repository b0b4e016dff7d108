// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// many has every labeled ConfigMap of its namespace go everywhere.
const many = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: many
spec:
  resourceSelectors:
    - apiVersion: v1
      kind: ConfigMap
      labelSelector:
        matchLabels:
          app: many
`

// wide has one namespace go everywhere by a policy of its own.
const wide = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata:
  name: %[1]s
spec:
  resourceSelectors:
    - apiVersion: v1
      kind: Namespace
      name: %[1]s
`

// north labels a namespace in one member.
const north = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata:
  name: %[1]s
spec:
  resourceSelectors:
    - apiVersion: v1
      kind: Namespace
      name: %[1]s
  overrideRules:
    - targetCluster:
        clusterNames: [member1]
      overriders:
        labelsOverrider:
          - operator: add
            value: {zone: north}
`

// space creates a namespace in the control plane alone, with the policy of many.
func space(ctx context.Context, labels map[string]string) *corev1.Namespace {
	GinkgoHelper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "space-", Labels: labels}}
	Expect(env.Hub.Create(ctx, n)).To(Succeed())
	env.Apply(ctx, n.Name, many)
	return n
}

// fill creates ConfigMaps in a namespace that go to every member.
func fill(ctx context.Context, namespace string, n int) {
	GinkgoHelper()
	for i := range n {
		Expect(env.Hub.Create(ctx, settings(namespace, i))).To(Succeed())
	}
}

func settings(namespace string, i int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("settings-%d", i), Labels: map[string]string{"app": "many"}},
		Data:       map[string]string{"k": "v"},
	}
}

// arrived expects the ConfigMaps of a namespace in members.
func arrived(ctx context.Context, namespace string, n int, members ...*fleet.Cluster) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		for _, m := range members {
			list := &corev1.ConfigMapList{}
			g.Expect(env.At(m.Name).List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{"app": "many"})).To(Succeed())
			g.Expect(list.Items).To(HaveLen(n), m.Name)
		}
	}).Should(Succeed())
}

// noNamespace expects that servers do not have a namespace.
func noNamespace(ctx context.Context, g Gomega, name string, servers ...client.Client) {
	GinkgoHelper()
	for i, c := range servers {
		n := &corev1.Namespace{}
		err := c.Get(ctx, client.ObjectKey{Name: name}, n)
		g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "server %d has namespace %s: %v, %v", i, name, n.Status, n.DeletionTimestamp)
	}
}

// worksAbout lists the Works of a namespace and of what is in it, in some members.
func worksAbout(ctx context.Context, namespace string, members ...*fleet.Cluster) ([]string, error) {
	var all []string
	for _, m := range members {
		list := &workv1alpha1.WorkList{}
		if err := env.Hub.List(ctx, list, client.InNamespace("karmada-es-"+m.Name)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			a := list.Items[i].Annotations
			if a["propagation.dragoman.io/namespace"] == namespace || a["resourcebinding.karmada.io/namespace"] == namespace ||
				a["clusterresourcebinding.karmada.io/name"] == namespace+"-namespace" {
				all = append(all, m.Name+"/"+list.Items[i].Name)
			}
		}
	}
	return all, nil
}

// clientsOf returns clients of members.
func clientsOf(members ...*fleet.Cluster) []client.Client {
	GinkgoHelper()
	all := make([]client.Client, len(members))
	for i, m := range members {
		all[i] = env.At(m.Name)
	}
	return all
}

// ended expects that nothing is left of a namespace in the control plane and in members.
func ended(ctx context.Context, namespace string, members ...*fleet.Cluster) {
	GinkgoHelper()
	servers := append(clientsOf(members...), env.Hub)
	Eventually(func(g Gomega) {
		noNamespace(ctx, g, namespace, servers...)
		g.Expect(worksAbout(ctx, namespace, members...)).To(BeEmpty())
	}).Should(Succeed())
}

var _ = Describe("a namespace", func() {
	It("comes with labels, annotations and overrides, which are kept in line", func(ctx SpecContext) {
		n := space(ctx, map[string]string{"team": "red"})
		Expect(env.Hub.Create(ctx, fixture.Document(fmt.Sprintf(north, n.Name)))).To(Succeed())
		fill(ctx, n.Name, 1)
		arrived(ctx, n.Name, 1, env.Members...)
		before := n.DeepCopy()
		n.Labels["team"], n.Annotations = "blue", map[string]string{"note": "new"}
		Expect(env.Hub.Patch(ctx, n, client.MergeFrom(before))).To(Succeed())
		Eventually(func(g Gomega) {
			for _, m := range env.Members {
				in := &corev1.Namespace{}
				g.Expect(env.At(m.Name).Get(ctx, client.ObjectKeyFromObject(n), in)).To(Succeed())
				g.Expect(in.Labels).To(HaveKeyWithValue("team", "blue"))
				g.Expect(in.Annotations).To(HaveKeyWithValue("note", "new"))
				if m.Name == "member1" {
					g.Expect(in.Labels).To(HaveKeyWithValue("zone", "north"))
				} else {
					g.Expect(in.Labels).NotTo(HaveKey("zone"))
				}
			}
		}).Should(Succeed())

		By("taking the label of a user's out of line in a member")
		in := &corev1.Namespace{}
		Expect(env.At("member2").Get(ctx, client.ObjectKeyFromObject(n), in)).To(Succeed())
		before = in.DeepCopy()
		in.Labels["team"] = "green"
		Expect(env.At("member2").Patch(ctx, in, client.MergeFrom(before))).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(env.At("member2").Get(ctx, client.ObjectKeyFromObject(n), in)).To(Succeed())
			g.Expect(in.Labels).To(HaveKeyWithValue("team", "blue"))
		}).Should(Succeed())
		Expect(env.Hub.Delete(ctx, n)).To(Succeed())
		ended(ctx, n.Name, env.Members...)
	}, NodeTimeout(10*time.Minute))

	It("ends in order on all sides, with 60 ConfigMaps in it, also when the manager is killed meanwhile", func(ctx SpecContext) {
		n := space(ctx, nil)
		fill(ctx, n.Name, 60)
		arrived(ctx, n.Name, 60, env.Members...)
		Expect(env.Hub.Delete(ctx, n)).To(Succeed())
		env.KillManager(ctx)
		env.StartManager()
		ended(ctx, n.Name, env.Members...)
	}, NodeTimeout(10*time.Minute))

	It("is taken over by a policy of its own, and ends with what is in it", func(ctx SpecContext) {
		n := space(ctx, nil)
		fill(ctx, n.Name, 20)
		arrived(ctx, n.Name, 20, env.Members...)
		policy := fixture.Document(fmt.Sprintf(wide, n.Name))
		Expect(env.Hub.Create(ctx, policy)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, policy))).To(Succeed()) })
		Eventually(func(g Gomega) {
			for _, m := range env.Members {
				in := &corev1.Namespace{}
				g.Expect(env.At(m.Name).Get(ctx, client.ObjectKeyFromObject(n), in)).To(Succeed())
				g.Expect(in.Annotations).To(HaveKey("clusterresourcebinding.karmada.io/name"), m.Name)
			}
		}).Should(Succeed())
		Expect(env.Hub.Delete(ctx, n)).To(Succeed())
		ended(ctx, n.Name, env.Members...)
	}, NodeTimeout(10*time.Minute))

	It("comes again while the old one still ends in a member", func(ctx SpecContext) {
		n := space(ctx, nil)
		fill(ctx, n.Name, 1)
		arrived(ctx, n.Name, 1, env.Members...)
		By("having something hold it in member1")
		member := env.At("member1")
		holding := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: n.Name, Name: "holding", Finalizers: []string{"example.com/hold"}}}
		Expect(member.Create(ctx, holding)).To(Succeed())
		Expect(member.Delete(ctx, holding)).To(Succeed())
		Expect(env.Hub.Delete(ctx, n)).To(Succeed())
		Eventually(func(g Gomega) {
			noNamespace(ctx, g, n.Name, env.Hub)
			in := &corev1.Namespace{}
			g.Expect(member.Get(ctx, client.ObjectKeyFromObject(n), in)).To(Succeed())
			g.Expect(in.DeletionTimestamp).NotTo(BeNil())
		}).Should(Succeed())

		By("creating it again")
		again := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: map[string]string{"team": "new"}}}
		Expect(env.Hub.Create(ctx, again)).To(Succeed())
		env.Apply(ctx, n.Name, many)
		fill(ctx, n.Name, 2)
		arrived(ctx, n.Name, 2, env.Members[1:]...)
		Expect(member.Get(ctx, client.ObjectKeyFromObject(holding), holding)).To(Succeed())
		before := holding.DeepCopy()
		holding.Finalizers = nil
		Expect(member.Patch(ctx, holding, client.MergeFrom(before))).To(Succeed())
		arrived(ctx, n.Name, 2, env.Members...)
		Eventually(func(g Gomega) {
			for _, c := range clientsOf(env.Members...) {
				in := &corev1.Namespace{}
				g.Expect(c.Get(ctx, client.ObjectKeyFromObject(n), in)).To(Succeed())
				g.Expect(in.Labels).To(HaveKeyWithValue("team", "new"))
			}
		}).Should(Succeed())
		Expect(env.Hub.Delete(ctx, again)).To(Succeed())
		ended(ctx, n.Name, env.Members...)
	}, NodeTimeout(10*time.Minute))

	It("ends where members answer, and where one does not, once it returns", func(ctx SpecContext) {
		n := space(ctx, nil)
		fill(ctx, n.Name, 20)
		arrived(ctx, n.Name, 20, env.Members...)
		lost, others := env.Members[2], env.Members[:2]
		Expect(env.Cut(lost)).To(Succeed())
		restored := false
		DeferCleanup(func(ctx SpecContext) {
			if !restored {
				Expect(env.Restore(ctx, lost)).To(Succeed())
			}
			env.AwaitReady(ctx, lost.Name)
			env.AwaitWorkloads(ctx, lost.Name)
		})
		Expect(env.Hub.Delete(ctx, n)).To(Succeed())
		ended(ctx, n.Name, others...)
		Expect(worksAbout(ctx, n.Name, lost)).To(HaveLen(21), "what waits for the member stays known")

		Expect(env.Restore(ctx, lost)).To(Succeed())
		restored = true
		ended(ctx, n.Name, env.Members...)
	}, NodeTimeout(10*time.Minute))
})
