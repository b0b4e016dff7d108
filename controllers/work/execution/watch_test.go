// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/transport"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// manage runs the controller on the cluster of a setup alone, connected to it. The
// specs wait shorter than the controller does for an event that it missed.
func (b *setup) manage(ctx context.Context) {
	GinkgoHelper()
	b.manageBy(ctx, func(_ context.Context, mgr ctrl.Manager) (controllers.Deps, error) {
		return controllers.NewDeps(mgr, controllers.Environment{Interpreter: interpreter})
	})
}

// manageBy runs it with some dependencies, and what sees its requests.
func (b *setup) manageBy(ctx context.Context, deps func(context.Context, ctrl.Manager) (controllers.Deps, error), wrappers ...transport.WrapperFunc) {
	GinkgoHelper()
	stop, err := hub.Manage(map[client.Object]cache.ByObject{
		&workv1alpha1.Work{}:       {Namespaces: map[string]cache.Config{names.ExecutionSpace(b.cluster): {}}},
		&clusterv1alpha1.Cluster{}: {Field: fields.OneTermEqualSelector("metadata.name", b.cluster)},
	}, func(ctx context.Context, mgr ctrl.Manager) error {
		d, err := deps(ctx, mgr)
		if err != nil {
			return err
		}
		b.members = member.NewRegistry(hub.Client) // the manager does not see the Secret at once
		d.Members, d.Events, d.Owner = b.members, b.events, owner
		return errors.Join(mgr.Add(b.members), execution.New(d).Register(ctx, mgr))
	}, wrappers...)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	b.connect(ctx)
}

var _ = Describe("The controller of Works", func() {
	value := func(ctx context.Context, b *setup) func() string { return func() string { return b.value(ctx) } }

	It("is woken by a Work that is new, changed, deleted", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.manage(ctx)
		w := b.create(ctx, b.configMap("v"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		Eventually(func() error {
			if err := hub.Client.Get(ctx, b.key(), w); err != nil {
				return err
			}
			fixture.SetManifest(w, b.configMap("w"))
			return hub.Client.Update(ctx, w)
		}).Should(Succeed())
		Eventually(value(ctx, b)).Should(Equal("w"))
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(value(ctx, b)).Should(Equal("gone"))
		Eventually(func() bool { return b.gone(ctx) }).Should(BeTrue())
	})

	It("is woken by an object that somebody changed or deleted", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(value(ctx, b)).Should(Equal("v"))
		b.edit(ctx, configMaps, setValue("theirs"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Eventually(value(ctx, b)).Should(Equal("v"))
	})

	It("is woken by a cluster that becomes ready", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.ready(ctx, metav1.ConditionFalse)
		b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(HaveSuffix("cluster not ready: " + b.cluster))
		b.ready(ctx, metav1.ConditionTrue)
		Eventually(value(ctx, b)).Should(Equal("v"))
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
	})

	It("is woken by a cluster that serves another kind", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		kind := schema.GroupVersionKind{Group: b.cluster + ".example.io", Version: "v1", Kind: "Thing"}
		b.create(ctx, fixture.Object(kind, b.namespace, "m", nil))
		b.manage(ctx)
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(ContainSubstring("does not serve"))
		Expect(suite.Install(ctx, onMember, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		cluster := b.object(ctx)
		cluster.Status.APIEnablements = []clusterv1alpha1.APIEnablement{{GroupVersion: kind.GroupVersion().String()}}
		Expect(hub.Manager.GetClient().Status().Update(ctx, cluster)).To(Succeed())
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
	})

	It("is woken when other scripts retain", func(ctx SpecContext) {
		b, rules := newSetup(ctx, one()), engine.NewInterpreter(engine.Options{})
		w := b.create(ctx, b.configMap("v"))
		b.manageBy(ctx, func(ctx context.Context, mgr ctrl.Manager) (controllers.Deps, error) {
			return suite.Customize(ctx, mgr, rules)
		})
		Eventually(value(ctx, b)).Should(Equal("v"))
		retention := func(lua string) configv1alpha1.CustomizationRules {
			return configv1alpha1.CustomizationRules{Retention: &configv1alpha1.Script{LuaScript: lua}}
		}
		cr := suite.Customization(b.cluster, configMaps, retention("function Retain(desired, observed) desired.data.key = 'one' return desired end"))
		Expect(hub.Client.Create(ctx, cr)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Client.Delete(ctx, cr))).To(Succeed()) })
		Eventually(value(ctx, b)).Should(Equal("one"))
		Eventually(func() error {
			if err := hub.Client.Get(ctx, client.ObjectKeyFromObject(cr), cr); err != nil {
				return err
			}
			cr.Spec.Customizations = retention("function Retain(desired, observed) desired.data.key = 'two' return desired end")
			return hub.Client.Update(ctx, cr)
		}).Should(Succeed())
		Eventually(value(ctx, b)).Should(Equal("two"))
		Expect(hub.Client.Delete(ctx, cr)).To(Succeed())
		Eventually(value(ctx, b)).Should(Equal("v"), "nothing retains any more")
		Expect(b.work(ctx).Generation).To(Equal(w.Generation), "nobody touched the Work")
	})

	It("is woken by a new connection, and watches on that", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
		first, _ := b.members.Get(b.cluster)
		secret := &corev1.Secret{}
		Expect(hub.Client.Get(ctx, types.NamespacedName{Namespace: names.ClusterNamespace, Name: b.cluster}, secret)).To(Succeed())
		delete(secret.Data, clusterv1alpha1.SecretCADataKey)
		Expect(hub.Client.Update(ctx, secret)).To(Succeed())
		cluster := b.object(ctx)
		cluster.Spec.InsecureSkipTLSVerification = true
		Expect(hub.Manager.GetClient().Update(ctx, cluster)).To(Succeed())
		b.connect(ctx)
		second, _ := b.members.Get(b.cluster)
		Expect(second).NotTo(BeIdenticalTo(first))
		b.edit(ctx, configMaps, setValue("theirs"))
		Eventually(value(ctx, b)).Should(Equal("v"), "the watches of the first connection ended with it")
	})

	It("is woken by the end of an object that took its time", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		w := b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(value(ctx, b)).Should(Equal("v"))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.io/slow"}) })
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(func() bool { return b.read(ctx, configMaps).GetDeletionTimestamp() != nil }).Should(BeTrue())
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
		Eventually(func() bool { return b.gone(ctx) }).Should(BeTrue())
	})

	It("is woken by a cluster that is lost while it leaves", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		w := b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(value(ctx, b)).Should(Equal("v"))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.io/never"}) })
		b.leave(ctx)
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(func() bool { return b.read(ctx, configMaps).GetDeletionTimestamp() != nil }).Should(BeTrue())
		b.ready(ctx, metav1.ConditionFalse)
		Eventually(func() bool { return b.gone(ctx) }).Should(BeTrue())
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
	})
})
