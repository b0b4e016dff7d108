// SPDX-License-Identifier: Apache-2.0

package customization_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// tenants is a spec's own customizations, for kinds of its own, and a compiler that takes
// as long as the spec wants for those whose script has the word bomb.
type tenants struct {
	id string

	mu sync.Mutex
	// begun are the customizations whose compilation has begun, by name and generation.
	begun []string
	// explode ends the compilation of a bomb.
	explode chan struct{}
}

func newTenants() *tenants {
	t := &tenants{id: "t" + string(uuid.NewUUID())[:8], explode: make(chan struct{})}
	DeferCleanup(func() { close(t.explode) })
	return t
}

// bomb is a script that takes long to compile.
const bomb = "-- bomb\n" + healthy

func (t *tenants) compile(cr *configv1alpha1.ResourceInterpreterCustomization) (engine.RuleSet, []error) {
	if !strings.HasPrefix(cr.Name, t.id) {
		return engine.RuleSet{}, []error{errors.New("of another spec")}
	}
	t.mu.Lock()
	t.begun = append(t.begun, strings.TrimPrefix(cr.Name, t.id+"-"))
	t.mu.Unlock()
	if s := cr.Spec.Customizations.HealthInterpretation; s != nil && strings.Contains(s.LuaScript, "bomb") {
		<-t.explode
	}
	return compiler.Customization(cr)
}

// order returns the names of those whose compilation has begun.
func (t *tenants) order() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{}, t.begun...)
}

// name is the name of a tenant's customization.
func (t *tenants) name(tenant string) string { return t.id + "-" + tenant }

// kind is the kind that a tenant's customization is for.
func (t *tenants) kind(tenant string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: t.id + ".example.io", Version: "v1", Kind: "Kind" + tenant}
}

// create makes the customization of a tenant, which is removed after the spec.
func (t *tenants) create(ctx context.Context, tenant, lua string) {
	GinkgoHelper()
	cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: t.name(tenant), Labels: map[string]string{"spec": t.id}}}
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = t.kind(tenant).ToAPIVersionAndKind()
	cr.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{LuaScript: lua}
	Expect(hub.Manager.GetClient().Create(ctx, cr)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Client.Delete(ctx, cr))).To(Succeed()) })
}

// process returns a process whose compiler is that of the tenants.
func (t *tenants) process() *process {
	p := newProcess()
	p.controller.CompileBy(t.compile)
	return p
}

// manage runs the controller of a process by a manager that sees these tenants alone.
func (t *tenants) manage(p *process) {
	GinkgoHelper()
	selected, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchLabels: map[string]string{"spec": t.id}})
	Expect(err).NotTo(HaveOccurred())
	stop, err := hub.Manage(map[client.Object]cache.ByObject{&configv1alpha1.ResourceInterpreterCustomization{}: {Label: selected}}, func(ctx context.Context, mgr ctrl.Manager) error {
		p.controller.Client = mgr.GetClient()
		p.controller.SetPatience(100 * time.Millisecond)
		return p.controller.Register(ctx, mgr)
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(stop()).To(Succeed()) })
}

// is returns a condition of a tenant's customization, to be polled.
func (t *tenants) is(ctx context.Context, tenant, kind string) func() string {
	return func() string { return condition(read(ctx, t.name(tenant)), kind) }
}

// asked returns the code of the error of a tenant's health, or "" without one.
func (p *process) asked(kind schema.GroupVersionKind) script.Code {
	_, err := p.health(kind)
	var failure *script.Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	Expect(err).NotTo(HaveOccurred())
	return ""
}

