// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("A Work whose object stays in the member", func() {
	eventsOf := func(b *setup) []string { return b.events.About(b.key().Namespace, b.key().Name) }

	It("has the answer of a member that refuses the deletion, written once", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		g.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodDelete {
				g.Pass(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"ValidatingAdmissionPolicy 'keep' denied request: kept"}`))
		})
		b.delete(ctx)
		_, err := b.reconcile(ctx)
		Expect(err).To(MatchError(ContainSubstring("denied request: kept")))
		Expect(b.condition(ctx, workv1alpha1.WorkCleanedUp)).To(And(HavePrefix("False CleanupFailed: "), HaveSuffix("denied request: kept")))
		Expect(eventsOf(b)).To(ConsistOf(And(HavePrefix("Warning CleanupFailed: "), HaveSuffix("denied request: kept"))))
		reported := b.work(ctx).ResourceVersion
		_, err = b.reconcile(ctx)
		Expect(err).To(HaveOccurred())
		Expect(b.work(ctx).ResourceVersion).To(Equal(reported), "a try that fails alike writes nothing")
		Expect(eventsOf(b)).To(HaveLen(1))

		g.Answer(nil)
		b.ends(ctx)
	})

	It("has the finalizers that hold it there, once it is held for long", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		clock := clocktesting.NewFakePassiveClock(time.Now())
		b.controller = execution.New(base.Deps{
			Client: hub.Manager.GetClient(), Members: b.members, Interpreter: interpreter, Events: b.events, Owner: owner, Clock: clock,
		})
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		hold := func(ctx context.Context, by ...string) {
			b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers(by) })
		}
		hold(ctx, "example.io/b", "example.io/a")
		b.delete(ctx)
		b.undo(ctx)
		b.undo(ctx)
		Expect(b.condition(ctx, workv1alpha1.WorkCleanedUp)).To(Equal("none"), "most are gone within a moment")

		clock.SetTime(clock.Now().Add(time.Minute))
		b.undo(ctx)
		Expect(b.condition(ctx, workv1alpha1.WorkCleanedUp)).To(Equal("False ObjectHeld: ConfigMap " + b.namespace + "/m is being deleted in cluster " + b.cluster +
			" and stays: its finalizers are example.io/a, example.io/b, which their owners have to remove there"))
		Expect(eventsOf(b)).To(ConsistOf(HavePrefix("Warning ObjectHeld: ConfigMap ")))
		reported := b.work(ctx).ResourceVersion
		b.undo(ctx)
		Expect(b.work(ctx).ResourceVersion).To(Equal(reported))
		Expect(eventsOf(b)).To(HaveLen(1))

		hold(ctx)
		b.ends(ctx)
	})
})
