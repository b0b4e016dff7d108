// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/work/status"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var _ = Describe("The status of a Work", func() {
	It("is what the scripts of the kind make of the object in the member", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.create(ctx, fixture.Deployment(b.namespace, "m"))
		b.setStatus(ctx, deployments, map[string]any{"observedGeneration": int64(1), "replicas": int64(2), "updatedReplicas": int64(1), "conditions": []any{}})
		Eventually(b.reconciled(ctx)).Should(Equal([]string{`m Unhealthy {"availableReplicas":0,"generation":1,"observedGeneration":1,"readyReplicas":0,"replicas":2,"updatedReplicas":1}`}))
		Expect(b.work(ctx).Status.ManifestStatuses[0].Identifier).To(Equal(workv1alpha1.ResourceIdentifier{
			Group: "apps", Version: "v1", Kind: "Deployment", Namespace: b.namespace, Name: "m",
		}))
		b.setStatus(ctx, deployments, map[string]any{"observedGeneration": int64(1), "replicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2), "readyReplicas": int64(2)})
		Eventually(b.reconciled(ctx)).Should(HaveExactElements(HavePrefix("m Healthy ")))
	})

	It("is the whole status, and healthy, of a kind without scripts", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.use(engine.NewInterpreter(engine.Options{}))
		b.create(ctx, fixture.Deployment(b.namespace, "m"))
		b.setStatus(ctx, deployments, map[string]any{"replicas": int64(2)})
		Eventually(b.reconciled(ctx)).Should(Equal([]string{`m Healthy {"replicas":2}`}))
	})

	It("is health alone of an object that has no status", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.create(ctx, b.configMap())
		Eventually(b.reconciled(ctx)).Should(Equal([]string{"m Healthy"}))
	})

	It("has unknown health when the script fails, and reports it in an event", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.use(fixture.Answering(deployments, engine.InterpretHealth, "function InterpretHealth(o)\n  error('no idea')\nend"))
		b.create(ctx, fixture.Deployment(b.namespace, "m"))
		b.setStatus(ctx, deployments, map[string]any{"replicas": int64(2)})
		Eventually(b.reconciled(ctx)).Should(Equal([]string{`m Unknown {"replicas":2}`}), "the rest is reported all the same")
		Expect(b.events.About(b.key().Namespace, "w")).To(ContainElement(And(HavePrefix("Warning InterpretHealthFailed: "), ContainSubstring("health.lua:2"), ContainSubstring("no idea"))))
	})

	It("stays as it was while a customization is not compiled yet", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.create(ctx, fixture.Deployment(b.namespace, "m"))
		b.setStatus(ctx, deployments, map[string]any{"replicas": int64(2)})
		Eventually(b.reconciled(ctx)).Should(HaveExactElements(HavePrefix("m Unhealthy ")))
		before := b.work(ctx).Status
		some := &configv1alpha1.Script{LuaScript: "x"}
		for _, rules := range []configv1alpha1.CustomizationRules{{HealthInterpretation: some}, {StatusReflection: some}} {
			waiting := engine.NewInterpreter(engine.Options{})
			Expect(waiting.Set(engine.Customizations, engine.Pending(suite.Customization("c", deployments, rules)))).To(Succeed())
			b.use(waiting)
			err := b.reconcile(ctx)
			Expect(err).To(MatchError(ContainSubstring("customization c is not compiled yet")), "it is tried again")
			Expect(b.work(ctx).Status).To(Equal(before))
		}
		Expect(b.events.About(b.key().Namespace, "w")).To(BeEmpty())
	})

	It("leaves out what the script fails to reflect, and reports it in an event", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.use(fixture.Answering(deployments, engine.InterpretStatus, "function ReflectStatus(o)\n  error('no idea')\nend"))
		b.create(ctx, fixture.Deployment(b.namespace, "m"))
		Eventually(b.reconciled(ctx)).Should(Equal([]string{"m Healthy"}))
		Expect(b.events.About(b.key().Namespace, "w")).To(ContainElement(And(HavePrefix("Warning ReflectStatusFailed: "), ContainSubstring("status.lua:2"))))
	})

	It("is written only when it changed, whatever stands in it", func(ctx SpecContext) {
		b := newSetup(ctx)
		kind := schema.GroupVersionKind{Group: b.cluster + ".example.io", Version: "v1", Kind: "Thing"}
		Expect(suite.Install(ctx, onMember, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		b.create(ctx, fixture.Object(kind, b.namespace, "m", nil))
		odd := `{"text":"a <b> & 'c' ☃ \u2028","half":0.5,"whole":1.0,"large":1e21,"many":9007199254740993,"none":null,"empty":{},"list":[]}`
		b.setStatus(ctx, kind, parsed(odd))
		Eventually(b.reconciled(ctx)).Should(HaveExactElements(ContainSubstring("large")))
		before := b.work(ctx)
		Expect(b.reconciled(ctx)()).To(Equal(statuses(before)))
		Expect(b.work(ctx).ResourceVersion).To(Equal(before.ResourceVersion))
	})

	It("reports nothing of an object that does not exist, and keeps what it reported of one that did", func(ctx SpecContext) {
		b := newSetup(ctx)
		Expect(hub.Manager.GetClient().Create(ctx, fixture.Work(b.cluster, "w", b.configMap()))).To(Succeed())
		Expect(b.reconciled(ctx)()).To(BeEmpty())
		b.put(ctx, b.work(ctx))
		Eventually(b.reconciled(ctx)).Should(Equal([]string{"m Healthy"}))
		Expect(onMember.Delete(ctx, b.configMap())).To(Succeed())
		m, _ := b.members.Get(b.cluster)
		Eventually(func() error {
			_, err := m.Get(configMaps, types.NamespacedName{Namespace: b.namespace, Name: "m"})
			return err
		}).Should(HaveOccurred())
		Expect(b.reconciled(ctx)()).To(Equal([]string{"m Healthy"}))
	})

	It("reports nothing of the object of another Work", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.put(ctx, fixture.Work(b.cluster, "rival", b.configMap()))
		Expect(hub.Manager.GetClient().Create(ctx, fixture.Work(b.cluster, "w", b.configMap()))).To(Succeed())
		m, _ := b.members.Get(b.cluster)
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		Eventually(func() error {
			_, err := m.Get(configMaps, types.NamespacedName{Namespace: b.namespace, Name: "m"})
			return err
		}).Should(Succeed())
		Expect(b.reconciled(ctx)()).To(BeEmpty())
	})

	It("reports nothing of a kind that the member does not serve", func(ctx SpecContext) {
		b := newSetup(ctx)
		kind := schema.GroupVersionKind{Group: "nobody.example.io", Version: "v1", Kind: "Thing"}
		Expect(hub.Manager.GetClient().Create(ctx, fixture.Work(b.cluster, "w", fixture.Object(kind, b.namespace, "m", nil)))).To(Succeed())
		Expect(b.reconciled(ctx)()).To(BeEmpty())
	})

	It("stands in the order of the manifests, and goes with them", func(ctx SpecContext) {
		b := newSetup(ctx)
		w, v := fixture.Work(b.cluster, "w", b.configMap()), fixture.Work(b.cluster, "w", fixture.Object(configMaps, b.namespace, "n", nil))
		w.Spec.Workload.Manifests = append(w.Spec.Workload.Manifests, v.Spec.Workload.Manifests...)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		b.put(ctx, v)
		Eventually(b.reconciled(ctx)).Should(Equal([]string{"n Healthy"}))
		b.put(ctx, fixture.Work(b.cluster, "w", b.configMap()))
		Eventually(b.reconciled(ctx)).Should(Equal([]string{"m Healthy", "n Healthy"}))
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, b.configMap()) })
		Expect(b.reconciled(ctx)()).To(Equal([]string{"m Healthy", "n Healthy"}), "nobody has applied the new generation")
		b.report(ctx, w)
		Expect(b.reconciled(ctx)()).To(Equal([]string{"m Healthy"}))
	})

	It("is left to the write that reports that the Work is applied", func(ctx SpecContext) {
		b := newSetup(ctx)
		w := fixture.Work(b.cluster, "w", b.configMap())
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		b.place(ctx, w)
		m, _ := b.members.Get(b.cluster)
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		Eventually(func() error {
			_, err := m.Get(configMaps, types.NamespacedName{Namespace: b.namespace, Name: "m"})
			return err
		}).Should(Succeed())
		Expect(b.reconciled(ctx)()).To(BeEmpty(), "a write of its own would be one more for each object")
		b.report(ctx, w)
		Expect(b.reconciled(ctx)()).To(Equal([]string{"m Healthy"}))
	})

	It("does not undo the conditions that somebody else wrote meanwhile", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.create(ctx, b.configMap())
		Eventually(b.reconciled(ctx)).Should(Equal([]string{"m Healthy"}))
		stale, live := b.work(ctx), b.work(ctx)
		stale.Status.ManifestStatuses = nil // as it was before the object was watched
		meta.SetStatusCondition(&live.Status.Conditions, metav1.Condition{Type: workv1alpha1.WorkDispatching, Status: metav1.ConditionTrue, Reason: "Spec"})
		Expect(hub.Manager.GetClient().Status().Update(ctx, live)).To(Succeed())
		result, err := b.controller.Reconcile(ctx, stale)
		Expect(err).NotTo(HaveOccurred(), "a conflict is no error")
		Expect(result.RequeueAfter).NotTo(BeZero())
		Expect(b.reconciled(ctx)()).To(Equal([]string{"m Healthy"}))
		Expect(b.work(ctx).Status.Conditions).To(HaveLen(2))
	})

	It("does not change while the Work is deleted, and of no cluster", func(ctx SpecContext) {
		b := newSetup(ctx)
		b.create(ctx, b.configMap())
		Expect(hub.Manager.GetClient().Delete(ctx, b.work(ctx))).To(Succeed())
		Expect(b.reconciled(ctx)()).To(BeEmpty())
		b.members.Disconnect(b.cluster)
		Expect(b.reconciled(ctx)()).To(BeEmpty())
	})
})