var _ = Describe("A customization that takes long to compile", func() {
	It("does not delay another one by more than one compilation, however often it changes", func(ctx SpecContext) {
		t := newTenants()
		p := t.process()
		t.manage(p)
		t.create(ctx, "bomb", bomb)
		pending := "Unknown Pending: generation 1 is not compiled yet"
		Eventually(t.is(ctx, "bomb", "Compiled")).Should(Equal(pending))
		Expect(t.is(ctx, "bomb", "Active")()).To(Equal(pending + ", and none of its scripts answer"))
		change(ctx, t.name("bomb"), bomb+"-- 2")
		Eventually(t.is(ctx, "bomb", "Compiled")).Should(Equal("Unknown Pending: generation 2 is not compiled yet"))
		t.create(ctx, "innocent", healthy)
		Eventually(t.is(ctx, "innocent", "Compiled")).Should(Equal(pending), "there is one worker")

		t.explode <- struct{}{} // the first generation
		Eventually(t.is(ctx, "innocent", "Active")).Should(Equal(active))
		Expect(p.asked(t.kind("innocent"))).To(BeEmpty())
		Eventually(t.order).Should(Equal([]string{"bomb", "innocent", "bomb"}), "the second generation of the bomb comes after it")
		Eventually(t.is(ctx, "bomb", "Active")).Should(Equal("Unknown Pending: generation 2 is not compiled yet, and generation 1 stays active"))
		Expect(p.asked(t.kind("bomb"))).To(BeEmpty(), "the generation before answers")
		t.explode <- struct{}{}
		Eventually(t.is(ctx, "bomb", "Active")).Should(Equal(active))
	})

	It("needs one write of the status if it takes less than a moment", func(ctx SpecContext) {
		t := newTenants()
		p := t.process()
		t.create(ctx, "quick", healthy)
		before := read(ctx, t.name("quick"))
		cr := p.reconcileOnce(ctx, t.name("quick"))
		Expect(condition(cr, "Active")).To(Equal(active))
		Expect(cr.Generation).To(Equal(before.Generation))
		Expect(p.writes).To(Equal(1))
	})

	It("is not activated if it is deleted meanwhile", func(ctx SpecContext) {
		t := newTenants()
		p := t.process()
		t.manage(p)
		t.create(ctx, "bomb", bomb)
		Eventually(t.is(ctx, "bomb", "Compiled")).Should(HavePrefix("Unknown Pending"))
		t.create(ctx, "dropped", healthy)
		Eventually(t.is(ctx, "dropped", "Compiled")).Should(HavePrefix("Unknown Pending"))
		remove(ctx, t.name("bomb"))
		remove(ctx, t.name("dropped"))
		t.create(ctx, "last", healthy)
		Eventually(t.is(ctx, "last", "Compiled")).Should(HavePrefix("Unknown Pending"), "the controller has seen the deletions by then")
		t.explode <- struct{}{}
		Eventually(t.is(ctx, "last", "Active")).Should(Equal(active))
		Expect(t.order()).To(Equal([]string{"bomb", "last"}), "what waited is dropped")
		Expect(p.answers(t.kind("bomb"))).To(BeEmpty())
	})

	It("does not keep others from the start, and answers that it is pending", func(ctx SpecContext) {
		t := newTenants()
		t.create(ctx, "bomb", strings.Repeat("-- long\n", 1000)+bomb)
		t.create(ctx, "innocent", healthy)
		p := t.process()
		Expect(p.engine.Set(engine.Embedded, answering(t.kind("bomb")))).To(Succeed())
		Expect(p.controller.Begin(ctx)).To(Succeed())
		Expect(p.asked(t.kind("bomb"))).To(Equal(script.Pending), "from the first moment: no other layer answers")
		Eventually(func() script.Code { return p.asked(t.kind("innocent")) }).Should(BeEmpty())
		ended, end := context.WithCancel(ctx)
		end()
		Expect(p.controller.Wait(ended)).To(Succeed())
		Expect(p.asked(t.kind("bomb"))).To(Equal(script.Pending))
		Expect(p.deps.Activator.Failure(t.name("bomb"))).To(Succeed(), "that is no failure")

		p.controller.SetPatience(time.Nanosecond)
		cr := p.reconcileOnce(ctx, t.name("bomb"))
		Expect(condition(cr, "Compiled")).To(Equal("Unknown Pending: generation 1 is not compiled yet"))
		Expect(condition(cr, "Active")).To(Equal("Unknown Pending: generation 1 is not compiled yet, and its operations answer with an error until it is"))
		Expect(condition(cr, "Evaluated")).To(Equal("none"))
		Expect(p.kinds()).NotTo(ContainElement("Kindbomb InterpretHealth"))

		t.explode <- struct{}{}
		Expect(p.controller.Wait(ctx)).To(Succeed())
		Expect(p.asked(t.kind("bomb"))).To(BeEmpty())
		Expect(p.kinds()).To(ContainElement("Kindbomb InterpretHealth"), "what met the pending answer is asked again")
		p.controller.SetPatience(time.Hour)
		Expect(condition(p.reconcileOnce(ctx, t.name("bomb")), "Active")).To(Equal(active))
	})

	It("does not answer if it was deleted while the process started", func(ctx SpecContext) {
		t := newTenants()
		p := t.process()
		t.create(ctx, "active", healthy)
		t.create(ctx, "bomb", bomb)
		Expect(p.controller.Begin(ctx)).To(Succeed())
		Eventually(func() script.Code { return p.asked(t.kind("active")) }).Should(BeEmpty())
		Expect(p.asked(t.kind("bomb"))).To(Equal(script.Pending))
		remove(ctx, t.name("active"))
		remove(ctx, t.name("bomb"))
		t.manage(p)
		for _, tenant := range []string{"active", "bomb"} {
			Eventually(func() string { return p.answers(t.kind(tenant)) }).Should(BeEmpty())
		}
	})

	It("leaves the answer to the bundle when it turns out to be broken", func(ctx SpecContext) {
		t := newTenants()
		t.create(ctx, "bomb", bomb+" end")
		p := t.process()
		Expect(p.engine.Set(engine.Embedded, answering(t.kind("bomb")))).To(Succeed())
		Expect(p.controller.Begin(ctx)).To(Succeed())
		Expect(p.answers(t.kind("bomb"))).To(Equal("customization " + t.name("bomb")))
		t.explode <- struct{}{}
		Expect(p.controller.Wait(ctx)).To(Succeed())
		Expect(p.answers(t.kind("bomb"))).To(Equal("bundle spec"))
		Expect(p.kinds()).To(ContainElement("Kindbomb InterpretHealth"))
		Expect(condition(p.reconcileOnce(ctx, t.name("bomb")), "Active")).To(ContainSubstring("none of its scripts answer"))
	})

	It("that breaks the compiler is refused alone", func(ctx SpecContext) {
		t := newTenants()
		p := t.process()
		t.create(ctx, "panics", healthy)
		p.controller.CompileBy(func(*configv1alpha1.ResourceInterpreterCustomization) (engine.RuleSet, []error) { panic("a defect") })
		Expect(condition(p.reconcileOnce(ctx, t.name("panics")), "Compiled")).To(HavePrefix("False Internal: the compilation stopped by a defect of dragoman: a defect (at fair_suite_test.go:"))
		p.controller.CompileBy(t.compile)
		t.create(ctx, "innocent", healthy)
		Expect(condition(p.reconcileOnce(ctx, t.name("innocent")), "Active")).To(Equal(active))
	})
})

// answering returns the rule set of a bundle for the health of a kind.
func answering(kind schema.GroupVersionKind) engine.RuleSet {
	GinkgoHelper()
	rules, err := compiler.Compile("bundle spec", kind, engine.Script{Operation: engine.InterpretHealth, Text: healthy})
	Expect(err).NotTo(HaveOccurred())
	return rules
}
