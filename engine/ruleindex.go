// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// ruleIndex is an immutable set of rules. any are those of AnyKind, which answer for kinds
// that are not in kinds; where they also answer beside rules of a kind, they are among them.
type ruleIndex struct {
	kinds index
	any   kindRules
}

// kindRules are the rules of one kind: for each operation, by its index in the table,
// those of the layer that answers, the one to ask first in front.
type kindRules [][]activeRule

// activeRule is a rule of an interpreter, with the kind that it answers for and the
// limits of its runs.
type activeRule struct {
	*Rule
	kind   schema.GroupVersionKind
	limits script.Limits
}

// rules returns the rules of a kind and operation, the one to ask first in front.
func (s *ruleIndex) rules(kind schema.GroupVersionKind, operation int) []activeRule {
	k := s.kinds.get(kind)
	if k == nil {
		if k = s.any; k == nil {
			return nil
		}
	}
	return k[operation]
}

// rebuild takes the rules of some kinds from layers.
func (s *ruleIndex) rebuild(l *layers, touched map[schema.GroupVersionKind]bool, limits script.Limits) {
	if touched[AnyKind] {
		s.any = l.rulesOf(AnyKind, limits)
		touched = l.all()
	}
	for kind := range touched {
		s.kinds = s.kinds.with(kind, l.rulesOf(kind, limits))
	}
}

// layer is the rule sets of one rank, by name and by the kinds they have rules for.
type layer struct {
	sets  map[string]RuleSet
	kinds map[schema.GroupVersionKind]map[string]Rules
}

func newLayer() layer {
	return layer{sets: map[string]RuleSet{}, kinds: map[schema.GroupVersionKind]map[string]Rules{}}
}

// clone returns a layer that changes without l.
func (l *layer) clone() layer {
	c := layer{sets: maps.Clone(l.sets), kinds: make(map[schema.GroupVersionKind]map[string]Rules, len(l.kinds))}
	for kind, sets := range l.kinds {
		c.kinds[kind] = maps.Clone(sets)
	}
	return c
}

// set returns the rule set of a name, or nil.
func (l *layer) set(name string) *RuleSet {
	if set, ok := l.sets[name]; ok {
		return &set
	}
	return nil
}

// replace puts a rule set in the place of that of the same name; nil takes it out. It
// returns the kinds of both.
func (l *layer) replace(name string, set *RuleSet) map[schema.GroupVersionKind]bool {
	touched := map[schema.GroupVersionKind]bool{}
	for kind := range l.sets[name].Kinds {
		touched[kind] = true
		delete(l.kinds[kind], name)
		if len(l.kinds[kind]) == 0 {
			delete(l.kinds, kind)
		}
	}
	delete(l.sets, name)
	if set == nil {
		return touched
	}
	l.sets[name] = *set
	for kind, rules := range set.Kinds {
		touched[kind] = true
		if l.kinds[kind] == nil {
			l.kinds[kind] = map[string]Rules{}
		}
		l.kinds[kind][name] = rules
	}
	return touched
}

// rulesOf collects the rules of one kind: for each operation those of all rule sets, by
// the name of the rule set. limits are those of the interpreter.
func (l *layer) rulesOf(kind schema.GroupVersionKind, limits script.Limits) kindRules {
	all := make(kindRules, len(operations))
	sets := l.kinds[kind]
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		for op, rule := range sets[name] {
			i := mustIndex(op)
			all[i] = append(all[i], activeRule{rule, kind, limits.AtMost(rule.Limits)})
		}
	}
	return all
}

// layers are all rule sets, by rank.
type layers [layerCount]layer

// all returns the kinds that some rule set has rules for.
func (l *layers) all() map[schema.GroupVersionKind]bool {
	kinds := map[schema.GroupVersionKind]bool{}
	for rank := range l {
		for kind := range l[rank].kinds {
			kinds[kind] = true
		}
	}
	return kinds
}

// rulesOf returns for each operation the rules of the first layer that has any, and those
// of AnyKind where none has and the kind may have them; nil where the kind has no rules of
// its own.
func (l *layers) rulesOf(kind schema.GroupVersionKind, limits script.Limits) kindRules {
	all, found := make(kindRules, len(operations)), false
	for rank := range Derived {
		found = l.fill(all, rank, kind, limits) || found
	}
	if kind == AnyKind || len(l[Embedded].kinds[kind]) > 0 {
		return all.orNil(found)
	}
	derived := make(kindRules, len(operations))
	if l.fill(derived, Derived, kind, limits) {
		found = all.fillFrom(derived, all.demands()) || found
	}
	if found {
		all.fillFrom(l.rulesOf(AnyKind, limits), false)
	}
	return all.orNil(found)
}

// fill adds the rules of a layer for those operations that have none yet, and reports
// whether there were any.
func (l *layers) fill(all kindRules, rank Layer, kind schema.GroupVersionKind, limits script.Limits) bool {
	return len(l[rank].kinds[kind]) > 0 && all.fillFrom(l[rank].rulesOf(kind, limits), false)
}

// fillFrom adds rules for those operations that have none yet, without those of Demand if
// they are not wanted. It reports whether there were any.
func (k kindRules) fillFrom(other kindRules, withoutDemand bool) (found bool) {
	for i, rules := range other {
		if len(k[i]) > 0 || len(rules) == 0 || withoutDemand && slices.Contains(demand, i) {
			continue
		}
		k[i], found = rules, true
	}
	return found
}

// demand are the indexes of the operations of Demand.
var demand = func() (indexes []int) {
	for _, op := range Demand() {
		indexes = append(indexes, mustIndex(op))
	}
	return indexes
}()

// demands reports whether there is a rule for one of Demand.
func (k kindRules) demands() bool {
	return slices.ContainsFunc(demand, func(i int) bool { return len(k[i]) > 0 })
}

func (k kindRules) orNil(found bool) kindRules {
	if !found {
		return nil
	}
	return k
}
