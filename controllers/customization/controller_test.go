// SPDX-License-Identifier: Apache-2.0

package customization_test

import (
	"context"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/customization"
)

const (
	healthy   = "function InterpretHealth(obj)\n  return true\nend\n"
	unhealthy = "function InterpretHealth(obj)\n  return false\nend\n"
	syntax    = "function InterpretHealth(obj)\n  return obj..\nend\n"
	misspelt  = "\nfunction InterpretHeath(obj)\n  return true\nend\n"
	endless   = "function InterpretHealth(obj)\n  while true do end\nend\n"
	failing   = "function InterpretHealth(obj)\n  return obj.status.phase.x == 1\nend\n"

	field = "spec.customizations.healthInterpretation.luaScript: "
)

var _ = Describe("A customization", func() {
	It("answers for its kind, before the bundle", func(ctx SpecContext) {
		p := newProcess()
		Expect(p.answers(deployments)).To(Equal("bundle kubernetes"))
		name := create(ctx, deployments, healthy)
		cr := p.reconcileOnce(ctx, name)
		Expect(condition(cr, "Compiled")).To(Equal(compiled))
		Expect(condition(cr, "Active")).To(Equal(active))
		Expect(condition(cr, "Evaluated")).To(Equal("none"))
		Expect(cr.Status.ContentHash).To(Equal(customization.ContentHash(cr)))
		Expect(cr.Status.ObservedGeneration).To(Equal(cr.Generation))
		Expect(p.answers(deployments)).To(Equal("customization " + name))
		Expect(p.health(deployments)).To(Equal(workv1alpha2.ResourceHealthy))
	})

	It("is written to only when something changed", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		before := p.reconcileOnce(ctx, name)
		Expect(p.reconcileOnce(ctx, name).ResourceVersion).To(Equal(before.ResourceVersion))
	})

	DescribeTable("that is broken reports field, place and error, and leaves the answer to the bundle", func(ctx SpecContext, lua, reason, message string) {
		p := newProcess()
		cr := p.reconcileOnce(ctx, create(ctx, deployments, lua))
		Expect(condition(cr, "Compiled")).To(MatchRegexp("^False " + reason + ": " + field + message))
		Expect(condition(cr, "Active")).To(MatchRegexp("^False Broken: generation 1 is not active, and none of its scripts answer: " + field + message))
		Expect(cr.Status.ContentHash).To(BeEmpty())
		Expect(cr.Status.ObservedGeneration).To(BeEquivalentTo(1))
		Expect(p.answers(deployments)).To(Equal("bundle kubernetes"))
	},
		Entry("a syntax error", syntax, "Syntax", `line [23]: .+`),
		Entry("a misspelt name", misspelt, "Syntax", `line 2: .*InterpretHealth; is InterpretHeath meant for it`),
		Entry("an endless loop", endless, "Gas", `line 2: .*gas`),
	)

	DescribeTable("that breaks keeps what was active before", func(ctx SpecContext, lua string) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		first := p.reconcileOnce(ctx, name)
		change(ctx, name, lua)
		cr := p.reconcileOnce(ctx, name)
		Expect(condition(cr, "Compiled")).To(HavePrefix("False "))
		Expect(condition(cr, "Active")).To(HavePrefix("False Broken: generation 2 is not active, and generation 1 stays active: " + field))
		Expect(cr.Status.ContentHash).To(Equal(first.Status.ContentHash), "of the scripts that answer")
		Expect(cr.Status.ObservedGeneration).To(BeEquivalentTo(2))
		Expect(p.health(deployments)).To(Equal(workv1alpha2.ResourceHealthy))

		change(ctx, name, unhealthy)
		cr = p.reconcileOnce(ctx, name)
		Expect(condition(cr, "Compiled")).To(Equal(compiled))
		Expect(condition(cr, "Active")).To(Equal(active))
		Expect(cr.Status.ContentHash).To(Equal(customization.ContentHash(cr)))
		Expect(p.health(deployments)).To(Equal(workv1alpha2.ResourceUnhealthy))
	},
		Entry("by a syntax error", syntax), Entry("by a misspelt name", misspelt), Entry("by an endless loop", endless),
	)

	It("whose script fails reports where, until another one answers", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, failing)
		Expect(condition(p.reconcileOnce(ctx, name), "Evaluated")).To(Equal("none"))
		_, err := p.health(deployments)
		Expect(err).To(HaveOccurred())
		failed := And(HavePrefix("False Type: InterpretHealth by customization "+name+": "+name+"/healthInterpretation.luaScript:2"), ContainSubstring("status"))
		cr := p.reconcileOnce(ctx, name)
		Expect(condition(cr, "Evaluated")).To(failed)
		Expect(condition(cr, "Active")).To(Equal(active), "it answers, if with an error")

		change(ctx, name, syntax)
		Expect(condition(p.reconcileOnce(ctx, name), "Evaluated")).To(failed, "the one before still answers")
		change(ctx, name, healthy)
		Expect(condition(p.reconcileOnce(ctx, name), "Evaluated")).To(Equal("none"))
	})

	It("whose script raises a text without end has a status all the same", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, "function InterpretHealth(obj)\n  error(string.rep('x', 100000))\nend")
		p.reconcileOnce(ctx, name)
		_, err := p.health(deployments)
		Expect(err).To(HaveOccurred())
		Expect(condition(p.reconcileOnce(ctx, name), "Evaluated")).To(ContainSubstring("healthInterpretation.luaScript:2"))
	})

	It("that is deleted leaves the answer to the bundle", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		p.reconcileOnce(ctx, name)
		remove(ctx, name)
		_, err := p.reconcile(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.answers(deployments)).To(Equal("bundle kubernetes"))
	})

	It("that was deleted and made again before anybody looked is another one", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		p.reconcileOnce(ctx, name)
		remove(ctx, name)
		createAs(ctx, name, deployments, unhealthy)
		Expect(condition(p.reconcileOnce(ctx, name), "Active")).To(Equal(active))
		Expect(p.health(deployments)).To(Equal(workv1alpha2.ResourceUnhealthy))

		remove(ctx, name)
		createAs(ctx, name, deployments, syntax)
		Expect(condition(p.reconcileOnce(ctx, name), "Active")).To(ContainSubstring("none of its scripts answer"), "those of its namesake do not count")
		Expect(p.answers(deployments)).To(Equal("bundle kubernetes"))
	})

	It("has what it answered asked again when its scripts come, change and go", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		p.reconcileOnce(ctx, name)
		p.reconcileOnce(ctx, name)
		Expect(p.changed).To(Equal([]string{"Deployment InterpretHealth"}))
		change(ctx, name, syntax)
		p.reconcileOnce(ctx, name)
		Expect(p.changed).To(HaveLen(1), "the same scripts answer")
		cr := read(ctx, name)
		cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = "v1", "ConfigMap"
		cr.Spec.Customizations.HealthInterpretation.LuaScript = healthy
		Expect(hub.Manager.GetClient().Update(ctx, cr)).To(Succeed())
		p.reconcileOnce(ctx, name)
		Expect(p.changed).To(Equal([]string{"Deployment InterpretHealth", "Deployment InterpretHealth", "ConfigMap InterpretHealth"}), "the kind that it left, too")
		remove(ctx, name)
		_, err := p.reconcile(ctx, name)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.changed).To(Equal([]string{"Deployment InterpretHealth", "Deployment InterpretHealth", "ConfigMap InterpretHealth", "ConfigMap InterpretHealth"}))
	})

	It("that is broken does not disturb the others", func(ctx SpecContext) {
		p := newProcess()
		good, bad, other := create(ctx, deployments, healthy), create(ctx, deployments, endless), create(ctx, configMaps, unhealthy)
		for _, name := range []string{good, bad, other} {
			p.reconcileOnce(ctx, name)
		}
		Expect(p.health(deployments)).To(Equal(workv1alpha2.ResourceHealthy))
		Expect(p.health(configMaps)).To(Equal(workv1alpha2.ResourceUnhealthy))
		Expect(condition(read(ctx, good), "Active")).To(Equal(active))
		remove(ctx, bad)
		_, err := p.reconcile(ctx, bad)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.answers(deployments)).To(Equal("customization " + good))
	})

	It("gets the status that could not be written at first", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		lost := errors.New("the connection was lost")
		p.lost = lost
		_, err := p.reconcile(ctx, name)
		Expect(err).To(MatchError(lost))
		Expect(p.answers(deployments)).To(Equal("customization "+name), "the engine has it")
		p.lost = nil
		cr := p.reconcileOnce(ctx, name)
		Expect(condition(cr, "Compiled")).To(Equal(compiled))
		Expect(condition(cr, "Active")).To(Equal(active))
		Expect(cr.Status.ContentHash).To(Equal(customization.ContentHash(cr)))

		change(ctx, name, syntax)
		p.lost = lost
		_, err = p.reconcile(ctx, name)
		Expect(err).To(MatchError(lost))
		p.lost = nil
		Expect(condition(p.reconcileOnce(ctx, name), "Compiled")).To(HavePrefix("False Syntax"))
	})
})

