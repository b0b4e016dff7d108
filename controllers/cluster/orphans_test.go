// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
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
	"github.com/dragoman-io/dragoman/controllers/cluster/orphans"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("A cluster that joins again", func() {
	It("loses what this control plane left there and does not want, once", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(onMember().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.name}})).To(Succeed())
		leave := func(name string, marks map[string]string) *corev1.ConfigMap {
			GinkgoHelper()
			o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.name, Name: name, Labels: map[string]string{"karmada.io/managed": "true"}}}
			o.Annotations = map[string]string{"work.dragoman.io/owner": "me", "work.karmada.io/namespace": names.ExecutionSpace(b.name), "work.karmada.io/name": name}
			maps.Copy(o.Annotations, marks)
			Expect(onMember().Create(ctx, o)).To(Succeed())
			return o
		}
		there := func(o *corev1.ConfigMap) bool {
			GinkgoHelper()
			err := onMember().Get(ctx, client.ObjectKeyFromObject(o), &corev1.ConfigMap{})
			Expect(client.IgnoreNotFound(err)).To(Succeed())
			return !apierrors.IsNotFound(err)
		}
		elsewhere, here := bindingIn(ctx, "another"), bindingIn(ctx, b.name)
		bound := func(o client.Object) map[string]string {
			return map[string]string{"resourcebinding.karmada.io/namespace": o.GetNamespace(), "resourcebinding.karmada.io/name": o.GetName()}
		}
		lost, moved := leave("lost", nil), leave("moved", bound(elsewhere))
		kept := []*corev1.ConfigMap{
			leave("wanted", nil),
			leave("scheduled", bound(here)),
			leave("foreign", map[string]string{"work.dragoman.io/owner": "you"}),
			leave("peers", map[string]string{"work.dragoman.io/owner": ""}),
			leave("of-another-cluster", map[string]string{"work.karmada.io/namespace": "karmada-es-another"}),
		}
		b.reconcile(ctx)
		work := fixture.Work(b.name, "wanted", fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, b.name, "wanted", nil))
		Expect(hub.Manager.GetClient().Create(ctx, work)).To(Succeed())

		ready := meta.FindStatusCondition(b.get(ctx).Status.Conditions, "Ready")
		b.clock.SetTime(ready.LastTransitionTime.Time)
		c := orphans.New(base.Deps{Client: hub.Manager.GetClient(), Members: b.members, Clock: b.clock, Owner: "me"})
		result, err := c.Reconcile(ctx, b.get(ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(orphans.Grace), "what is wanted there again needs its time")
		Expect(there(lost)).To(BeTrue())

		b.clock.SetTime(ready.LastTransitionTime.Add(orphans.Grace))
		_, err = c.Reconcile(ctx, b.get(ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(there(lost)).To(BeFalse())
		Expect(there(moved)).To(BeFalse())
		for _, o := range kept {
			Expect(there(o)).To(BeTrue(), o.Name)
		}
		done := meta.FindStatusCondition(b.get(ctx).Status.Conditions, orphans.Condition)
		Expect(done).NotTo(BeNil())
		Expect(done.Message).To(Equal("2 objects of an earlier membership were deleted"))

		again := leave("lost-again", nil)
		b.clock.SetTime(ready.LastTransitionTime.Add(time.Hour))
		_, err = c.Reconcile(ctx, b.get(ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(there(again)).To(BeTrue(), "a membership is looked through once")
	})
})
