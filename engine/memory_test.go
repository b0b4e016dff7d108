// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

// sized is a program of a size that nobody runs.
type sized struct {
	script.Program
	size int64
}

func (p *sized) Size() int64 { return p.size }

// rulesOf returns a rule set for Site with a rule for each program.
func rulesOf(name string, programs ...script.Program) RuleSet {
	rules := Rules{}
	for i, p := range programs {
		rules[operationNames[i]] = &Rule{Program: p}
	}
	return RuleSet{Name: name, Kinds: map[schema.GroupVersionKind]Rules{siteKind: rules}}
}

func TestProgramMemory(t *testing.T) {
	small, large, huge := &sized{size: 10}, &sized{size: 60}, &sized{size: 101}
	type step struct {
		layer Layer
		set   RuleSet
		// refused are Size and Total of the error, and used is what is active then.
		refused string
		used    int64
	}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Sum":    {"each counts", []step{{set: rulesOf("a", small, large), used: 70}, {set: rulesOf("b", &sized{size: 30}), used: 100}}},
		"Shared": {"a program counts once, in a rule set and among them", []step{{set: rulesOf("a", large, large), used: 60}, {set: rulesOf("b", large), used: 60}}},
		"Layers": {"the bound is that of all layers", []step{
			{layer: Embedded, set: rulesOf("a", large), used: 60},
			{layer: Installed, set: rulesOf("a", &sized{size: 41}), refused: "41 beside 60", used: 60},
		}},
		"Huge":     {"it fits nowhere", []step{{set: rulesOf("a", huge), refused: "101 beside 0", used: 0}}},
		"Replaced": {"what it replaces makes room", []step{{set: rulesOf("a", large), used: 60}, {set: rulesOf("a", &sized{size: 100}), used: 100}}},
		"Kept":     {"the one before stays", []step{{set: rulesOf("a", large), used: 60}, {set: rulesOf("a", huge), refused: "101 beside 0", used: 60}, {set: rulesOf("a", large, small), used: 70}}},
		"Removed":  {"it makes room", []step{{set: rulesOf("a", large), used: 60}, {set: RuleSet{Name: "a"}, used: 0}, {set: rulesOf("b", &sized{size: 100}), used: 100}}},
		"StillUsed": {"another has the program", []step{
			{set: rulesOf("a", large), used: 60},
			{set: rulesOf("b", large), used: 60},
			{set: RuleSet{Name: "a"}, used: 60},
			{set: RuleSet{Name: "b"}, used: 0},
		}},
		"None": {"a rule without program takes nothing", []step{{set: rulesOf("a", nil), used: 0}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			i := NewInterpreter(Options{ProgramMemory: 100})
			for n, s := range tc.steps {
				err, got := i.Set(s.layer, s.set), ""
				var over *OverBudgetError
				if errors.As(err, &over) {
					got = fmt.Sprintf("%d beside %d", over.Size, over.Total)
				}
				if used, _ := i.ProgramMemory(); got != s.refused || used != s.used {
					t.Errorf("%s: step %d: got error %q and %d bytes in use, want %q and %d", tc.reason, n, got, used, s.refused, s.used)
				}
			}
		})
	}
}

func TestARuleSetThatIsRefusedChangesNothing(t *testing.T) {
	i := NewInterpreter(Options{ProgramMemory: 1000})
	set(i, Customizations, sourceOf("c", InterpretReplica, &Rule{Program: &sized{size: 1000}, Origin: "before"}))
	err := i.Set(Customizations, sourceOf("c", InterpretReplica, &Rule{Program: &sized{size: 3 << 20}, Origin: "after"}))
	want := "the programs of rule set c take up to 3.0 MiB, and those of all others 0.0 MiB of at most 0.0 MiB: shorten or remove scripts, or raise the bound"
	if err == nil || err.Error() != want {
		t.Errorf("got error %v; want %s", err, want)
	}
	if got := i.Snapshot().Origin(siteKind, InterpretReplica); got != "before" {
		t.Errorf("got an answer by %q; want that before", got)
	}
}

func TestFits(t *testing.T) {
	i := NewInterpreter(Options{ProgramMemory: 100})
	set(i, Customizations, rulesOf("a", &sized{size: 60}))
	cases := map[string]struct {
		reason, name string
		size         int64
		want         string
	}{
		"Room":     {"there is room", "b", 40, ""},
		"Over":     {"a byte too much", "b", 41, "41 beside 60 for 0"},
		"Replaced": {"what it replaces makes room", "a", 100, ""},
		"Larger":   {"but not for that", "a", 101, "101 beside 0 for 60"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err, got := i.Fits(Customizations, tc.name, tc.size), ""
			var over *OverBudgetError
			if errors.As(err, &over) {
				got = fmt.Sprintf("%d beside %d for %d", over.Size, over.Total, over.Replaced)
			}
			if got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	if used, _ := i.ProgramMemory(); used != 60 {
		t.Errorf("%d bytes are in use after that; want 60 as before", used)
	}
}

func TestMaxProgramMemoryIsThatOfBothLanguages(t *testing.T) {
	cr := customizationOf(configv1alpha1.CustomizationRules{
		ReplicaResource:      luaScript("function GetReplicas(obj) return " + strings.Repeat("#{{}} + ", 100) + " 1 end"),
		HealthInterpretation: &configv1alpha1.Script{CELExpression: strings.Repeat("object.a == 1 || ", 20) + "false"},
	})
	c := newCompiler(t)
	rules, errs := c.Customization(cr)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	i := NewInterpreter(Options{})
	set(i, Customizations, rules)
	most := c.MaxProgramMemory(cr)
	if used, _ := i.ProgramMemory(); used <= 0 || used > most {
		t.Errorf("the programs take %d bytes; want at most %d", used, most)
	}
	cr.Spec.Customizations.Retention = luaScript(strings.Repeat("x", script.DefaultLimits().Source+1))
	if got := c.MaxProgramMemory(cr); got != most {
		t.Errorf("got %d bytes with a script that is too long; want %d as without", got, most)
	}
}

func TestARuleSetThatShrinksFits(t *testing.T) {
	m := programMemory{bound: 10, used: 0, uses: map[any]int{}}
	before, after := rulesOf("a", &sized{size: 30}), rulesOf("a", &sized{size: 20})
	m.add(&before, +1) // as under a bound that was larger
	if err := m.replace(&before, &after); err != nil || m.used != 20 {
		t.Errorf("got %d bytes in use, error %v; want 20: it makes room, though not enough", m.used, err)
	}
}

func TestProgramMemoryIsBoundedByDefault(t *testing.T) {
	if _, bound := NewInterpreter(Options{}).ProgramMemory(); bound != DefaultProgramMemory {
		t.Errorf("got %d; want %d", bound, DefaultProgramMemory)
	}
}
