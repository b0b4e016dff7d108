// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// share is which of the operations of a customization it answers.
type share struct {
	// all is how many operations it has scripts for.
	all int
	// shadowed are those that another customization answers, by name.
	shadowed []shadow
}

// shadow is one operation that another customization answers.
type shadow struct {
	operation engine.Op
	by        string
}

// shareOf returns what the active scripts of a customization answer.
func shareOf(name string, source engine.RuleSet, answering func(schema.GroupVersionKind, engine.Op) []string) share {
	var s share
	for kind, rules := range source.Kinds {
		for op := range rules {
			s.all++
			if by := answering(kind, op); len(by) > 0 && !slices.Contains(by, name) {
				s.shadowed = append(s.shadowed, shadow{op, by[0]})
			}
		}
	}
	slices.SortFunc(s.shadowed, func(a, b shadow) int {
		return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.operation, b.operation))
	})
	return s
}

// String says who answers instead: "customization a answers InterpretHealth and Retain".
func (s share) String() string {
	var parts []string
	for rest := s.shadowed; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(o shadow) bool { return o.by != rest[0].by })
		if n < 0 {
			n = len(rest)
		}
		var operations []string
		for _, o := range rest[:n] {
			operations = append(operations, string(o.operation))
		}
		parts = append(parts, fmt.Sprintf("customization %s answers %s", rest[0].by, strings.Join(operations, ", ")))
		rest = rest[n:]
	}
	return strings.Join(parts, "; ")
}

// notifyOthers has the other customizations of some kinds report again which of their operations
// they answer.
func (c *Controller) notifyOthers(name string, sources ...engine.RuleSet) {
	for _, other := range c.entries.names() {
		if e := c.entries.get(other); other != name && e != nil && slices.ContainsFunc(sources, e.sharesKind) {
			c.notify(other)
		}
	}
}

// sharesKind reports whether the active scripts are for a kind of a rule set.
func (e *entry) sharesKind(set engine.RuleSet) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for kind := range e.outcome.source.Kinds {
		if _, both := set.Kinds[kind]; both {
			return true
		}
	}
	return false
}
