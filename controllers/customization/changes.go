// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// Changes tells of the operations of kinds that other scripts answer than before, so
// that what they answered is asked again. It is safe for many goroutines; the zero
// value is ready, and nil tells nobody.
type Changes struct {
	mu        sync.Mutex
	listeners []func(schema.GroupVersionKind, []engine.Op)
}

// Listen has f called with each kind that other scripts answer for, and the names of
// the operations that they may answer otherwise. f must not block.
func (c *Changes) Listen(f func(kind schema.GroupVersionKind, operations []engine.Op)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(c.listeners, f)
}

// Tell tells of kinds whose scripts changed without saying which: of all operations.
// It is called after the engine has the new rules.
func (c *Changes) Tell(kinds ...schema.GroupVersionKind) {
	for i, kind := range kinds {
		if !slices.Contains(kinds[:i], kind) {
			c.tell(kind, operations())
		}
	}
}

// Replaced tells of the operations whose rules differ between a source and the one in
// its place; the zero source has none. It is called after the engine has the new one.
func (c *Changes) Replaced(before, after engine.RuleSet) {
	for kind, rules := range before.Kinds {
		c.tell(kind, differing(rules, after.Kinds[kind]))
	}
	for kind, rules := range after.Kinds {
		if _, told := before.Kinds[kind]; !told {
			c.tell(kind, differing(nil, rules))
		}
	}
}

func (c *Changes) tell(kind schema.GroupVersionKind, operations []engine.Op) {
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
// rules.
func differing(before, after engine.Rules) []engine.Op {
	return slices.DeleteFunc(operations(), func(op engine.Op) bool { return sameRule(before[op], after[op]) })
}

// sameRule reports whether two rules, of which either may be nil, give the same answers. Of
// programs it knows only that one is the same as itself.
func sameRule(a, b *engine.Rule) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Program == b.Program && a.Function == b.Function && a.Expression == b.Expression && a.Compat == b.Compat &&
		a.Limits == b.Limits && reflect.DeepEqual(a.Params, b.Params)
}
