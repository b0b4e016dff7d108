// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// directlyFromTainted follows the failover of an application in a policy.
const directlyFromTainted = `, cluster: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: job, jsonPath: "{.jobId}"}]}}`

// suspends has somebody suspend the scheduling of the app, as a queue does, or end that.
func (a app) suspends(ctx context.Context, is bool) {
	GinkgoHelper()
	fixture.Change(ctx, env.Hub, a.binding(ctx, Default), func(b *workv1alpha2.ResourceBinding) {
		b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: &is}
	})
}

// reported waits until the Work of a member has a progress of the copy there.
func (a app) reported(ctx context.Context, member, progress string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var works workv1alpha1.WorkList
		g.Expect(env.Hub.List(ctx, &works, client.InNamespace(names.ExecutionSpace(member)))).To(Succeed())
		var statuses []string
		for _, w := range works.Items {
			if w.Annotations[workv1alpha2.ResourceBindingNamespaceAnnotation] == a.space && len(w.Status.ManifestStatuses) > 0 {
				statuses = append(statuses, string(w.Status.ManifestStatuses[0].Status.Raw))
			}
		}
		g.Expect(statuses).To(ContainElement(ContainSubstring(progress)))
	}).Should(Succeed())
}

var _ = Describe("a move that somebody else interrupts", Ordered, ContinueOnFailure, func() {
	BeforeAll(serveGadgetsOnce, NodeTimeout(10*time.Minute))

	It("by suspending the scheduling stays where it came to, and goes on with its state", func(ctx SpecContext) {
		a, first, second, release := startMove(ctx)
		seen := env.Versions(ctx, fixture.GadgetKind, a.space, func(member string, is watch.EventType, o *unstructured.Unstructured) string {
			from, _, _ := unstructured.NestedString(o.Object, "spec", "resumeFrom")
			return fmt.Sprintf("%s %s: %s from %s", is, member, o.GetLabels()["job"], from)
		})
		a.suspends(ctx, true)
		env.SetTaints(ctx, second, "interrupted")
		release(ctx)
		a.leaves(ctx, first)
		a.arrives(ctx, second, "job-"+first, "42")
		a.stays(ctx, second, 3*time.Second)
		Expect(fixture.TargetsOf(a.binding(ctx, Default))).To(Equal([]string{second + ":0"}), "nothing chooses another cluster")

		By("ending the suspension: it leaves the tainted cluster with the state that it was made with")
		a.suspends(ctx, false)
		third := a.moves(ctx, second)
		a.arrives(ctx, third, "job-"+first, "42")
		a.report(ctx, third, status{"ok": true, "jobId": "job-" + third, "progress": "43"})
		a.arrives(ctx, third, "", "")
		a.leaves(ctx, second)

		By("looking at what watches on the members saw: one copy in each, which kept what it was made with")
		versions := func() []string {
			return slices.DeleteFunc(seen(), func(version string) bool { return !strings.Contains(version, " "+second+": ") })
		}
		state := second + ": job-" + first + " from 42"
		Eventually(versions).Should(ContainElement("DELETED " + state))
		Expect(versions()).To(HaveEach(HaveSuffix(state)))
		Expect(slices.DeleteFunc(seen(), func(version string) bool { return !strings.HasPrefix(version, "ADDED ") })).To(ConsistOf(
			HavePrefix("ADDED "+first+": "), "ADDED "+state, "ADDED "+third+": job-"+first+" from 42"))
	}, NodeTimeout(10*time.Minute))

	It("by a member that refuses an update takes along what the job did since", needsAdmissionPolicies, func(ctx SpecContext) {
		a, at := startApp(ctx, onOneOf, directlyWithJob+directlyFromTainted)
		first := at[0]
		deny(ctx, first, a.space, admissionv1.Update, fixture.GadgetKind.GroupVersion().WithResource("gadgets"), func() error {
			o := a.copyIn(ctx, Default, first)
			o.SetAnnotations(map[string]string{"probe": "yes"})
			return env.At(first).Update(ctx, o, client.DryRunAll)
		})
		fixture.Change(ctx, env.Hub, fixture.Gadget(a.space, "app", nil), func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, "blue", "spec", "color")).To(Succeed())
		})
		Eventually(func(g Gomega) {
			g.Expect(a.binding(ctx, g).Status.AggregatedStatus).To(ContainElement(And(HaveField("ClusterName", first), HaveField("Applied", false))))
		}).Should(Succeed())
		a.report(ctx, first, status{"ok": true, "jobId": "job-later", "progress": "77"})
		a.reported(ctx, first, "77")

		env.SetTaints(ctx, first, "interrupted")
		second := a.moves(ctx, first)
		a.arrives(ctx, second, "job-later", "77")
		a.leaves(ctx, first)
	}, NodeTimeout(10*time.Minute))
})
