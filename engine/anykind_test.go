// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// origins returns who answers each operation for a kind.
func origins(v Snapshot, kind schema.GroupVersionKind) map[Op]string {
	all := map[Op]string{}
	for _, op := range Operations() {
		if origin := v.Origin(kind, op.Name); origin != "" {
			all[op.Name] = origin
		}
	}
	return all
}

// setOf returns a rule set whose rules have its name as their origin.
func setOf(t *testing.T, name string, kind schema.GroupVersionKind, operations ...Op) RuleSet {
	t.Helper()
	rules := Rules{}
	for _, op := range operations {
		rule := *counting(t, "1")
		rule.Origin = name
		rules[op] = &rule
	}
	return RuleSet{Name: name, Kinds: map[schema.GroupVersionKind]Rules{kind: rules}}
}

// TestWhoAnswersForAKindOfNobody puts the rule sets in each order.
func TestWhoAnswersForAKindOfNobody(t *testing.T) {
	kind := site(nil).GroupVersionKind()
	type put struct {
		layer Layer
		set   RuleSet
	}
	generic := put{Embedded, setOf(t, "generic", AnyKind, InterpretHealth, InterpretDependency)}
	derived := put{Derived, setOf(t, "derived", kind, InterpretReplica, ReviseReplica, Retain)}
	for name, tc := range map[string]struct {
		reason string
		own    []put
		want   map[Op]string
	}{
		"Nobody": {
			reason: "no script is about the kind",
			want: map[Op]string{
				InterpretHealth: "generic", InterpretDependency: "generic",
				InterpretReplica: "derived", ReviseReplica: "derived", Retain: "derived",
			},
		},
		"Customization": {
			reason: "each operation on its own",
			own:    []put{{Customizations, setOf(t, "own", kind, InterpretHealth, Retain)}},
			want: map[Op]string{
				InterpretHealth: "own", InterpretDependency: "generic",
				InterpretReplica: "derived", ReviseReplica: "derived", Retain: "own",
			},
		},
		"Components": {
			reason: "who knows the components decides whether they are divided",
			own:    []put{{Installed, setOf(t, "own", kind, InterpretComponent)}},
			want: map[Op]string{
				InterpretHealth: "generic", InterpretDependency: "generic", InterpretComponent: "own", Retain: "derived",
			},
		},
		"Replicas": {
			reason: "a kind whose author divides nothing is not divided",
			own:    []put{{Customizations, setOf(t, "own", kind, InterpretReplica)}},
			want: map[Op]string{
				InterpretHealth: "generic", InterpretDependency: "generic", InterpretReplica: "own", Retain: "derived",
			},
		},
		"Bundle": {
			reason: "what a bundle of the program leaves out it leaves out on purpose",
			own:    []put{{Embedded, setOf(t, "own", kind, InterpretStatus)}},
			want:   map[Op]string{InterpretStatus: "own"},
		},
		"BundleAndCustomization": {
			reason: "a customization beside such a bundle changes nothing in that",
			own:    []put{{Embedded, setOf(t, "own", kind, InterpretStatus)}, {Customizations, setOf(t, "mine", kind, AggregateStatus)}},
			want:   map[Op]string{InterpretStatus: "own", AggregateStatus: "mine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			puts := append([]put{generic, derived}, tc.own...)
			for range puts {
				puts = append(puts[1:], puts[0])
				i := NewInterpreter(Options{})
				for _, p := range puts {
					set(i, p.layer, p.set)
				}
				if d := cmp.Diff(tc.want, origins(i.Snapshot(), kind)); d != "" {
					t.Errorf("%s, from %s on (-want +got):\n%s", tc.reason, puts[0].set.Name, d)
				}
				for _, p := range tc.own {
					i.Remove(p.layer, p.set.Name)
				}
				if got := slices.Sorted(maps.Values(origins(i.Snapshot(), kind))); len(got) != 5 {
					t.Errorf("without rules of its own the kind has %v; want those of generic and derived", got)
				}
				i.Remove(Embedded, "generic")
				i.Remove(Derived, "derived")
				if got := origins(i.Snapshot(), kind); len(got) != 0 {
					t.Errorf("without any rule set there are %v", got)
				}
			}
		})
	}
}

func TestAnyKindIsRefused(t *testing.T) {
	i := NewInterpreter(Options{})
	for _, tc := range []struct {
		layer Layer
		op    Op
		want  string
	}{
		{Embedded, ReviseReplica, "for any kind: not every kind has replicas"},
		{Installed, InterpretHealth, "only the bundles of this program answer for any kind"},
	} {
		err := i.Set(tc.layer, setOf(t, "generic", AnyKind, tc.op))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got error %v; want one with %q", err, tc.want)
		}
	}
}

func TestARunForAnyKindIsCountedAsSuch(t *testing.T) {
	var runs []Run
	i := NewInterpreter(Options{Observe: func(r Run) { runs = append(runs, r) }})
	set(i, Embedded, RuleSet{Name: "generic", Kinds: map[schema.GroupVersionKind]Rules{
		AnyKind: {InterpretHealth: luaRule(t, InterpretHealth, "function InterpretHealth(o) return o.kind == 'Site' end")},
	}})
	if health, err := i.Snapshot().Health(site(nil)); err != nil || health != "Healthy" {
		t.Errorf("got %s, error %v; want the rule to see the object", health, err)
	}
	if len(runs) != 1 || runs[0].Kind != AnyKind {
		t.Errorf("got runs %v; want one of AnyKind, so that there are no more metrics than rules", runs)
	}
}