var _ = Describe("A process that starts", func() {
	It("knows all customizations again, and what failed before", func(ctx SpecContext) {
		p := newProcess()
		good, bad := create(ctx, deployments, failing), create(ctx, configMaps, endless)
		p.reconcileOnce(ctx, good)
		p.reconcileOnce(ctx, bad)
		_, err := p.health(deployments)
		Expect(err).To(HaveOccurred())
		before, broken := p.reconcileOnce(ctx, good), read(ctx, bad)
		Expect(condition(before, "Evaluated")).To(HavePrefix("False"))

		again := newProcess()
		Expect(again.reconcileOnce(ctx, good).ResourceVersion).To(Equal(before.ResourceVersion), "nothing changed")
		Expect(again.reconcileOnce(ctx, bad).ResourceVersion).To(Equal(broken.ResourceVersion), "nothing changed")
		Expect(again.answers(deployments)).To(Equal("customization " + good))
	})

	It("reports that the generation before is lost, when only that was active", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, healthy)
		p.reconcileOnce(ctx, name)
		change(ctx, name, syntax)
		Expect(condition(p.reconcileOnce(ctx, name), "Active")).To(ContainSubstring("generation 1 stays active"))
		again := newProcess()
		cr := again.reconcileOnce(ctx, name)
		Expect(condition(cr, "Active")).To(HavePrefix("False Broken: generation 2 is not active, and none of its scripts answer: "))
		Expect(cr.Status.ContentHash).To(BeEmpty())
		Expect(again.answers(deployments)).To(Equal("bundle kubernetes"))
	})

	It("has loaded them before anybody asks", func(ctx SpecContext) {
		name := createAs(ctx, "a-"+string(uuid.NewUUID())[:8], deployments, healthy) // before those of other specs
		p := newProcess()
		Expect(p.controller.Load(ctx)).To(Succeed())
		Expect(p.answers(deployments)).To(HavePrefix("customization "))
		Expect(read(ctx, name).Status.Conditions).To(BeEmpty(), "the status is written once the controller runs")
		Expect(condition(p.reconcileOnce(ctx, name), "Active")).To(Equal(active))
	})
})

