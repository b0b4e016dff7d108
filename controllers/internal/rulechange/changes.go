// SPDX-License-Identifier: Apache-2.0

// Package rulechange finds the operations of a kind whose rules changed, and enqueues the
// objects that the old rules answered for. It knows neither where rules come from nor
// what controllers use them for.
package rulechange

import (
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// Changes notifies listeners of changed rules. It is safe for many goroutines;
// the zero value is ready, and nil has no listeners.
type Changes struct {
	mu        sync.Mutex
	listeners []func(schema.GroupVersionKind, []engine.Op)
}

// Listen registers f to be called with each kind whose rules changed, and the names of
// the operations that may be answered differently. f must not block.
func (c *Changes) Listen(f func(kind schema.GroupVersionKind, operations []engine.Op)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(c.listeners, f)
}

// Replaced notifies the listeners of the operations whose rules differ between a rule
// set and the one in its place; the zero rule set has no rules. It is called after the
// engine has the new one.
func (c *Changes) Replaced(before, after engine.RuleSet) {
	for kind, rules := range before.Kinds {
		c.notify(kind, differing(rules, after.Kinds[kind]))
	}
	for kind, rules := range after.Kinds {
		if _, notified := before.Kinds[kind]; !notified {
			c.notify(kind, differing(nil, rules))
		}
	}
}

func (c *Changes) notify(kind schema.GroupVersionKind, operations []engine.Op) {
	if c == nil || len(operations) == 0 {
		return
	}
	c.mu.Lock()
	listeners := slices.Clone(c.listeners)
	c.mu.Unlock()
	for _, f := range listeners {
		f(kind, operations)
	}
}

// operations lists the names of all operations.
func operations() []engine.Op {
	var names []engine.Op
	for _, op := range engine.Operations() {
		names = append(names, op.Name)
	}
	return names
}

// differing lists the operations that two sets of rules for one kind answer by other
// rules. All of engine.Demand go together: where the first rule for one of them comes or the
// last goes, those derived from the kind's CRD go or come.
func differing(before, after engine.Rules) []engine.Op {
	same := func(op engine.Op) bool { return sameRule(before[op], after[op]) }
	demand := slices.ContainsFunc(engine.Demand(), func(op engine.Op) bool { return !same(op) })
	return slices.DeleteFunc(operations(), func(op engine.Op) bool {
		return same(op) && !(demand && slices.Contains(engine.Demand(), op))
	})
}

// sameRule reports whether two rules, of which either may be nil, always answer the same.
// Two programs count as equal only if they are identical.
func sameRule(a, b *engine.Rule) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Program == b.Program && a.Function == b.Function && a.Expression == b.Expression && a.Compat == b.Compat &&
		a.Limits == b.Limits && reflect.DeepEqual(a.Params, b.Params) && reflect.DeepEqual(a.Related, b.Related)
}