var _ = Describe("The controller of the status of Works", func() {
	var changes *rulechange.Changes
	BeforeEach(func() { changes = &rulechange.Changes{} })
	// manage runs the controller on the Works of a setup.
	manage := func(b *setup) {
		GinkgoHelper()
		stop, err := hub.Manage(map[client.Object]cache.ByObject{
			&workv1alpha1.Work{}: {Namespaces: map[string]cache.Config{names.ExecutionSpace(b.cluster): {}}},
		}, func(ctx context.Context, mgr ctrl.Manager) error {
			b.members = member.NewRegistry(hub.Client)
			d := base.Deps{Client: mgr.GetClient(), Members: b.members, Interpreter: b.interpreter, Changes: changes, Clock: clock.RealClock{}, Events: b.events}
			return errors.Join(mgr.Add(b.members), status.New(d).Register(ctx, mgr))
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
	}
	line := func(ctx context.Context, b *setup) func() string {
		return func() string { return strings.Join(statuses(b.work(ctx)), ", ") }
	}
	watch := func(ctx context.Context, b *setup, kind schema.GroupVersionKind) {
		GinkgoHelper()
		m, _ := b.members.Get(b.cluster)
		Expect(m.Watch(ctx, kind)).To(Succeed())
	}

	It("is woken by an object that is new or changed", func(ctx SpecContext) {
		b := newSetup(ctx)
		probe := fixture.Work(b.cluster, "probe", fixture.Object(configMaps, b.namespace, "probe", nil))
		Expect(hub.Manager.GetClient().Create(ctx, probe)).To(Succeed())
		b.put(ctx, probe)
		manage(b)
		b.connect(ctx)
		Eventually(func() ([]string, error) {
			err := hub.Client.Get(ctx, client.ObjectKeyFromObject(probe), probe)
			return statuses(probe), err
		}).Should(Equal([]string{"probe Healthy"}), "the controller runs")
		b.create(ctx, fixture.Deployment(b.namespace, "m"))
		watch(ctx, b, deployments) // as the execution controller does
		Eventually(line(ctx, b)).Should(HavePrefix("m "))
		b.setStatus(ctx, deployments, map[string]any{"observedGeneration": int64(1), "replicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2), "readyReplicas": int64(2)})
		Eventually(line(ctx, b)).Should(HavePrefix("m Healthy "))
	})

	It("is woken by a Work that becomes applied", func(ctx SpecContext) {
		b := newSetup(ctx)
		manage(b)
		b.connect(ctx)
		w := fixture.Work(b.cluster, "w", b.configMap())
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		b.place(ctx, w)
		b.report(ctx, w)
		Eventually(line(ctx, b)).Should(Equal("m Healthy"))
	})

	It("is woken by a new connection, also for a Work that is suspended", func(ctx SpecContext) {
		b := newSetup(ctx)
		w := fixture.Work(b.cluster, "w", b.configMap())
		w.Spec.SuspendDispatching = new(true)
		Expect(hub.Manager.GetClient().Create(ctx, w)).To(Succeed())
		b.put(ctx, w)
		manage(b)
		b.connect(ctx)
		Eventually(line(ctx, b)).Should(Equal("m Healthy"))
	})

	It("reports how an object ended that was removed at once", func(ctx SpecContext) {
		b := newSetup(ctx)
		finished := fixture.RuleSet(configMaps, engine.InterpretFinished, `function IsFinished(o) return kube.get(o, { "data", "done" }) == "yes" end`)
		rules := fixture.RuleSet(configMaps, engine.InterpretHealth, `function InterpretHealth(o) return kube.get(o, { "data", "done" }) == "yes" end`)
		rules.Kinds[configMaps][engine.InterpretFinished] = finished.Kinds[configMaps][engine.InterpretFinished]
		i := engine.NewInterpreter(engine.Options{})
		Expect(i.Set(engine.Embedded, rules)).To(Succeed())
		b.use(i)
		b.create(ctx, b.configMap())
		manage(b)
		b.connect(ctx)
		Eventually(line(ctx, b)).Should(Equal("m Unhealthy"))
		o := b.configMap()
		Expect(onMember.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
		o.Object["data"] = map[string]any{"done": "yes"}
		Expect(onMember.Update(ctx, o)).To(Succeed())
		Expect(onMember.Delete(ctx, o)).To(Succeed())
		Eventually(line(ctx, b)).Should(Equal("m Healthy"))
	})

	It("is woken when other scripts answer for the kind", func(ctx SpecContext) {
		b := newSetup(ctx)
		i := fixture.Answering(configMaps, engine.InterpretHealth, "function InterpretHealth(o) return true end")
		b.use(i)
		b.create(ctx, b.configMap())
		manage(b)
		b.connect(ctx)
		Eventually(line(ctx, b)).Should(Equal("m Healthy"))
		rules := fixture.RuleSet(configMaps, engine.InterpretHealth, "function InterpretHealth(o) return false end")
		Expect(i.Set(engine.Customizations, rules)).To(Succeed())
		changes.Replaced(engine.RuleSet{}, fixture.RuleSet(deployments, engine.InterpretHealth, "function InterpretHealth(o) return false end"))
		changes.Replaced(engine.RuleSet{}, rules)
		Eventually(line(ctx, b)).Should(Equal("m Unhealthy"))
	})
})
