// SPDX-License-Identifier: Apache-2.0

package customization_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// large is a script of which two do not fit into the memory of a process of newSmall.
var large = "function InterpretHealth(obj)\n" + strings.Repeat("  obj.a = {{}}\n", 1_300) + "  return true\nend\n"

// newSmall returns a process whose bundles leave 3 MiB for programs.
func newSmall(t *tenants) *process {
	GinkgoHelper()
	used, _ := newProcess().engine.ProgramMemory()
	p := newProcessWithin(used + 3<<20)
	p.controller.CompileBy(t.compile)
	return p
}

var _ = Describe("A customization whose programs do not fit", func() {
	const over = "OverBudget: "

	It("is refused by name, and tried again when another one is removed", func(ctx SpecContext) {
		t := newTenants()
		p := newSmall(t)
		t.manage(p)
		t.create(ctx, "first", large)
		Eventually(t.is(ctx, "first", "Active")).Should(Equal(active))
		t.create(ctx, "second", large)
		Eventually(t.is(ctx, "second", "Active")).Should(HavePrefix("False " + over + "generation 1 is not active, and none of its scripts answer: the programs of rule set " +
			t.name("second") + " take up to 2.6 MiB, and those of all others "))
		Expect(t.is(ctx, "second", "Compiled")()).To(HavePrefix("Unknown " + over + "the programs of rule set " + t.name("second")))
		Expect(p.answers(t.kind("second"))).To(BeEmpty())
		Expect(t.order()).To(Equal([]string{"first"}), "what does not fit is not compiled")

		t.create(ctx, "small", healthy)
		Eventually(t.is(ctx, "small", "Active")).Should(Equal(active), "it fits")
		Expect(p.asked(t.kind("first"))).To(BeEmpty())
		remove(ctx, t.name("first"))
		Eventually(t.is(ctx, "second", "Active")).Should(Equal(active))
		Expect(p.asked(t.kind("second"))).To(BeEmpty())
	})

	It("keeps the generation before, and is tried again when another one shrinks", func(ctx SpecContext) {
		t := newTenants()
		p := newSmall(t)
		t.manage(p)
		t.create(ctx, "first", large)
		t.create(ctx, "second", healthy)
		Eventually(t.is(ctx, "first", "Active")).Should(Equal(active))
		Eventually(t.is(ctx, "second", "Active")).Should(Equal(active))
		change(ctx, t.name("second"), large)
		Eventually(t.is(ctx, "second", "Active")).Should(HavePrefix("False " + over + "generation 2 is not active, and generation 1 stays active: "))
		Expect(p.asked(t.kind("second"))).To(BeEmpty())
		change(ctx, t.name("first"), healthy)
		Eventually(t.is(ctx, "second", "Active")).Should(Equal(active))
		Eventually(t.is(ctx, "first", "Active")).Should(Equal(active))
	})

	It("is the newest, after each start", func(ctx SpecContext) {
		t := newTenants()
		for _, tenant := range []string{"a", "b", "c"} { // of one second, so that names decide
			t.create(ctx, tenant, large)
		}
		t.create(ctx, "d", healthy)
		for range 3 {
			p := newSmall(t)
			Expect(p.controller.Load(ctx)).To(Succeed())
			Expect(p.answers(t.kind("a"))).To(Equal("customization " + t.name("a")))
			Expect(p.answers(t.kind("b"))).To(BeEmpty())
			Expect(p.answers(t.kind("c"))).To(BeEmpty())
			Expect(p.answers(t.kind("d"))).To(Equal("customization " + t.name("d")))
			Expect(condition(p.reconcileOnce(ctx, t.name("b")), "Active")).To(HavePrefix("False " + over))
		}
	})
})
