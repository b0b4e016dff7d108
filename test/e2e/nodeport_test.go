// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

var _ = Describe("a node port that is taken in a member", func() {
	It("is chosen by the member where an annotation says so, and stays", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		service := func(name string) *corev1.Service {
			return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}, Spec: corev1.ServiceSpec{
				Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80}},
			}}
		}
		web, other := service("web"), service("other")
		Expect(env.Hub.Create(ctx, web)).To(Succeed())
		chosen := web.Spec.Ports[0].NodePort
		Expect(chosen).NotTo(BeZero(), "the control plane has chosen one")
		Expect(client.IgnoreAlreadyExists(env.At("member1").Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}))).To(Succeed())
		other.Spec.Ports[0].NodePort = chosen
		Expect(env.At("member1").Create(ctx, other)).To(Succeed())
		env.Apply(ctx, space, placing("v1", "Service", "web", "{clusterAffinity: {clusterNames: [member1, member2]}}"))

		refused := func() string {
			w := &workv1alpha1.Work{}
			if err := env.Hub.Get(ctx, client.ObjectKey{Namespace: names.ExecutionSpace("member1"), Name: names.Work("Service", space, "web")}, w); err != nil {
				return err.Error()
			}
			if applied := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied); applied != nil {
				return applied.Message
			}
			return ""
		}
		Eventually(refused).Should(ContainSubstring("provided port is already allocated"))

		before := web.DeepCopy()
		web.Annotations = map[string]string{"propagation.dragoman.io/node-ports": "member"}
		Expect(env.Hub.Patch(ctx, web, client.MergeFrom(before))).To(Succeed())
		portIn := func(member string) func() (int32, error) {
			return func() (int32, error) {
				s := service("web")
				err := env.At(member).Get(ctx, client.ObjectKeyFromObject(s), s)
				return s.Spec.Ports[0].NodePort, err
			}
		}
		Eventually(portIn("member1")).ShouldNot(Or(BeZero(), Equal(chosen)))
		own, err := portIn("member1")()
		Expect(err).NotTo(HaveOccurred())
		Expect(portIn("member2")()).To(Equal(chosen), "what a member has stays")

		before = web.DeepCopy()
		web.Spec.Ports[0].Port = 81
		Expect(env.Hub.Patch(ctx, web, client.MergeFrom(before))).To(Succeed())
		Eventually(func(g Gomega) {
			s := service("web")
			g.Expect(env.At("member1").Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Spec.Ports[0].Port).To(BeEquivalentTo(81))
			g.Expect(s.Spec.Ports[0].NodePort).To(Equal(own))
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
