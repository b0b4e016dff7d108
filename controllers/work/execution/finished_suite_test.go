// SPDX-License-Identifier: Apache-2.0

package execution_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// finishing returns an interpreter for which a ConfigMap with the annotation done has
// reached a terminal state.
func finishing() *engine.Interpreter {
	GinkgoHelper()
	compiler, err := engine.NewCompiler()
	Expect(err).NotTo(HaveOccurred())
	program, err := compiler.Lua(engine.Script{
		File: "finished.lua", Operation: engine.InterpretFinished,
		Text: `function IsFinished(o) return kube.get(o, { "metadata", "annotations", "done" }) ~= nil end`,
	})
	Expect(err).NotTo(HaveOccurred())
	i := engine.NewInterpreter(engine.Options{})
	Expect(i.Set(engine.Embedded, engine.RuleSet{Name: "spec", Kinds: map[schema.GroupVersionKind]engine.Rules{
		configMaps: {engine.InterpretFinished: {Program: program, Origin: "bundle spec"}},
	}})).To(Succeed())
	return i
}

var _ = Describe("An object that finished", func() {
	// made returns the ConfigMap as made from a version of its template.
	made := func(b *setup, generation string) *unstructured.Unstructured {
		o := b.configMap("v")
		o.SetAnnotations(map[string]string{workv1alpha2.TemplateUIDAnnotation: "u", workv1alpha2.TemplateGenerationAnnotation: generation})
		return o
	}
	end := func(ctx context.Context, b *setup) {
		GinkgoHelper()
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) {
			annotations := o.GetAnnotations()
			annotations["done"] = "yes"
			o.SetAnnotations(annotations)
		})
	}
	recorded := func(ctx context.Context, b *setup) func() []workv1alpha1.FinishedManifest {
		return func() []workv1alpha1.FinishedManifest { return b.work(ctx).Status.Finished }
	}
	value := func(ctx context.Context, b *setup) func() string { return func() string { return b.value(ctx) } }
	first := []workv1alpha1.FinishedManifest{{TemplateUID: "u", TemplateGeneration: "1"}}

	// runningAt starts a controller that asks finishing.
	runningAt := func(ctx context.Context, at suite.Address) *setup {
		GinkgoHelper()
		b := newSetup(ctx, at)
		b.manageBy(ctx, func(_ context.Context, mgr ctrl.Manager) (controllers.Deps, error) {
			return controllers.NewDeps(mgr, controllers.Environment{Interpreter: finishing()})
		})
		return b
	}

	running := func(ctx context.Context) *setup { return runningAt(ctx, one()) }

	It("is not created again once it was removed in the member, until its template changes", func(ctx SpecContext) {
		b := running(ctx)
		b.create(ctx, made(b, "1"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		end(ctx, b)
		Eventually(recorded(ctx, b)).Should(Equal(first))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Consistently(value(ctx, b)).WithTimeout(2 * time.Second).Should(Equal("gone"))
		Expect(b.condition(ctx, workv1alpha1.WorkApplied)).To(Equal(applied))

		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, made(b, "2")) })
		Eventually(value(ctx, b)).Should(Equal("v"))
		Eventually(recorded(ctx, b)).Should(BeEmpty())
	})

	It("is not created again where it was removed at once", func(ctx SpecContext) {
		b := running(ctx)
		b.create(ctx, made(b, "1"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		end(ctx, b)
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Eventually(recorded(ctx, b)).Should(Equal(first))
		Consistently(value(ctx, b)).WithTimeout(time.Second).Should(Equal("gone"))
	})

	// lately returns a proxy before the member whose watches show nothing while held holds, until
	// late is closed.
	lately := func() (p *suite.Proxy, held *atomic.Bool, late chan struct{}) {
		GinkgoHelper()
		p, held, late = newProxy(), &atomic.Bool{}, make(chan struct{})
		p.Answer(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.RequestURI(), "watch=true") {
				w = lateWriter{w, held, late}
			}
			p.Pass(w, r)
		})
		return p, held, late
	}

	It("is not created again where it was removed before a watch showed it", func(ctx SpecContext) {
		p, held, late := lately()
		show := sync.OnceFunc(func() { close(late) })
		DeferCleanup(show)
		b := runningAt(ctx, suite.Through(p, hub.Fleet.Members[0]))
		other := made(b, "1")
		other.SetName("other")
		b.create(ctx, other)
		Eventually(func() string { return b.condition(ctx, workv1alpha1.WorkApplied) }).Should(Equal(applied))
		b.watched(ctx, configMaps)

		held.Store(true)
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, made(b, "1")) })
		Eventually(value(ctx, b)).Should(Equal("v"))
		end(ctx, b)
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.change(ctx, func(w *workv1alpha1.Work) { w.Spec.PreserveResourcesOnDeletion = ptr.To(true) })
		Consistently(value(ctx, b)).WithTimeout(time.Second).Should(Equal("gone"))
		Expect(b.condition(ctx, workv1alpha1.WorkApplied)).To(Equal(applied))
		show()
		Eventually(recorded(ctx, b)).Should(Equal(first))
		Consistently(value(ctx, b)).WithTimeout(time.Second).Should(Equal("gone"))
	})

	It("comes back where a watch that begins again does not know it", func(ctx SpecContext) {
		p, held, late := lately()
		DeferCleanup(func() { close(late) })
		b := newSetup(ctx, suite.Through(p, hub.Fleet.Members[0]))
		now := clocktesting.NewFakeClock(time.Now())
		b.controller.Interpreter, b.controller.Clock = finishing(), now
		other := made(b, "1")
		other.SetName("other")
		b.create(ctx, other)
		Expect(b.apply(ctx)).To(Equal(applied))
		b.watched(ctx, configMaps)

		held.Store(true)
		b.change(ctx, func(w *workv1alpha1.Work) { fixture.SetManifest(w, made(b, "1")) })
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Expect(b.reconcile(ctx)).To(Equal(reconcile.Result{RequeueAfter: 30 * time.Second}))
		Expect(b.value(ctx)).To(Equal("gone"))
		now.Step(30 * time.Second)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
	})

	It("is not created again where it was there before the start and removed before the first watch", func(ctx SpecContext) {
		p, held, late := newProxy(), &atomic.Bool{}, make(chan struct{})
		DeferCleanup(sync.OnceFunc(func() { close(late) }))
		p.Answer(func(w http.ResponseWriter, r *http.Request) {
			if held.Load() && strings.HasSuffix(r.URL.Path, "/configmaps") && r.Method == http.MethodGet {
				<-late // the list that a watch begins with
			}
			p.Pass(w, r)
		})
		b := newSetup(ctx, suite.Through(p, hub.Fleet.Members[0]))
		b.controller.Interpreter = finishing()
		b.create(ctx, made(b, "1"))
		Expect(b.apply(ctx)).To(Equal(applied))

		held.Store(true)
		b.restart()
		b.connect(ctx)
		b.controller.Interpreter, b.controller.Clock = finishing(), clock.RealClock{}
		Expect(b.apply(ctx)).To(Equal(applied))
		end(ctx, b)
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Expect(b.reconcile(ctx)).To(Equal(reconcile.Result{RequeueAfter: 30 * time.Second}))
		Expect(b.value(ctx)).To(Equal("gone"))
	})

	It("is not created again where something holds up its removal", func(ctx SpecContext) {
		b := running(ctx)
		b.create(ctx, made(b, "1"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"spec.dragoman.io/hold"}) })
		end(ctx, b)
		Eventually(recorded(ctx, b)).Should(Equal(first))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Consistently(func() string { return b.condition(ctx, workv1alpha1.WorkApplied) }).WithTimeout(time.Second).Should(Equal(applied))
		b.edit(ctx, configMaps, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
		Consistently(value(ctx, b)).WithTimeout(time.Second).Should(Equal("gone"))
	})

	It("is not created again after a restart, by what its Work has recorded", func(ctx SpecContext) {
		b := newSetup(ctx, one())
		b.controller.Interpreter = finishing()
		b.create(ctx, made(b, "1"))
		Expect(b.apply(ctx)).To(Equal(applied))
		b.watched(ctx, configMaps)
		end(ctx, b)
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(recorded(ctx, b)()).To(Equal(first))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		b.watched(ctx, configMaps)
		b.forget()
		b.controller.Interpreter = finishing()
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("gone"))
	})

	It("comes back where it was removed before it finished", func(ctx SpecContext) {
		b := running(ctx)
		b.create(ctx, made(b, "1"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		Expect(onMember.Delete(ctx, b.read(ctx, configMaps))).To(Succeed())
		Eventually(value(ctx, b)).Should(Equal("v"))
		Expect(recorded(ctx, b)()).To(BeEmpty())
	})

	It("is created for the next Work of its name, also where the watch shows its end late", func(ctx SpecContext) {
		p, held, late := lately()
		b := runningAt(ctx, suite.Through(p, hub.Fleet.Members[0]))
		b.create(ctx, made(b, "1"))
		Eventually(value(ctx, b)).Should(Equal("v"))
		end(ctx, b)
		Eventually(recorded(ctx, b)).Should(Equal(first))

		By("deleting the Work while the watch is late")
		held.Store(true)
		timer := time.AfterFunc(time.Second, func() { close(late) })
		DeferCleanup(timer.Stop)
		w := b.work(ctx)
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(func() bool { return b.gone(ctx) }).WithPolling(10 * time.Millisecond).Should(BeTrue())
		b.create(ctx, made(b, "1"))
		<-late
		Eventually(value(ctx, b)).Should(Equal("v"))
		Expect(recorded(ctx, b)()).To(BeEmpty())
	})

	It("is created for the next Work of its name, also where the watch never shows its end", func(ctx SpecContext) {
		p, held, late := lately()
		DeferCleanup(func() { close(late) })
		b := newSetup(ctx, suite.Through(p, hub.Fleet.Members[0]))
		now := clocktesting.NewFakeClock(time.Now())
		b.controller.Interpreter, b.controller.Clock = finishing(), now
		w := b.create(ctx, made(b, "1"))
		Expect(b.apply(ctx)).To(Equal(applied))
		end(ctx, b)
		b.watched(ctx, configMaps)
		Expect(b.apply(ctx)).To(Equal(applied))

		held.Store(true)
		Expect(hub.Client.Delete(ctx, w)).To(Succeed())
		Eventually(func() bool { return b.work(ctx).DeletionTimestamp != nil }).Should(BeTrue())
		_, err := b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.value(ctx)).To(Equal("gone"))
		Expect(b.gone(ctx)).To(BeFalse(), "the watch shows it still")
		now.Step(30 * time.Second)
		_, err = b.reconcile(ctx)
		Expect(err).NotTo(HaveOccurred())
		Eventually(func() bool { return b.gone(ctx) }).Should(BeTrue())

		b.create(ctx, made(b, "1"))
		Expect(b.apply(ctx)).To(Equal(applied))
		Expect(b.value(ctx)).To(Equal("v"))
		Expect(recorded(ctx, b)()).To(BeEmpty())
	})
})

// lateWriter writes nothing while it is held, until a channel is closed.
type lateWriter struct {
	http.ResponseWriter
	held *atomic.Bool
	late chan struct{}
}

func (w lateWriter) Write(b []byte) (int, error) {
	if w.held.Load() {
		<-w.late
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap has a controller of the response find what flushes it.
func (w lateWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
