// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/format"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// app is an application of a kind that only tests know: the gadget of the fixtures. The
// spec writes its status in the members, in the place of an operator, so that nothing but
// the control plane has times of its own.
type app struct{ space string }

// status is the status of one copy of an app; ok is its health.
type status map[string]any

// gadgetScripts are what the control plane knows of gadgets: their health, their state, and
// how a copy goes on from it.
var gadgetScripts = configv1alpha1.CustomizationRules{
	HealthInterpretation: &configv1alpha1.Script{LuaScript: `function InterpretHealth(o) return kube.get(o, "status.ok") end`},
	StateInterpretation: &configv1alpha1.Script{LuaScript: `function GetState(o)
  return { ["` + fixture.StateKey + `"] = kube.get(o, "status.progress") }
end`},
	StateRestoration: &configv1alpha1.Script{LuaScript: `function RestoreState(o, state)
  o.spec.resumeFrom = state["` + fixture.StateKey + `"]
  return o
end`},
}

// serveGadgetsOnce has the control plane and all members serve gadgets, and know them. It
// is for BeforeAll: what was done is not done again.
func serveGadgetsOnce(ctx SpecContext) {
	env.Serve(ctx, fixture.GadgetCRDs()[0])
	env.Customize(ctx, suite.Customization("gadgets", fixture.GadgetKind, gadgetScripts))
}

// appPolicy is a policy of the app: where it goes, and spec.failover.application.
const appPolicy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: app}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: spec.dragoman.io/v1, kind: Gadget, name: app}]
  placement: %s
  failover: {application: %s}
