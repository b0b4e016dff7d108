// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("An admission webhook of a member that does not answer", func() {
	It("holds up no objects of other kinds and namespaces there, and what it held up comes once it answers", func(ctx SpecContext) {
		const held = 30
		g, answers := newProxy(), make(chan struct{})
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		g.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/namespaces/"+b.namespace+"/configmaps") {
				select {
				case <-answers:
				case <-r.Context().Done():
					return
				}
			}
			g.Pass(w, r)
		})
		other := b.namespace + "-other"
		Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other}})).To(Succeed())
		b.manage(ctx)
		for i := range held {
			name := fmt.Sprintf("held-%d", i)
			w := fixture.Work(b.cluster, name, fixture.Object(configMaps, b.namespace, name, nil))
			Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		}
		holds := func() int { return g.Count("POST ", b.namespace+"/configmaps") }
		Eventually(holds).Should(BeNumerically(">=", 5), "all workers of the cluster are held up")

		for _, o := range []struct{ namespace, name string }{{other, "m"}, {other, "n"}} {
			w := fixture.Work(b.cluster, "innocent-"+o.name, fixture.Object(configMaps, o.namespace, o.name, nil))
			Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
			Eventually(func() error {
				return onMember.Get(ctx, client.ObjectKey{Namespace: o.namespace, Name: o.name}, &corev1.ConfigMap{})
			}).Should(Succeed())
		}
		Expect(holds()).To(BeNumerically("<=", 10), "those that are held up have no more than their own workers")

		close(answers)
		Eventually(func() (int, error) {
			list := &corev1.ConfigMapList{}
			err := onMember.List(ctx, list, client.InNamespace(b.namespace), client.MatchingLabels{"karmada.io/managed": "true"})
			return len(list.Items), err
		}).Should(Equal(held))
	})
})
