// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	bindingpkg "github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// runs is a kind of job that no controller knows, so that the specs write its status.
var runs = schema.GroupVersionKind{Group: "e2e.dragoman.io", Version: "v1", Kind: "Run"}

// movedRun is a policy that moves a run after some seconds, with its job.
const movedRun = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: run
spec:
  failover:
    application:
      decisionConditions:
        tolerationSeconds: %d
      purgeMode: Directly
      statePreservation:
        rules:
          - aliasLabelName: e2e.dragoman.io/job
            jsonPath: "{ .jobId }"
  resourceSelectors:
    - apiVersion: e2e.dragoman.io/v1
      kind: Run
  placement:
    spreadConstraints:
      - maxGroups: 1
        minGroups: 1
        spreadByField: cluster
`

// installRuns has all API servers serve runs, and a script answer whether one is healthy.
func installRuns(ctx context.Context) {
	GinkgoHelper()
	env.Serve(ctx, fixture.Definition(runs, apiextensionsv1.NamespaceScoped))
	env.Customize(ctx, suite.Customization("run", runs, configv1alpha1.CustomizationRules{HealthInterpretation: &configv1alpha1.Script{
		LuaScript: "function InterpretHealth(o) return kube.get(o, 'status.ok', false) end",
	}}))
}

// run is the copy of a run in the member that has one.
type run struct {
	space, member string
}

// newRun creates a run with its policy, which tolerates that it is unhealthy for some seconds, and
// waits until it is in a member.
func newRun(ctx context.Context, toleration int) *run {
	GinkgoHelper()
	installRuns(ctx)
	r := &run{space: env.Namespace(ctx)}
	env.Apply(ctx, r.space, fmt.Sprintf(movedRun, toleration))
	o := fixture.Object(runs, r.space, "one", nil)
	Eventually(func() error { return client.IgnoreAlreadyExists(env.Hub.Create(ctx, o.DeepCopy())) }).Should(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(env.Hub.Delete(ctx, o)).To(Succeed()) })
	r.arrive(ctx)
	return r
}

// arrive waits until the run is in another member than before, and returns it.
func (r *run) arrive(ctx context.Context) *unstructured.Unstructured {
	GinkgoHelper()
	var found *unstructured.Unstructured
	var member string
	Eventually(func(g Gomega) {
		b := r.binding(ctx, g)
		g.Expect(b.Spec.Clusters).To(HaveLen(1))
		member = b.Spec.Clusters[0].Name
		g.Expect(member).NotTo(Equal(r.member))
		o := fixture.Object(runs, "", "", nil)
		g.Expect(env.At(member).Get(ctx, r.key("one"), o)).To(Succeed())
		if r.member != "" {
			old := fixture.Object(runs, "", "", nil)
			g.Expect(apierrors.IsNotFound(env.At(r.member).Get(ctx, r.key("one"), old))).To(BeTrue(), "there are two copies")
		}
		found = o
	}).Should(Succeed())
	r.member = member
	return found
}

func (r *run) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: r.space, Name: name}
}

func (r *run) binding(ctx context.Context, g Gomega) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{}
	g.Expect(env.Hub.Get(ctx, r.key("one-run"), b)).To(Succeed())
	return b
}

// tolerate edits the toleration in the policy, and in the binding as a manager would.
func (r *run) tolerate(ctx context.Context, seconds int32) {
	GinkgoHelper()
	fixture.Change(ctx, env.Hub, fixture.Policy(r.space, "run"), func(p policyv1alpha1.Policy) {
		p.GetSpec().Failover.Application.DecisionConditions.TolerationSeconds = &seconds
	})
	fixture.Change(ctx, env.Hub, r.binding(ctx, Default), func(b *workv1alpha2.ResourceBinding) {
		b.Spec.Failover.Application.DecisionConditions.TolerationSeconds = &seconds
	})
}

// versions watches the binding from now on. The function that it returns waits until the watch has
// shown the newest version, and returns all.
func (r *run) versions(ctx context.Context) func() []*workv1alpha2.ResourceBinding {
	GinkgoHelper()
	w, err := env.Hub.Watch(ctx, &workv1alpha2.ResourceBindingList{}, client.InNamespace(r.space))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	var (
		mu  sync.Mutex
		all []*workv1alpha2.ResourceBinding
	)
	go func() {
		for event := range w.ResultChan() {
			if b, ok := event.Object.(*workv1alpha2.ResourceBinding); ok {
				mu.Lock()
				all = append(all, b)
				mu.Unlock()
			}
		}
	}()
	seen := func() []*workv1alpha2.ResourceBinding {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
	return func() []*workv1alpha2.ResourceBinding {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			newest := r.binding(ctx, g).ResourceVersion
			g.Expect(seen()).To(ContainElement(HaveField("ResourceVersion", newest)))
		}).Should(Succeed())
		return seen()
	}
}

// is writes the status of the run in its member.
func (r *run) is(ctx context.Context, status map[string]any) {
	GinkgoHelper()
	Eventually(func(g Gomega) { // the control plane may write the object meanwhile
		o := fixture.Object(runs, "", "", nil)
		g.Expect(env.At(r.member).Get(ctx, r.key("one"), o)).To(Succeed())
		o.Object["status"] = status
		g.Expect(env.At(r.member).Status().Update(ctx, o)).To(Succeed())
	}).Should(Succeed())
}

// reported waits until the binding reports the health of the run.
func (r *run) reported(ctx context.Context, health workv1alpha2.ResourceHealth) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		items := r.binding(ctx, g).Status.AggregatedStatus
		i := slices.IndexFunc(items, func(i workv1alpha2.AggregatedStatusItem) bool { return i.ClusterName == r.member })
		g.Expect(i).NotTo(Equal(-1))
		g.Expect(items[i].Health).To(Equal(health))
	}).Should(Succeed())
}

var _ = Describe("the state of a job", func() {
	const label = "e2e.dragoman.io/job"

	It("goes along although its status lost it, until a copy is healthy with it", func(ctx SpecContext) {
		r := newRun(ctx, 3)
		r.is(ctx, map[string]any{"ok": true, "jobId": "1734462491693"})
		r.reported(ctx, workv1alpha2.ResourceHealthy)

		By("failing, after its operator began to write the status again")
		r.is(ctx, map[string]any{"ok": false, "jobId": "", "state": "RECONCILING"})
		Expect(r.arrive(ctx).GetLabels()).To(HaveKeyWithValue(label, "1734462491693"))

		By("failing in the next cluster before it was healthy")
		r.is(ctx, map[string]any{"ok": false, "jobId": "never"})
		Expect(r.arrive(ctx).GetLabels()).To(HaveKeyWithValue(label, "1734462491693"))

		By("being healthy")
		r.is(ctx, map[string]any{"ok": true})
		Eventually(func(g Gomega) {
			o := fixture.Object(runs, "", "", nil)
			g.Expect(env.At(r.member).Get(ctx, r.key("one"), o)).To(Succeed())
			g.Expect(o.GetLabels()).NotTo(HaveKey(label))
			b := r.binding(ctx, g)
			g.Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
			g.Expect(b.Annotations).NotTo(HaveKey(bindingpkg.CarriedStateAnnotation))
		}).Should(Succeed())

		By("failing before it has reported a job of its own")
		r.is(ctx, map[string]any{"ok": false})
		Eventually(func(g Gomega) {
			tasks := r.binding(ctx, g).Spec.GracefulEvictionTasks // there is no other cluster for a while
			g.Expect(tasks).To(HaveLen(1))
			g.Expect(tasks[0].PreservedLabelState).To(Equal(map[string]string{label: "1734462491693"}))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))

	It("stays where it is if it became healthy while no manager ran", func(ctx SpecContext) {
		r := newRun(ctx, 600)
		r.is(ctx, map[string]any{"ok": true, "jobId": "1"})
		r.reported(ctx, workv1alpha2.ResourceHealthy)
		versions := r.versions(ctx)

		By("killing the manager while it counts the time")
		r.is(ctx, map[string]any{"ok": false, "jobId": "1"})
		Eventually(func(g Gomega) {
			g.Expect(r.binding(ctx, g).Annotations).To(HaveKey(bindingpkg.UnhealthySinceAnnotation))
		}).Should(Succeed())
		r.reported(ctx, workv1alpha2.ResourceUnhealthy)
		env.KillManager(ctx)
		r.is(ctx, map[string]any{"ok": true, "jobId": "1"})

		By("having the time be over when another starts, which reads that the run is unhealthy")
		r.tolerate(ctx, 1)
		time.Sleep(2 * time.Second) // timestamps have whole seconds
		env.StartManager()
		r.reported(ctx, workv1alpha2.ResourceHealthy)
		Eventually(func(g Gomega) {
			g.Expect(r.binding(ctx, g).Annotations).NotTo(HaveKey(bindingpkg.UnhealthySinceAnnotation))
		}).Should(Succeed())
		for _, b := range versions() {
			Expect(b.Spec.GracefulEvictionTasks).To(BeEmpty())
			Expect(fixture.TargetsOf(b)).To(Equal([]string{r.member + ":0"}))
		}
	}, NodeTimeout(10*time.Minute))
})