`

// onOneOf places an app in one of all members, and onTwo in two of them.
const (
	onOneOf = `{spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]}`
	onTwo   = `{spreadConstraints: [{spreadByField: cluster, minGroups: 2, maxGroups: 2}]}`
)

// startApp creates an app in a namespace of its own, and returns it with the members where
// it is, once it is healthy there. The status of the copy in each has ok and, where they are
// not left out, a jobId and a progress of its own.
func startApp(ctx context.Context, placement, failover string, without ...string) (app, []string) {
	GinkgoHelper()
	a := app{env.Namespace(ctx)}
	DeferCleanup(func(ctx SpecContext) {
		if b, err := env.Binding(ctx, a.space, "app-gadget")(); err == nil && CurrentSpecReport().Failed() {
			b.ManagedFields = nil
			AddReportEntry("the binding", format.Object(b, 0))
		}
	})
	env.Apply(ctx, a.space, fmt.Sprintf(appPolicy, placement, failover))
	Expect(env.Hub.Create(ctx, fixture.Gadget(a.space, "app", nil))).To(Succeed())
	var members []string
	Eventually(func(g Gomega) {
		members = nil
		for _, t := range a.binding(ctx, g).Spec.Clusters {
			members = append(members, t.Name)
		}
		g.Expect(members).NotTo(BeEmpty())
	}).Should(Succeed())
	for _, m := range members {
		first := status{"ok": true, "jobId": "job-" + m, "progress": m + "-1"}
		maps.DeleteFunc(first, func(field string, _ any) bool { return slices.Contains(without, field) })
		a.report(ctx, m, first)
		a.sees(ctx, m, workv1alpha2.ResourceHealthy)
	}
	return a, members
}

// startMove has an app with the progress 42 fail in the first member, where its copy is held, so that the one in the
// second waits until that is released.
func startMove(ctx context.Context) (a app, first, second string, release func(context.Context)) {
	GinkgoHelper()
	a, at := startApp(ctx, onOneOf, directlyWithJob)
	first = at[0]
	release = a.hold(ctx, first)
	a.breaks(ctx, first, "42")
	return a, first, a.moves(ctx, first), release
}

// binding reads the binding of the app.
func (a app) binding(ctx context.Context, g Gomega) *workv1alpha2.ResourceBinding {
	b, err := env.Binding(ctx, a.space, "app-gadget")()
	g.Expect(err).NotTo(HaveOccurred())
	return b
}

// copyIn reads the copy in a member; nil where it has none.
func (a app) copyIn(ctx context.Context, g Gomega, member string) *unstructured.Unstructured {
	o := fixture.Gadget(a.space, "app", nil)
	err := env.At(member).Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	g.Expect(err).NotTo(HaveOccurred())
	return o
}

// report writes the status of the copy in a member once it is there.
func (a app) report(ctx context.Context, member string, s status) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		o := a.copyIn(ctx, g, member)
		g.Expect(o).NotTo(BeNil(), "a copy in %s", member)
		o.Object["status"] = map[string]any(s)
		g.Expect(env.At(member).Status().Update(ctx, o)).To(Succeed())
	}).Should(Succeed())
}

// breaks reports the copy in a member as unhealthy, with a state that only it has.
func (a app) breaks(ctx context.Context, member, progress string) {
	GinkgoHelper()
	a.report(ctx, member, status{"ok": false, "jobId": "job-" + member, "progress": progress})
}

// sees waits until the control plane knows the health in a member.
func (a app) sees(ctx context.Context, member string, health workv1alpha2.ResourceHealth) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(a.binding(ctx, g).Status.AggregatedStatus).To(ContainElement(And(HaveField("ClusterName", member), HaveField("Health", health))))
	}).Should(Succeed())
}

// moves waits until the app has one target, which is none of some members, and returns it.
func (a app) moves(ctx context.Context, from ...string) string {
	GinkgoHelper()
	var to string
	Eventually(func(g Gomega) {
		b := a.binding(ctx, g)
		g.Expect(b.Spec.Clusters).To(HaveLen(1))
		to = b.Spec.Clusters[0].Name
		g.Expect(from).NotTo(ContainElement(to))
	}).Should(Succeed())
	return to
}

// arrives waits until a member has a copy that goes on from a state: with the label job,
// and from the progress. An empty text is for none.
func (a app) arrives(ctx context.Context, member, job, progress string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		o := a.copyIn(ctx, g, member)
		g.Expect(o).NotTo(BeNil(), "a copy in %s", member)
		from, _, _ := unstructured.NestedString(o.Object, "spec", "resumeFrom")
		g.Expect([]string{o.GetLabels()["job"], from}).To(Equal([]string{job, progress}), "label and progress in %s", member)
	}).Should(Succeed())
}

// leaves waits until a member has no copy.
func (a app) leaves(ctx context.Context, member string) {
	GinkgoHelper()
	Eventually(func(g Gomega) { g.Expect(a.copyIn(ctx, g, member)).To(BeNil(), "a copy in %s", member) }).Should(Succeed())
}

// stays asserts that a member has its copy for a while.
func (a app) stays(ctx context.Context, member string, while time.Duration) {
	GinkgoHelper()
	before := a.copyIn(ctx, Default, member)
	Expect(before).NotTo(BeNil(), "a copy in %s", member)
	Consistently(func(g Gomega) {
		o := a.copyIn(ctx, g, member)
		g.Expect(o).NotTo(BeNil(), "a copy in %s", member)
		g.Expect(o.GetUID()).To(Equal(before.GetUID()))
		g.Expect(o.GetDeletionTimestamp()).To(BeNil())
	}, while).Should(Succeed())
}

// hold puts a finalizer on the copy in a member, so that it is deleted and not gone; the
// function that it returns takes it away.
func (a app) hold(ctx context.Context, member string) (release func(context.Context)) {
	GinkgoHelper()
	edit := func(ctx context.Context, by func([]string) []string) {
		Eventually(func(g Gomega) {
			o := a.copyIn(ctx, g, member)
			if o == nil {
				return
			}
			o.SetFinalizers(by(o.GetFinalizers()))
			g.Expect(client.IgnoreNotFound(env.At(member).Update(ctx, o))).To(Succeed())
		}).Should(Succeed())
	}
	const finalizer = "spec.dragoman.io/hold"
	edit(ctx, func(all []string) []string { return append(all, finalizer) })
	return func(ctx context.Context) {
		GinkgoHelper()
		edit(ctx, func(all []string) []string {
			return slices.DeleteFunc(all, func(f string) bool { return f == finalizer })
		})
	}
}
