// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// manageTogether runs one controller on the clusters of several setups.
func manageTogether(ctx context.Context, all ...*setup) {
	GinkgoHelper()
	spaces := map[string]cache.Config{}
	for _, b := range all {
		spaces[names.ExecutionSpace(b.cluster)] = cache.Config{}
	}
	members := member.NewRegistry(hub.Client)
	stop, err := hub.Manage(map[client.Object]cache.ByObject{&workv1alpha1.Work{}: {Namespaces: spaces}}, func(ctx context.Context, mgr ctrl.Manager) error {
		d, err := controllers.NewDeps(mgr, controllers.Environment{Interpreter: interpreter, Owner: owner})
		if err != nil {
			return err
		}
		d.Members, d.Events = members, all[0].events
		return errors.Join(mgr.Add(members), execution.New(d).Register(ctx, mgr))
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	for _, b := range all {
		b.members = members
		b.connect(ctx)
	}
}

// hang takes a request and does not answer it.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// unauthorized refuses the token.
func unauthorized(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }

var _ = Describe("A member that fails", func() {
	value := func(ctx context.Context, b *setup) func() string { return func() string { return b.value(ctx) } }

	// many makes Works of the cluster.
	many := func(ctx context.Context, b *setup, n int) {
		GinkgoHelper()
		for i := range n {
			name := "m" + string(rune('a'+i))
			w := fixture.Work(b.cluster, name, fixture.Object(configMaps, b.namespace, name, nil))
			Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		}
	}

	DescribeTable("delays no other, and its Works are applied once it answers", func(ctx SpecContext, fails http.HandlerFunc) {
		g := newProxy()
		sick, well := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0])), newSetup(ctx, one())
		manageTogether(ctx, sick, well)
		sick.create(ctx, sick.configMap("v"))
		Eventually(value(ctx, sick)).Should(Equal("v"))
		g.Answer(fails)
		before := g.Count("")
		many(ctx, sick, 20)
		Eventually(func() int { return g.Count("") }).Should(BeNumerically(">", before), "requests fail now")
		well.create(ctx, well.configMap("v"))
		Eventually(value(ctx, well)).Should(Equal("v"))
		g.Answer(nil)
		if m, _ := sick.members.Get(sick.cluster); m.Unavailable() == nil {
			// All wait for the answers that do not come; the probes of the cluster find out.
			probe, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			g.Answer(fails)
			m.Discovery.RESTClient().Get().AbsPath("/readyz").Do(probe)
			g.Answer(nil)
		}
		Eventually(func() (int, error) {
			list := &corev1.ConfigMapList{}
			err := onMember.List(ctx, list, client.InNamespace(sick.namespace), client.MatchingLabels{"karmada.io/managed": "true"})
			return len(list.Items), err
		}).WithTimeout(40 * time.Second).Should(Equal(21))
	},
		Entry("to answer", http.HandlerFunc(hang)),
		Entry("to accept the token", http.HandlerFunc(unauthorized)),
	)

	It("gets no more than one request at a time, until it answers", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.configMap("v"))
		g.Answer(unauthorized)
		begin := time.Now()
		for range 50 {
			b.apply(ctx)
		}
		probes := int(time.Since(begin)/time.Second) + 1 // at most, however long this takes
		Expect(g.Count("/api")).To(BeNumerically("<=", 4+probes), "the discovery of the first try, and what asks whether that is over")
		Expect(b.condition(ctx, "Applied")).To(ContainSubstring("credentials"))
	})

	It("by an agent is left to that", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		cluster := b.object(ctx)
		cluster.Spec.SyncMode = clusterv1alpha1.Pull
		Expect(hub.Manager.GetClient().Update(ctx, cluster)).To(Succeed())
		b.restart()
		w := b.create(ctx, b.configMap("v"))
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeZero())
		Expect(b.work(ctx).ResourceVersion).To(Equal(w.ResourceVersion))
		b.delete(ctx)
		b.undo(ctx)
		Expect(b.gone(ctx)).To(BeFalse(), "its finalizer is the agent's to remove")
	})
})

