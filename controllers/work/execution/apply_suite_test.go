// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("A Work", func() {
	It("creates its object in the member, and reports it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.condition(ctx, workv1alpha1.WorkDispatching)).To(Equal("True Dispatching: Work is being dispatched to the member cluster."))
		Expect(b.value(ctx)).To(Equal("v"))
		o := b.read(ctx, configMaps)
		Expect(o.GetLabels()).To(HaveKeyWithValue("karmada.io/managed", "true"))
		Expect(o.GetAnnotations()).To(HaveKeyWithValue("work.karmada.io/name", "w"))
		Expect(meta.FindStatusCondition(b.work(ctx).Status.Conditions, "Applied").ObservedGeneration).To(Equal(b.work(ctx).Generation))
	})

	It("changes the object when the Work changes", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("w"))
		Expect(meta.FindStatusCondition(b.work(ctx).Status.Conditions, "Applied").ObservedGeneration).To(BeEquivalentTo(2))
	})

	It("makes the object again when somebody deleted it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	It("puts back what somebody changed", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) {
			o.Object["data"] = map[string]any{"key": "theirs", "more": "theirs"}
			unstructured.RemoveNestedField(o.Object, "metadata", "annotations", "work.karmada.io/permanent-id")
		})
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.read(ctx, configMaps).Object["data"]).To(Equal(map[string]any{"key": "v"}))
	})

	It("writes nothing when nothing changed, whatever the member fills in", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.deployment("nginx", nil))
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(writes(g)).To(Equal(1), "the creation")
		Expect(b.apply(ctx)).To(Equal(applied))
		b.watched(ctx, deployments)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(writes(g)).To(Equal(1))

		version := b.work(ctx).ResourceVersion
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.work(ctx).ResourceVersion).To(Equal(version), "nor is the Work written")
	})

	It("writes nothing after a restart", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.deployment("nginx", nil))
		Expect(b.apply(ctx)).To(Equal(applied))
		before := b.read(ctx, deployments)
		b.restart()
		b.connect(ctx)
		for range 3 {
			Expect(b.apply(ctx)).To(Equal(applied))
		}
		Expect(g.Count("PUT ")).To(BeZero())
		Expect(b.read(ctx, deployments)).To(Equal(before))
	})

	It("keeps what others put on the object, and takes off what it does not want any more", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		desired := b.configMap("v")
		desired.SetLabels(map[string]string{"ours": "1", "dropped": "1"})
		desired.SetAnnotations(map[string]string{"our-note": "1", "dropped-note": "1"})
		b.create(ctx, desired)
		Expect(b.apply(ctx)).To(Equal(applied))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) {
			labels, annotations := o.GetLabels(), o.GetAnnotations()
			labels["theirs"], labels["ours"], annotations["their-note"] = "1", "2", "1"
			o.SetLabels(labels)
			o.SetAnnotations(annotations)
			o.SetFinalizers([]string{"example.io/theirs"})
		})
		b.watched(ctx, configMaps)
		desired.SetLabels(map[string]string{"ours": "1"})
		desired.SetAnnotations(map[string]string{"our-note": "1"})
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, desired) })
		Expect(b.apply(ctx)).To(Equal(applied))
		o := b.read(ctx, configMaps)
		Expect(o.GetLabels()).To(And(HaveKeyWithValue("theirs", "1"), HaveKeyWithValue("ours", "1"), Not(HaveKey("dropped"))))
		Expect(o.GetAnnotations()).To(And(HaveKeyWithValue("their-note", "1"), HaveKeyWithValue("our-note", "1"), Not(HaveKey("dropped-note"))))
		Expect(o.GetFinalizers()).To(Equal([]string{"example.io/theirs"}))
	})

	It("leaves an object alone that is not managed from here", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(onMember.Create(ctx, b.configMap("theirs"))).To(Succeed())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(And(
			HavePrefix("False AppliedFailed: Failed to apply all manifests (0/1): ConfigMap "+b.namespace+"/m is in cluster "+b.cluster+" already and is not managed from here"),
			ContainSubstring("conflictResolution: Overwrite"),
		))
		Expect(b.value(ctx)).To(Equal("theirs"))
		Expect(b.read(ctx, configMaps).GetLabels()).To(BeEmpty())
		Expect(b.events.About(b.key().Namespace, "w")).To(ContainElement(HavePrefix("Warning SyncWorkFailed: ConfigMap ")))
	})

	It("takes an object over when it may, with the labels of its owner", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		theirs := b.configMap("theirs")
		theirs.SetLabels(map[string]string{"theirs": "1"})
		Expect(onMember.Create(ctx, theirs)).To(Succeed())
		desired := b.configMap("v")
		desired.SetAnnotations(map[string]string{"work.karmada.io/conflict-resolution": "overwrite"})
		b.create(ctx, desired)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
		Expect(b.read(ctx, configMaps).GetLabels()).To(And(HaveKeyWithValue("theirs", "1"), HaveKeyWithValue("karmada.io/managed", "true")))
	})

	It("leaves the object of another Work alone", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		rival := fixture.Work(b.cluster, "rival", b.configMap("rival"))
		Expect(hub.Manager.GetClient().Create(ctx, rival)).To(Succeed())
		_, err := b.controller.Reconcile(ctx, rival)
		Expect(err).To(MatchError(ContainSubstring("belongs to work " + b.key().String() + "; two works must not write one object")))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	It("writes nothing while it is suspended, and continues afterwards", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		w := fixture.Work(b.cluster, "w", b.configMap("v"))
		w.Spec.SuspendDispatching = new(true)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(b.apply(ctx)).To(Equal("none"))
		Expect(b.condition(ctx, workv1alpha1.WorkDispatching)).To(Equal("False SuspendDispatching: Work dispatching is in a suspended state."))
		Expect(b.value(ctx)).To(Equal("gone"))

		b.change(ctx, func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = nil })
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.condition(ctx, workv1alpha1.WorkDispatching)).To(HavePrefix("True"))
		Expect(b.value(ctx)).To(Equal("v"))

		b.change(ctx, func(w *workv1alpha1.Work) { w.Spec.SuspendDispatching = new(true) })
		b.edit(ctx, configMaps, setValue("theirs"))
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied), "what was applied stays so")
		Expect(b.value(ctx)).To(Equal("theirs"), "a suspended Work does not put back either")

		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("gone"), "nor does it create again what somebody deleted")
	})

	It("retains what the script of its kind retains", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		owned := map[string]string{"resourcetemplate.karmada.io/retain-replicas": "true"}
		b.create(ctx, b.deployment("nginx", owned))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.edit(ctx, deployments, func(o *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(o.Object, int64(7), "spec", "replicas")).To(Succeed())
		})
		b.watched(ctx, deployments)
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.deployment("caddy", owned)) })
		Expect(b.apply(ctx)).To(Equal(applied))
		o := b.read(ctx, deployments)
		replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
		Expect(replicas).To(BeEquivalentTo(7))
		containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		Expect(containers).To(HaveExactElements(HaveKeyWithValue("image", "caddy")))
	})

	It("reports where the script that retains failed, and writes nothing", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.controller.Interpreter = retaining("function Retain(desired, observed)\n  error('no idea')\nend")
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Expect(b.apply(ctx)).To(And(HavePrefix("False "), ContainSubstring("retain.lua:2"), ContainSubstring("no idea")))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	It("reports as much as fits, when a script raises an endless text", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.controller.Interpreter = retaining("function Retain(desired, observed)\n  error(string.rep('x', 100000))\nend")
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		Expect(b.apply(ctx)).To(And(HavePrefix("False "), ContainSubstring("retain.lua:2")))
		Expect(b.events.About(b.key().Namespace, "w")).To(HaveExactElements(ContainSubstring("retain.lua:2")))
	})

	It("with a manifest that is not an object reports it, and is not tried again", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		w := fixture.Work(b.cluster, "w", b.configMap("v"))
		w.Spec.Workload.Manifests[0].Raw = []byte(`{"metadata":{"name":"m"}}`)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		_, err := b.reconcile(ctx)
		Expect(errors.Is(err, reconcile.TerminalError(nil))).To(BeTrue(), "only another manifest helps: %v", err)
		Expect(b.condition(ctx, "Applied")).To(And(
			HavePrefix("False AppliedFailed: Failed to apply all manifests (0/1): read manifest 0: manifest is not an object: "), ContainSubstring("'Kind' is missing")))
	})

	It("applies all the manifests that it has", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		second := fixture.Object(configMaps, b.namespace, "n", map[string]any{"data": map[string]any{"key": "second"}})
		w, v := fixture.Work(b.cluster, "w", b.deployment("nginx", nil)), fixture.Work(b.cluster, "w", second)
		w.Spec.Workload.Manifests = append(w.Spec.Workload.Manifests, v.Spec.Workload.Manifests...)
		w.Spec.Workload.Manifests = append(w.Spec.Workload.Manifests, workv1alpha1.Manifest{RawExtension: runtime.RawExtension{Raw: []byte(`{}`)}})
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		Expect(b.apply(ctx)).To(HavePrefix("False AppliedFailed: Failed to apply all manifests (2/3): read manifest 2: manifest is not an object"))
		Expect(writes(g)).To(Equal(2))
		b.watched(ctx, deployments)
		b.apply(ctx)
		Expect(writes(g)).To(Equal(2), "each is remembered apart")
	})

	It("of a kind that the member does not serve reports it, and is applied once it is served", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		kind := schema.GroupVersionKind{Group: b.cluster + ".example.io", Version: "v1", Kind: "Thing"}
		b.create(ctx, fixture.Object(kind, b.namespace, "m", nil))
		Expect(b.apply(ctx)).To(HavePrefix("False AppliedFailed: Failed to apply all manifests (0/1): cluster " + b.cluster + " does not serve " + kind.String()))
		Expect(suite.Install(ctx, onMember, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		Eventually(func() string { return b.apply(ctx) }).Should(Equal(applied))
	})

	It("waits for a cluster that is not ready", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.ready(ctx, metav1.ConditionFalse)
		b.create(ctx, b.configMap("v"))
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeZero(), "its event wakes the Work")
		Expect(b.condition(ctx, "Applied")).To(Equal("False AppliedFailed: Failed to apply all manifests (0/1): cluster not ready: " + b.cluster))
		Expect(b.events.About(b.key().Namespace, "w")).To(BeEmpty(), "nothing happened")
		b.ready(ctx, metav1.ConditionTrue)
		Expect(b.apply(ctx)).To(Equal(applied))
	})

	It("waits for the connection after a restart", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		b.restart()
		Expect(b.apply(ctx)).To(HavePrefix("False AppliedFailed"))
		b.connect(ctx)
		Expect(b.apply(ctx)).To(Equal(applied))
	})

	It("stays applied while its cluster is away", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.ready(ctx, metav1.ConditionFalse)
		Expect(b.apply(ctx)).To(Equal(applied), "the object is where it was")
	})

	It("of a cluster that is not there waits for it", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		Expect(hub.Manager.GetClient().Delete(ctx, b.object(ctx))).To(Succeed())
		b.create(ctx, b.configMap("v"))
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeZero(), "its event wakes the Work")
		Expect(b.condition(ctx, "Applied")).To(HaveSuffix("cluster gone: " + b.cluster))
	})

	It("stays applied over a conflict, which is tried again at once", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		g.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPut {
				g.Pass(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusConflict)
			_ = json.NewEncoder(w).Encode(apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "m", errors.New("changed")).Status())
		})
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap("w")) })
		result, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeNumerically(">", 0))
		Expect(result.RequeueAfter).To(BeNumerically("<", time.Second))
		Expect(b.condition(ctx, "Applied")).To(Equal(applied))
		Expect(b.events.About(b.key().Namespace, "w")).To(BeEmpty())
	})

	It("reports that it was applied, when the second try follows the first at once", func(ctx SpecContext) {
		g := newProxy()
		b := newSetup(ctx, suite.Through(g, hub.Fleet.Members[0]))
		b.create(ctx, b.deployment("nginx", nil))
		Expect(b.apply(ctx)).To(Equal(applied))
		for i := range 20 {
			b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.deployment(fmt.Sprintf("nginx:%d", i), nil)) })
			g.Answer(fail)
			_, err := b.reconcile(ctx)
			Expect(err).To(HaveOccurred())
			g.Answer(nil)
			_, err = b.reconcile(ctx) // a cache that lags has the Work from before the first try
			Expect(err).NotTo(HaveOccurred())
			Expect(liveCondition(ctx, b)).To(Equal(metav1.ConditionTrue))
		}
	})

	It("waits for the end of an object that somebody deleted", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.create(ctx, b.configMap("v"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"example.io/slow"}) })
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(HaveSuffix("object is being deleted: ConfigMap " + b.namespace + "/m in cluster " + b.cluster + "; it is created again once it is gone"))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	It("outside of an execution namespace is nobody's", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		namespace, err := hub.Namespace(ctx)
		Expect(err).NotTo(HaveOccurred())
		w := fixture.Work(b.cluster, "w", b.configMap("v"))
		w.Namespace = namespace
		Expect(hub.Client.Create(ctx, w)).To(Succeed())
		_, err = b.controller.Reconcile(ctx, w)
		Expect(err).NotTo(HaveOccurred())
		Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
		Expect(w.Status.Conditions).To(BeEmpty())
	})
})

