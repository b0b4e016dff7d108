// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/crds"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// groups returns the CRDs of this control plane by their groups.
func groups() map[string][]*apiextensionsv1.CustomResourceDefinition {
	definitions, err := crds.All()
	if err != nil {
		panic(err) // specs are declared by it
	}
	by := map[string][]*apiextensionsv1.CustomResourceDefinition{}
	for _, d := range definitions {
		by[d.Spec.Group] = append(by[d.Spec.Group], d)
	}
	return by
}

// tried returns the groups that are removed and applied: those without whose objects most is lost, or
// all where the environment variable CRD_GROUPS is "all".
func tried() []string {
	if os.Getenv("CRD_GROUPS") == "all" {
		return slices.Sorted(maps.Keys(groups()))
	}
	return []string{"policy.karmada.io", "work.karmada.io"}
}

// remove deletes CRDs with all their objects, after their protection.
func remove(ctx context.Context, definitions []*apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	for _, d := range definitions {
		served := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: d.Name}}
		Eventually(func() error { // its conditions are written meanwhile
			if err := env.Hub.Get(ctx, client.ObjectKeyFromObject(served), served); err != nil {
				return err
			}
			before := served.DeepCopy()
			delete(served.Labels, policyv1alpha1.DeletionProtectedLabel)
			return env.Hub.Patch(ctx, served, client.MergeFrom(before))
		}).Should(Succeed())
		Eventually(func() error { return env.Hub.Delete(ctx, served) }).Should(Succeed())
	}
	for _, d := range definitions {
		Eventually(func() bool {
			return apierrors.IsNotFound(env.Hub.Get(ctx, client.ObjectKeyFromObject(d), &apiextensionsv1.CustomResourceDefinition{}))
		}).Should(BeTrue(), "%s is gone", d.Name)
	}
}

// copies returns the copies in members of the templates of a name, by member and kind: the
// content, and the UID if it counts.
func copies(ctx context.Context, namespace, name string, uids bool) (map[string]any, error) {
	all := map[string]any{}
	for _, m := range env.Members {
		for _, kind := range copiedKinds {
			o := &unstructured.Unstructured{}
			o.SetGroupVersionKind(kind)
			key := client.ObjectKey{Namespace: namespace, Name: name}
			if kind.Kind == "ClusterRole" {
				key = client.ObjectKey{Name: namespace + "-" + name}
			}
			err := env.At(m.Name).Get(ctx, key, o)
			if apierrors.IsNotFound(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			content := map[string]any{"spec": o.Object["spec"], "data": o.Object["data"], "rules": o.Object["rules"], "zone": o.GetLabels()["zone"], "going": o.GetDeletionTimestamp() != nil}
			if uids {
				content["uid"] = string(o.GetUID())
			}
			all[m.Name+" "+kind.Kind] = content
		}
	}
	return all, nil
}

// where says for each kind which members have it, and in which it is labelled by an override.
var where = map[string]string{
	"member1 Pool": "", "member2 Pool": "", "member1 Gauge": "", "member2 Gauge": "",
	"member1 Deployment": "", "member2 Deployment": "", "member1 ServiceAccount": "",
	"member1 ConfigMap": "north", "member2 ConfigMap": "", "member1 ClusterRole": "north", "member2 ClusterRole": "",
}

// zones returns in which members the copies are, and their label.
func zones(all map[string]any) map[string]string {
	labels := map[string]string{}
	for name, content := range all {
		labels[name] = content.(map[string]any)["zone"].(string)
	}
	return labels
}

// arrive creates templates of a name, and expects their copies as the policies, the overrides,
// the rule, the customization and the bundle have them.
func arrive(ctx context.Context, namespace, name string) {
	GinkgoHelper()
	for _, o := range templates(namespace, name) {
		Expect(env.Hub.Create(ctx, o)).To(Succeed())
	}
	Eventually(func(g Gomega) {
		all, err := copies(ctx, namespace, name, false)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(zones(all)).To(Equal(where))
		for _, kind := range []string{"pool", "gauge"} {
			b, err := env.Binding(ctx, namespace, name+"-"+kind)()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Spec.Replicas).To(BeEquivalentTo(3), kind)
			g.Expect(fixture.TargetsOf(b)).To(ConsistOf("member1:3", "member2:3"), kind)
		}
	}).Should(Succeed(), "templates %s", name)
}

// loaded expects that what the load has written by now is in the members.
func loaded(ctx context.Context, l *load, namespace string) {
	GinkgoHelper()
	wanted, err := settings(ctx, env.Hub, namespace)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(g Gomega) {
		for _, m := range env.Members[:2] {
			got, err := settings(ctx, env.At(m.Name), namespace)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(behind(got, wanted)).To(BeEmpty(), m.Name)
		}
	}).Should(Succeed())
	_, err = l.state()
	Expect(err).NotTo(HaveOccurred())
}

// behind lists the ConfigMaps of the load whose copies are neither as they are wanted nor as the load wrote
// them later: it counts up.
func behind(got, wanted map[string]string) []string {
	var late []string
	for name, data := range wanted {
		if now, there := got[name]; !there || len(now) < len(data) || len(now) == len(data) && now < data {
			late = append(late, name)
		}
	}
	slices.Sort(late)
	return late
}

