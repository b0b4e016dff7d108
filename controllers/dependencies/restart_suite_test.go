// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
	"github.com/dragoman-io/dragoman/controllers/dependencies/attached"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = It("writes nothing again after a restart, and misses nothing", func(ctx SpecContext) {
	addConfigMap(ctx, "config", nil)
	addConfigMap(ctx, "selected", map[string]string{"for": "q"})
	p := create(ctx, gadget(false, "p", needs("config", "late")), "a")
	create(ctx, gadget(false, "q", selects("for", "q")), "b")
	addSecret(ctx, "registry")
	Expect(hub.Create(ctx, account("shop", "registry"))).To(Succeed())
	r := create(ctx, gadget(false, "r", runsAs("shop")), "a")
	Eventually(parents).WithContext(ctx).WithArguments("registry-secret").Should(ConsistOf(r.GetName()))
	Eventually(required("config")).WithContext(ctx).Should(HaveKey("p-gadget"))
	Eventually(required("selected")).WithContext(ctx).Should(HaveKey("q-gadget"))
	Eventually(worksOf("selected")).WithContext(ctx).Should(ConsistOf("b"))

	var requests suite.Requests
	var d controllers.Deps
	var again client.Client
	stop, err := running.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		var err error
		if d, err = suite.Customize(ctx, mgr, deps.Interpreter); err != nil {
			return err
		}
		d.Gates, d.Events, again = gates, events, mgr.GetClient()
		for _, c := range []controllers.Controller{
			dependencies.New[*workv1alpha2.ResourceBinding](d), dependencies.New[*workv1alpha2.ClusterResourceBinding](d), attached.New(d),
		} {
			if err := c.Register(ctx, mgr); err != nil {
				return err
			}
		}
		return nil
	}, requests.Wrap)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	Eventually(func() bool { return d.Templates.Watched(configMap) }).WithContext(ctx).Should(BeTrue(), "the kind is watched for the bindings of before")

	c := attached.New(d)
	for _, name := range []string{"config", "selected", "late"} {
		_, err := c.Reconcile(ctx, templates.Key{GroupVersionKind: configMap, NamespacedName: client.ObjectKey{Namespace: space, Name: name}})
		Expect(err).NotTo(HaveOccurred())
	}
	for _, parent := range []workv1alpha2.Binding{p, r} {
		b, _ := fixture.Read(ctx, again, parent).(*workv1alpha2.ResourceBinding)
		_, err = dependencies.New[*workv1alpha2.ResourceBinding](d).Reconcile(ctx, b)
		Expect(err).NotTo(HaveOccurred())
	}
	for _, verb := range []string{"POST", "PATCH", "PUT", "DELETE"} {
		Expect(requests.Made(verb, "resourcebindings", space)).To(BeEmpty())
	}
})