var _ = Describe("The controller of customizations", func() {
	It("is woken by customizations, and by runs that fail", func(ctx SpecContext) {
		p := newProcess()
		name := create(ctx, deployments, failing)
		stop, err := hub.Manage(map[client.Object]cache.ByObject{
			&configv1alpha1.ResourceInterpreterCustomization{}: {Field: fields.OneTermEqualSelector("metadata.name", name)},
		}, func(ctx context.Context, mgr ctrl.Manager) error {
			d := p.deps
			d.Client = mgr.GetClient()
			return customization.New(d).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })
		is := func(kind string) func() string {
			return func() string { return condition(read(ctx, name), kind) }
		}
		Eventually(is("Active")).Should(Equal(active))
		_, err = p.health(deployments)
		Expect(err).To(HaveOccurred())
		Eventually(is("Evaluated")).Should(HavePrefix("False Type"))
		Eventually(func() error {
			cr := &configv1alpha1.ResourceInterpreterCustomization{}
			if err := hub.Client.Get(ctx, client.ObjectKey{Name: name}, cr); err != nil {
				return err
			}
			cr.Spec.Customizations.HealthInterpretation.LuaScript = strings.Replace(failing, "obj.status.phase.x", "1", 1)
			return hub.Client.Update(ctx, cr)
		}).Should(Succeed())
		Eventually(is("Evaluated")).Should(Equal("none"))
		Expect(p.health(deployments)).To(Equal(workv1alpha2.ResourceHealthy))
		remove(ctx, name)
		Eventually(func() string { return p.answers(deployments) }).Should(Equal("bundle kubernetes"))
	})
})