var _ = Describe("A Work whose object others touch", func() {
	value := func(ctx context.Context, b *setup) func() string { return func() string { return b.value(ctx) } }

	It("leaves a field to a controller of the member that sets it each time, until the template changes", func(ctx SpecContext) {
		g := newProxy()
		written := accepted(g)
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(value(ctx, b)).Should(Equal("v"))
		fill(ctx, b, "filled")
		Eventually(func() []workv1alpha1.ManifestDifferences { return b.work(ctx).Status.Differences }).Should(HaveLen(1))
		Expect(b.work(ctx).Status.Differences[0].LeftFields).To(HaveExactElements(workv1alpha1.LeftField{Path: "data.filled", Manager: "injector"}))
		Expect(written()).To(BeNumerically("<=", 6))
		Expect(b.condition(ctx, "Applied")).To(Equal(applied))
		for _, about := range []string{b.key().Namespace + "/w", b.namespace + "/m"} {
			space, name, _ := strings.Cut(about, "/")
			Eventually(func() []string { return b.events.About(space, name) }).Should(ContainElement(And(
				HavePrefix("Warning FieldLeft: ConfigMap "+b.namespace+"/m in cluster "+b.cluster), ContainSubstring("data.filled (injector)"))))
		}

		before := written()
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, "theirs", "data", "key")).To(Succeed())
		})
		Eventually(value(ctx, b)).Should(Equal("v"), "other fields are put back")
		Expect(b.read(ctx, configMaps).Object["data"]).To(HaveKeyWithValue("filled", "theirs"))
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Eventually(value(ctx, b)).Should(Equal("w"))
		Eventually(func() int { return written() - before }).Should(BeNumerically(">=", 5), "another template is fought for again")
	})

	It("puts back its label and its annotations when somebody takes them off", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		b.manage(ctx)
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
		b.watched(ctx, configMaps)
		labels := func() map[string]string { return b.read(ctx, configMaps).GetLabels() }
		annotations := func() map[string]string { return b.read(ctx, configMaps).GetAnnotations() }
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetLabels(nil) })
		Eventually(labels).Should(HaveKeyWithValue("karmada.io/managed", "true"))
		b.watched(ctx, configMaps)
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetAnnotations(nil) })
		Eventually(annotations).Should(HaveKeyWithValue("work.karmada.io/name", "w"))
	})

	It("writes over what its watch has not shown yet", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.watched(ctx, configMaps)
		for range 10 {
			b.edit(ctx, configMaps, setValue("theirs"))
			b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap(time.Now().String())) })
			result, err := b.reconcile(ctx)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.RequeueAfter).To(BeZero())
			Expect(b.value(ctx)).NotTo(Equal("theirs"))
		}
	})

	DescribeTable("takes it from nobody who writes it", func(ctx SpecContext, marks map[string]string, exists bool, want string) {
		b := newSetup(ctx, one())
		theirs := b.configMap("theirs")
		theirs.SetLabels(map[string]string{"karmada.io/managed": "true"})
		marks["work.karmada.io/namespace"] = names.ExecutionSpace(b.cluster)
		theirs.SetAnnotations(marks)
		Expect(onMember.Create(ctx, theirs)).To(Succeed())
		if exists {
			other := fixture.Work(b.cluster, "other", b.configMap("theirs"))
			Expect(hub.Manager.GetClient().Create(ctx, other)).To(Succeed())
		}
		desired := b.configMap("v")
		desired.SetAnnotations(map[string]string{"work.karmada.io/conflict-resolution": "overwrite"})
		b.create(ctx, desired)
		if want == "" {
			Expect(b.apply(ctx)).To(Equal(applied))
			Expect(b.read(ctx, configMaps).GetAnnotations()).To(HaveKeyWithValue("work.dragoman.io/owner", owner))
			return
		}
		Expect(b.apply(ctx)).To(And(HavePrefix("False AppliedFailed"), ContainSubstring("ConfigMap "+b.namespace+"/m in cluster "+b.cluster+" belongs to "+want)))
		Expect(b.value(ctx)).To(Equal("theirs"))
	},
		Entry("another control plane", map[string]string{"work.dragoman.io/owner": "elsewhere", "work.karmada.io/name": "w"}, false, "control plane elsewhere"),
		Entry("another Work", map[string]string{"work.dragoman.io/owner": owner, "work.karmada.io/name": "other"}, true, "work "),
		Entry("another Work, as the peer marks it", map[string]string{"work.karmada.io/name": "other"}, true, "work "),
		Entry("but from a Work that is gone", map[string]string{"work.dragoman.io/owner": owner, "work.karmada.io/name": "other"}, false, ""),
		Entry("but from another control plane of the peer, to overwrite", map[string]string{"work.karmada.io/name": "other"}, false, ""),
	)

	It("adopts a Deployment that runs without a change of its spec, and leaves it so", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(onMember.Create(ctx, b.deployment("nginx", nil))).To(Succeed())
		running := b.read(ctx, deployments)
		desired := b.deployment("nginx", nil)
		desired.SetAnnotations(map[string]string{"work.karmada.io/conflict-resolution": "overwrite", "clusterpropagationpolicy.karmada.io/name": "p"})
		w := fixture.Work(b.cluster, "w", desired)
		w.Spec.PreserveResourcesOnDeletion = new(true)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(b.apply(ctx)).To(Equal(applied))
		adopted := b.read(ctx, deployments)
		Expect(adopted.GetUID()).To(Equal(running.GetUID()))
		Expect(adopted.Object["spec"]).To(Equal(running.Object["spec"]), "another template of its pods would restart them")
		Expect(adopted.GetLabels()).To(HaveKeyWithValue("karmada.io/managed", "true"))

		b.delete(ctx)
		b.undo(ctx)
		left := b.read(ctx, deployments)
		Expect(left.GetUID()).To(Equal(running.GetUID()))
		Expect(left.Object["spec"]).To(Equal(running.Object["spec"]))
		Expect(left.GetLabels()).To(Equal(running.GetLabels()))
		Expect(left.GetAnnotations()).To(Equal(running.GetAnnotations()))
	})
})

