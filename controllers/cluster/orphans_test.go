// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/cluster/orphans"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// orphanage is a cluster that is ready, in whose member are objects of an earlier membership.
type orphanage struct {
	*setup
	events     fixture.Events
	controller *orphans.Controller
}

func newOrphanage(ctx context.Context) *orphanage {
	GinkgoHelper()
	b := &orphanage{setup: newSetup(ctx, one())}
	Expect(onMember().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.name}})).To(Succeed())
	b.reconcile(ctx)
	b.begin(ctx)
	return b
}

// begin makes a controller that knows nothing, when the cluster has been ready for long enough.
func (b *orphanage) begin(ctx context.Context) {
	GinkgoHelper()
	b.controller = orphans.New(base.Deps{Client: hub.Manager.GetClient(), Members: b.members, Clock: b.clock, Owner: "me", Events: &b.events})
	b.clock.SetTime(meta.FindStatusCondition(b.get(ctx).Status.Conditions, "Ready").LastTransitionTime.Add(orphans.Grace))
}

// leave creates a ConfigMap with our marks, and others, in the member.
func (b *orphanage) leave(ctx context.Context, name string, marks map[string]string) *corev1.ConfigMap {
	GinkgoHelper()
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.name, Name: name, Labels: map[string]string{"karmada.io/managed": "true"}}}
	o.Annotations = map[string]string{"work.dragoman.io/owner": "me", "work.karmada.io/namespace": names.ExecutionSpace(b.name), "work.karmada.io/name": name}
	maps.Copy(o.Annotations, marks)
	Expect(onMember().Create(ctx, o)).To(Succeed())
	return o
}

// leaveSome leaves one object of each sort, and returns those that are orphans.
func (b *orphanage) leaveSome(ctx context.Context) (left, kept []*corev1.ConfigMap) {
	GinkgoHelper()
	bound := func(o client.Object) map[string]string {
		return map[string]string{"resourcebinding.karmada.io/namespace": o.GetNamespace(), "resourcebinding.karmada.io/name": o.GetName()}
	}
	left = []*corev1.ConfigMap{b.leave(ctx, "lost", nil), b.leave(ctx, "moved", bound(bindingIn(ctx, "another")))}
	kept = []*corev1.ConfigMap{
		b.leave(ctx, "wanted", nil),
		b.leave(ctx, "scheduled", bound(bindingIn(ctx, b.name))),
		b.leave(ctx, "foreign", map[string]string{"work.dragoman.io/owner": "you"}),
		b.leave(ctx, "peers", map[string]string{"work.dragoman.io/owner": ""}),
		b.leave(ctx, "of-another-cluster", map[string]string{"work.karmada.io/namespace": "karmada-es-another"}),
	}
	b.propagate(ctx, "wanted")
	return left, kept
}

// propagate creates the Work of an object.
func (b *orphanage) propagate(ctx context.Context, name string) *workv1alpha1.Work {
	GinkgoHelper()
	work := fixture.Work(b.name, name, fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, b.name, name, nil))
	Expect(hub.Manager.GetClient().Create(ctx, work)).To(Succeed())
	return work
}

// look reconciles once, and returns after which time it wants to be called again.
func (b *orphanage) look(ctx context.Context) time.Duration {
	GinkgoHelper()
	result, err := b.controller.Reconcile(ctx, b.get(ctx))
	Expect(err).NotTo(HaveOccurred())
	return result.RequeueAfter
}

// condition returns status, reason and message of the condition.
func (b *orphanage) condition(ctx context.Context) string {
	GinkgoHelper()
	c := meta.FindStatusCondition(b.get(ctx).Status.Conditions, orphans.Condition)
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
}

// setConditions changes the conditions of the cluster.
func (b *orphanage) setConditions(ctx context.Context, f func(*[]metav1.Condition)) {
	GinkgoHelper()
	c := b.get(ctx)
	before := c.DeepCopy()
	f(&c.Status.Conditions)
	Expect(hub.Manager.GetClient().Status().Patch(ctx, c, client.MergeFrom(before))).To(Succeed())
}

// there reports whether an object is in the member.
func there(ctx context.Context, o *corev1.ConfigMap) bool {
	GinkgoHelper()
	err := onMember().Get(ctx, client.ObjectKeyFromObject(o), &corev1.ConfigMap{})
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	return !apierrors.IsNotFound(err)
}

const none = "False NoneFound: nothing is left of an earlier membership"