// deployment makes the Deployment m, which the API server fills in a lot of.
func (b *setup) deployment(image string, labels map[string]string) *unstructured.Unstructured {
	o := fixture.Object(deployments, b.namespace, "m", map[string]any{"spec": map[string]any{
		"replicas": int64(2),
		"selector": map[string]any{"matchLabels": map[string]any{"app": "m"}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "m"}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": image}}},
		},
	}})
	o.SetLabels(labels)
	return o
}

// retaining returns an interpreter whose script for ConfigMaps is retain.lua.
func retaining(source string) *engine.Interpreter {
	GinkgoHelper()
	compiler, err := engine.NewCompiler()
	Expect(err).NotTo(HaveOccurred())
	program, err := compiler.Lua(engine.Script{File: "retain.lua", Operation: engine.Retain, Text: source})
	Expect(err).NotTo(HaveOccurred())
	i := engine.NewInterpreter(engine.Options{})
	Expect(i.Set(engine.Embedded, engine.RuleSet{Name: "spec", Kinds: map[schema.GroupVersionKind]engine.Rules{
		configMaps: {engine.Retain: {Program: program, Origin: "bundle spec"}},
	}})).To(Succeed())
	return i
}

func fail(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }

// liveCondition reads the Applied condition without a cache.
func liveCondition(ctx SpecContext, b *setup) metav1.ConditionStatus {
	GinkgoHelper()
	w := &workv1alpha1.Work{}
	Expect(hub.Client.Get(ctx, b.key(), w)).To(Succeed())
	return meta.FindStatusCondition(w.Status.Conditions, "Applied").Status
}
