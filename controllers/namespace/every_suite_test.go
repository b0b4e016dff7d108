// SPDX-License-Identifier: Apache-2.0

package namespace_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// join creates a cluster and, as the controller of clusters does, its execution namespace.
func join(ctx context.Context, cluster string) {
	GinkgoHelper()
	c := fixture.Cluster(cluster)
	Expect(hub.Create(ctx, c)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(hub.Delete(ctx, c)).To(Succeed()) })
	Expect(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "karmada-es-" + cluster}})).To(Succeed())
}

// manage runs a further manager with a controller of these options.
func manage(o namespace.Options) {
	GinkgoHelper()
	stop, err := running.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		d, err := controllers.NewDeps(mgr, controllers.Environment{Clock: clock.RealClock{}})
		if err != nil {
			return err
		}
		return namespace.New(d, o).Register(ctx, mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
}

var _ = Describe("a cluster that joins", func() {
	It("has every namespace where they go to every cluster, but for those that are excluded", func(ctx SpecContext) {
		kept := space + "-kept"
		Expect(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: kept, Labels: map[string]string{"namespace.karmada.io/skip-auto-propagation": "true"},
		}})).To(Succeed())
		manage(namespace.Options{EveryCluster: true})
		appears(ctx, "one")
		appears(ctx, "two")
		late := space + "-late"
		join(ctx, late)
		appears(ctx, late)
		list := &workv1alpha1.WorkList{}
		Expect(hub.List(ctx, list, client.InNamespace("karmada-es-"+late))).To(Succeed())
		for i := range list.Items {
			Expect(list.Items[i].Annotations["propagation.dragoman.io/namespace"]).NotTo(Or(
				Equal("default"), HavePrefix("kube-"), HavePrefix("karmada-"), Equal(kept)))
		}
		Expect(apierrors.IsNotFound(hub.Get(ctx, namespaces.Key("one", kept), &workv1alpha1.Work{}))).To(BeTrue())
	})

	It("has no namespace otherwise until something in it goes there", func(ctx SpecContext) {
		content(ctx, "one", "a")
		appears(ctx, "one")
		late := space + "-late"
		before := versions(ctx, late)
		join(ctx, late)
		content(ctx, late, "b")
		appears(ctx, late)
		Expect(versions(ctx, late)).To(Equal(before), "nothing else was written")
		list := &workv1alpha1.WorkList{}
		Expect(hub.List(ctx, list, client.InNamespace("karmada-es-"+late))).To(Succeed())
		Expect(list.Items).To(HaveLen(2), "the namespace and what is in it")
	})
})

// versions returns the versions of all Works but those of one cluster.
func versions(ctx context.Context, but string) map[client.ObjectKey]string {
	GinkgoHelper()
	list, all := &workv1alpha1.WorkList{}, map[client.ObjectKey]string{}
	Expect(hub.List(ctx, list)).To(Succeed())
	for i := range list.Items {
		if w := &list.Items[i]; w.Namespace != "karmada-es-"+but {
			all[client.ObjectKeyFromObject(w)] = w.ResourceVersion
		}
	}
	return all
}