var _ = Describe("A cluster that joins again", func() {
	It("keeps what the store does not know, and names it in a condition", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		left, kept := b.leaveSome(ctx)
		b.clock.SetTime(b.clock.Now().Add(-orphans.Grace))
		Expect(b.look(ctx)).To(Equal(orphans.Grace), "what is wanted there again needs its time")
		Expect(b.condition(ctx)).To(BeEmpty())

		b.clock.SetTime(b.clock.Now().Add(orphans.Grace))
		b.look(ctx)
		for _, o := range append(left, kept...) {
			Expect(there(ctx, o)).To(BeTrue(), o.Name)
		}
		message := fmt.Sprintf("2 objects are left that this control plane wrote and has no Work for: ConfigMap %[1]s/lost, ConfigMap %[1]s/moved; "+
			"dragoman clusters orphans %[1]s shows them, and deletes them with --delete", b.name)
		Expect(b.condition(ctx)).To(Equal("True Found: " + message))
		Expect(b.events.About("", b.name)).To(Equal([]string{"Warning OrphansFound: " + message}))
	})

	It("is looked through once", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		b.look(ctx)
		Expect(b.condition(ctx)).To(Equal(none))
		b.leave(ctx, "later", nil)
		b.clock.SetTime(b.clock.Now().Add(time.Hour))
		Expect(b.look(ctx)).To(BeZero())
		Expect(b.condition(ctx)).To(Equal(none))
		Expect(b.events.About("", b.name)).To(BeEmpty())
	})

	It("is looked through again when its condition is removed", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		o := b.leave(ctx, "lost", nil)
		b.look(ctx)
		Expect(b.condition(ctx)).To(HavePrefix("True Found: 1 object is left"))
		Expect(onMember().Delete(ctx, o)).To(Succeed())
		b.setConditions(ctx, func(all *[]metav1.Condition) { meta.RemoveStatusCondition(all, orphans.Condition) })
		b.look(ctx)
		Expect(b.condition(ctx)).To(Equal(none))
	})

	It("is looked through by a manager that starts, if something was left", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		o := b.leave(ctx, "lost", nil)
		b.look(ctx)
		b.begin(ctx)
		b.look(ctx)
		Expect(b.condition(ctx)).To(HavePrefix("True Found: 1 object is left"))
		Expect(b.events.About("", b.name)).To(HaveLen(1), "it was found once")
		Expect(onMember().Delete(ctx, o)).To(Succeed())
		b.begin(ctx)
		b.look(ctx)
		Expect(b.condition(ctx)).To(Equal(none))
	})

	It("loses the condition of managers that deleted", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		b.setConditions(ctx, func(all *[]metav1.Condition) {
			meta.SetStatusCondition(all, metav1.Condition{Type: "OrphansDeleted", Status: metav1.ConditionTrue, Reason: "Deleted", Message: "0 objects"})
		})
		b.leave(ctx, "lost", nil)
		b.look(ctx)
		Expect(b.condition(ctx)).To(HavePrefix("True Found: 1 object is left"))
		Expect(meta.FindStatusCondition(b.get(ctx).Status.Conditions, "OrphansDeleted")).To(BeNil())
	})

	It("shows at most ten names", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		for i := range 12 {
			b.leave(ctx, fmt.Sprintf("lost-%02d", i), nil)
		}
		b.look(ctx)
		Expect(b.condition(ctx)).To(And(ContainSubstring("12 objects are left"), ContainSubstring("/lost-09 and 2 more; "), Not(ContainSubstring("lost-10"))))
	})
})

var _ = Describe("Orphans", func() {
	It("are deleted on demand, and nothing else", func(ctx SpecContext) {
		b := newOrphanage(ctx)
		left, kept := b.leaveSome(ctx)
		unplaced := bindingIn(ctx, b.name)
		unplaced.Spec.Clusters = nil
		Expect(hub.Manager.GetClient().Update(ctx, unplaced)).To(Succeed())
		left = append(left, b.leave(ctx, "unplaced", map[string]string{"resourcebinding.karmada.io/namespace": unplaced.Namespace, "resourcebinding.karmada.io/name": unplaced.Name}))

		f, err := orphans.Open(ctx, hub.Manager.GetAPIReader(), b.get(ctx), "me")
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		found, err := f.Find(ctx)
		Expect(err).NotTo(HaveOccurred())
		var texts []string
		for _, o := range found.Orphans {
			texts = append(texts, fmt.Sprintf("%s %s %s", o, o.Work, o.Reason))
		}
		of := "ConfigMap " + b.name + "/"
		Expect(texts).To(Equal([]string{of + "lost lost NoBinding", of + "moved moved PlacedElsewhere", of + "unplaced unplaced NotPlaced"}))
		Expect(found.Foreign).To(Equal(map[string]int{"you": 1}))

		b.propagate(ctx, "moved")
		Expect(onMember().Delete(ctx, left[2])).To(Succeed())
		again := b.leave(ctx, "unplaced", nil)
		for i, want := range []bool{true, false, false} {
			deleted, err := f.Delete(ctx, found.Orphans[i])
			Expect(err).NotTo(HaveOccurred())
			Expect(deleted).To(Equal(want), texts[i])
		}
		Expect(there(ctx, left[0])).To(BeFalse())
		Expect(there(ctx, left[1])).To(BeTrue(), "it is wanted again since it was listed")
		Expect(there(ctx, again)).To(BeTrue(), "it has the name of what was listed, and is another")
		for _, o := range kept {
			Expect(there(ctx, o)).To(BeTrue(), o.Name)
		}
	})
})