// unlabelled returns the ConfigMaps of member1 that lose what the override adds from now on. One
// that comes while its policy goes may be made without it.
func unlabelled(ctx context.Context, namespace string) func() []string {
	GinkgoHelper()
	w, err := env.At("member1").Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace), client.MatchingLabels(story))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var (
		mu   sync.Mutex
		seen []string
	)
	go func() {
		had := map[string]bool{}
		for event := range w.ResultChan() {
			o, ok := event.Object.(*corev1.ConfigMap)
			if !ok {
				continue
			}
			has := o.Labels["zone"] == "north"
			if had[o.Name] && !has {
				mu.Lock()
				seen = append(seen, fmt.Sprintf("%s %s", event.Type, o.Name))
				mu.Unlock()
			}
			had[o.Name] = has
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

// settings returns what ConfigMaps of the story have, by name.
func settings(ctx context.Context, c client.Client, namespace string) (map[string]string, error) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("v1")
	list.SetKind("ConfigMapList")
	err := c.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels(story))
	all := map[string]string{}
	for i := range list.Items {
		all[list.Items[i].GetName()], _, _ = unstructured.NestedString(list.Items[i].Object, "data", "k")
	}
	return all, err
}

// decided expects that quotas count, that taint policies taint and that rebalancers answer.
func decided(ctx context.Context, namespace string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		quota := &policyv1alpha1.FederatedResourceQuota{}
		g.Expect(env.Hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "team"}, quota)).To(Succeed())
		placed, err := pods(ctx, namespace)
		g.Expect(err).NotTo(HaveOccurred())
		used := quota.Status.OverallUsed["pods"]
		g.Expect(used.Value()).To(Equal(placed))
		third := &clusterv1alpha1.Cluster{}
		g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: "member3"}, third)).To(Succeed())
		g.Expect(third.Spec.Taints).To(ContainElement(HaveField("Key", "reserved")))
		r := &appsv1alpha1.WorkloadRebalancer{}
		g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: "again"}, r)).To(Succeed())
		g.Expect(r.Status.FinishTime).NotTo(BeNil())
		for _, m := range env.Members {
			c := &clusterv1alpha1.Cluster{}
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: m.Name}, c)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)).To(BeTrue(), m.Name)
		}
	}).Should(Succeed())
}

// pods returns how many pods the bindings of a namespace have in all members.
func pods(ctx context.Context, namespace string) (int64, error) {
	list := &workv1alpha2.ResourceBindingList{}
	err := env.Hub.List(ctx, list, client.InNamespace(namespace))
	n := int64(0)
	for i := range list.Items {
		for _, t := range list.Items[i].Spec.Clusters {
			n += int64(t.Replicas)
		}
	}
	return n, err
}

var _ = Describe("the CRDs of a group that are deleted and applied again under load", Ordered, ContinueOnFailure, func() {
	var (
		space string
		l     *load
		pid   int
	)

	BeforeAll(func(ctx SpecContext) {
		serve(ctx)
		space = env.Namespace(ctx)
		for _, group := range slices.Sorted(maps.Keys(groups())) {
			if group != "cluster.karmada.io" {
				applyGroup(ctx, space, group)
			}
		}
		arrive(ctx, space, "before")
		l = startLoad(space)
		pid = env.Manager.PID()
	})

	for _, group := range tried() {
		definitions := groups()[group]
		It("leave everything as before, of "+group, func(ctx SpecContext) {
			deployed := &appsv1.DeploymentList{}
			Expect(env.Hub.List(ctx, deployed, client.InNamespace(space))).To(Succeed())
			// Who deletes a Work or a Cluster deletes what it sent. All else is knowledge and
			// decisions, whose deletion takes nothing from a member.
			kept := group != "work.karmada.io" && group != "cluster.karmada.io"
			before, err := copies(ctx, space, "before", kept)
			Expect(err).NotTo(HaveOccurred())
			delete(before, "member2 ServiceAccount")
			var seen func() []string
			if kept {
				seen = unlabelled(ctx, space)
			}

			l.create(5)
			By("deleting the CRDs")
			l.allow(5)
			remove(ctx, definitions)
			By("writing on")
			l.create(5)
			By("applying them again")
			Expect(suite.Install(ctx, env.Hub, definitions...)).To(Succeed())
			applyGroup(ctx, space, group)

			By("awaiting new templates")
			arrive(ctx, space, fmt.Sprintf("after-%d", len(deployed.Items)))
			By("awaiting what was written meanwhile")
			loaded(ctx, l, space)
			By("awaiting what was there before")
			Eventually(func() (string, error) {
				now, err := copies(ctx, space, "before", kept)
				// Whoever deletes a rule lets in what it kept out, until that is placed again.
				delete(now, "member2 ServiceAccount")
				return cmp.Diff(before, now), err
			}).Should(BeEmpty())
			By("awaiting quotas, taints and the rebalancer")
			decided(ctx, space)
			if kept {
				Expect(seen()).To(BeEmpty(), "the policy waits for its override")
			}
			Expect(env.Manager.Ended()).NotTo(BeClosed())
			Expect(env.Manager.PID()).To(Equal(pid))
		}, NodeTimeout(10*time.Minute))
	}

	It("are all removed and applied", func() {
		applied := map[string]bool{"Cluster": true}
		for _, o := range inGit(space) {
			applied[o.GetKind()] = true
		}
		for _, definitions := range groups() {
			for _, d := range definitions {
				kind := d.Spec.Names.Kind
				Expect(applied[kind]).NotTo(Equal(written[kind]), "testdata/objects.yaml has a %s, or the controllers write them", kind)
			}
		}
	})
})
