// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// The event of the end of an object often comes before the one of the end of its Work.
var _ = Describe("Works that are deleted in a burst", func() {
	It("lose their finalizer once each", func(ctx SpecContext) {
		const many = 60
		b := newSetup(ctx, one())
		requests := &suite.Requests{}
		b.manageBy(ctx, func(_ context.Context, mgr ctrl.Manager) (controllers.Deps, error) {
			return controllers.NewDeps(mgr, controllers.Environment{Interpreter: interpreter})
		}, requests.Wrap)
		var works []*workv1alpha1.Work
		for i := range many {
			o := b.configMap("v")
			o.SetName(fmt.Sprintf("m-%d", i))
			w := fixture.Work(b.cluster, o.GetName(), o)
			Expect(hub.Client.Create(ctx, w)).To(Succeed())
			works = append(works, w)
		}
		for _, w := range works {
			Eventually(func(g Gomega) {
				g.Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
				g.Expect(w.Status.Conditions).To(ContainElement(HaveField("Type", workv1alpha1.WorkApplied)))
			}).Should(Succeed())
		}
		for _, w := range works {
			Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		}
		for _, w := range works {
			Eventually(func() bool {
				return apierrors.IsNotFound(hub.Client.Get(ctx, client.ObjectKeyFromObject(w), w))
			}).Should(BeTrue())
		}
		patches := slices.DeleteFunc(requests.Made("PATCH", "/works/"), func(r string) bool { return strings.HasSuffix(r, "/status") })
		Expect(patches).To(HaveLen(many))
	})
})