var _ = Describe("What a member serves", func() {
	It("is deleted in the version that is left", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		old := schema.GroupVersionKind{Group: b.cluster + ".example.io", Version: "v1beta1", Kind: "Thing"}
		crd := fixture.Definition(old, apiextensionsv1.NamespaceScoped)
		next := *crd.Spec.Versions[0].DeepCopy()
		next.Name, next.Storage = "v1", false
		crd.Spec.Versions = append(crd.Spec.Versions, next)
		Expect(suite.Install(ctx, onMember, crd)).To(Succeed())
		b.create(ctx, fixture.Object(old, b.namespace, "m", nil))
		Expect(b.apply(ctx)).To(Equal(applied))
		Eventually(func() error {
			if err := onMember.Get(ctx, client.ObjectKeyFromObject(crd), crd); err != nil {
				return err
			}
			crd.Spec.Versions[0].Served = false
			return onMember.Update(ctx, crd)
		}).Should(Succeed())
		Eventually(func() int {
			code := 0
			onMemberDiscovery(b).Get().AbsPath("/apis/" + old.GroupVersion().String()).Do(ctx).StatusCode(&code)
			return code
		}).Should(Equal(http.StatusNotFound))
		b.delete(ctx)
		b.ends(ctx, "half a minute later where the watch of the old version has ended before it shows that")
		Expect(b.read(ctx, schema.GroupVersionKind{Group: old.Group, Version: "v1", Kind: old.Kind})).To(BeNil())
	})

	It("wakes the Works that lacked it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		kind := schema.GroupVersionKind{Group: b.cluster + ".example.io", Version: "v1", Kind: "Thing"}
		missing := b.cluster + "-later"
		object := fixture.Object(configMaps, missing, "m", nil)
		Expect(hub.Manager.GetClient().Create(ctx, fixture.Work(b.cluster, "v", object))).To(Succeed())
		b.create(ctx, fixture.Object(kind, b.namespace, "m", nil))
		b.manage(ctx)
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(And(ContainSubstring("does not serve"), HaveSuffix("(not there yet)")))
		Expect(suite.Install(ctx, onMember, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		Eventually(func() string { return b.condition(ctx, "Applied") }).Should(Equal(applied))
		Expect(onMember.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: missing}})).To(Succeed())
		Eventually(func() error {
			return onMember.Get(ctx, client.ObjectKeyFromObject(object), fixture.Object(configMaps, "", "", nil))
		}).Should(Succeed())
	})

	It("is watched as long as a Work has it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		second := fixture.Work(b.cluster, "second", fixture.Object(configMaps, b.namespace, "n", nil))
		Expect(hub.Manager.GetClient().Create(ctx, second)).To(Succeed())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		m, _ := b.members.Get(b.cluster)
		end := func(w *workv1alpha1.Work) {
			GinkgoHelper()
			Expect(hub.Manager.GetClient().Delete(ctx, w)).To(Succeed())
			b.endsAs(ctx, client.ObjectKeyFromObject(w))
			b.controller.Unwatch(ctx)
		}
		end(b.work(ctx))
		Expect(m.Watched(configMaps)).To(BeTrue(), "the second Work has it too")
		Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Namespace: second.Namespace, Name: "second"}, second)).To(Succeed())
		second.Finalizers = []string{"karmada.io/execution-controller"}
		Expect(hub.Manager.GetClient().Update(ctx, second)).To(Succeed())
		end(second)
		Expect(m.Watched(configMaps)).To(BeFalse())
	})
})

// accepted returns how many PUT requests through a proxy the member has carried out: one that meets
// what another wrote meanwhile is sent again.
func accepted(g *suite.Proxy) func() int {
	var n atomic.Int32
	g.Answer(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{ResponseWriter: w}
		g.Pass(s, r)
		if r.Method == http.MethodPut && s.code == http.StatusOK {
			n.Add(1)
		}
	})
	return func() int { return int(n.Load()) }
}

// statusWriter keeps the code of a response.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader keeps the code.
func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap has a controller of the response find what flushes it.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// fill stands in for a controller of the member that fills a key of the ConfigMap m
// whenever it is not there.
func fill(ctx context.Context, b *setup, key string) {
	GinkgoHelper()
	w, err := onMember.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(b.namespace), client.MatchingFields{"metadata.name": "m"})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.Stop)
	go func() {
		for e := range w.ResultChan() {
			o, ok := e.Object.(*corev1.ConfigMap)
			if !ok || o.Data[key] != "" {
				continue
			}
			o.Data[key] = "theirs"
			_ = onMember.Update(ctx, o, client.FieldOwner("injector")) // a conflict is another event
		}
	}()
}

func onMemberDiscovery(b *setup) rest.Interface {
	GinkgoHelper()
	m, ok := b.members.Get(b.cluster)
	Expect(ok).To(BeTrue())
	return m.Discovery.RESTClient()
}
