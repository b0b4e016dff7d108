// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestIsWorkload(t *testing.T) {
	t.Parallel()
	kind := site(nil).GroupVersionKind()
	rule := func(op Op, noWorkload bool) *Rule {
		entry := described(t, op).Entry
		r := luaRule(t, op, "function "+entry+"(o) return nil end")
		r.NoWorkload = noWorkload
		return r
	}
	of := func(kind schema.GroupVersionKind, rules Rules) RuleSet {
		return RuleSet{Name: "one", Kinds: map[schema.GroupVersionKind]Rules{kind: rules}}
	}
	anyKind := of(AnyKind, Rules{InterpretHealth: rule(InterpretHealth, true), InterpretDependency: rule(InterpretDependency, true)})
	anyKind.Name = "any"
	for name, tc := range map[string]struct {
		why  string
		sets map[Layer][]RuleSet
		want bool
	}{
		"NoRules":  {"nobody says what it is", nil, true},
		"Workload": {"a bundle that has nothing to say of it", map[Layer][]RuleSet{Embedded: {of(kind, Rules{InterpretHealth: rule(InterpretHealth, false)})}}, true},
		"NoWorkload": {
			"a bundle says that it runs nothing",
			map[Layer][]RuleSet{Embedded: {of(kind, Rules{InterpretHealth: rule(InterpretHealth, true)})}},
			false,
		},
		"Customized": {
			"a customization of its health does not make it run something", map[Layer][]RuleSet{
				Customizations: {of(kind, Rules{InterpretHealth: rule(InterpretHealth, false)})},
				Embedded:       {of(kind, Rules{InterpretHealth: rule(InterpretHealth, true), AggregateStatus: rule(AggregateStatus, true)})},
			}, false,
		},
		"Any": {"of a kind without a bundle nobody knows", map[Layer][]RuleSet{Embedded: {anyKind}}, false},
		"AnyCustomized": {
			"whoever says how such a kind is has it moved", map[Layer][]RuleSet{
				Customizations: {of(kind, Rules{InterpretHealth: rule(InterpretHealth, false)})}, Embedded: {anyKind},
			}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := NewInterpreter(Options{})
			for layer, sets := range tc.sets {
				for _, s := range sets {
					if err := i.Set(layer, s); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := i.Snapshot().IsWorkload(kind); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.why, got, tc.want)
			}
		})
	}
}
