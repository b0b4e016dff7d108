// SPDX-License-Identifier: Apache-2.0

package rulechange

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// program is one that nobody runs.
type program struct{ script.Program }

var (
	kindX = schema.GroupVersionKind{Version: "v1", Kind: "X"}
	kindY = schema.GroupVersionKind{Version: "v1", Kind: "Y"}
)

// listening returns changes, and those that it passed on, each as "kind operations",
// sorted.
func listening() (*Changes, func() []string) {
	c, notified := &Changes{}, []string{}
	c.Listen(func(kind schema.GroupVersionKind, operations []engine.Op) {
		notified = append(notified, kind.Kind+" "+strings.Trim(fmt.Sprint(operations), "[]"))
	})
	return c, func() []string {
		slices.Sort(notified)
		return notified
	}
}

func TestReplaced(t *testing.T) {
	one, two := &program{}, &program{&program{}}
	rule := func(p script.Program) *engine.Rule { return &engine.Rule{Program: p} }
	source := func(kinds map[schema.GroupVersionKind]engine.Rules) engine.RuleSet {
		return engine.RuleSet{Kinds: kinds}
	}
	health := func(r *engine.Rule) engine.RuleSet {
		return source(map[schema.GroupVersionKind]engine.Rules{kindX: {engine.InterpretHealth: r}})
	}
	cases := map[string]struct {
		reason        string
		before, after engine.RuleSet
		want          []string
	}{
		"New":     {reason: "nothing answered before", after: health(rule(one)), want: []string{"X InterpretHealth"}},
		"Gone":    {reason: "nothing of it answers any more", before: health(rule(one)), want: []string{"X InterpretHealth"}},
		"Same":    {reason: "another rule with the same program", before: health(rule(one)), after: health(rule(one)), want: []string{}},
		"Named":   {reason: "its name is no part of an answer", before: health(rule(one)), after: health(&engine.Rule{Program: one, Origin: "bundle b"}), want: []string{}},
		"Program": {reason: "another program", before: health(rule(one)), after: health(rule(two)), want: []string{"X InterpretHealth"}},
		"Params": {
			reason: "other parameters", before: health(&engine.Rule{Program: one, Params: map[string]any{"a": "b"}}),
			after: health(&engine.Rule{Program: one, Params: map[string]any{"a": "c"}}), want: []string{"X InterpretHealth"},
		},
		"Limits": {
			reason: "what met a limit may not meet the next", before: health(rule(one)),
			after: health(&engine.Rule{Program: one, Limits: script.Limits{Gas: 1}}), want: []string{"X InterpretHealth"},
		},
		"Function":   {reason: "another function of the module", before: health(&engine.Rule{Program: one, Function: "a"}), after: health(&engine.Rule{Program: one, Function: "b"}), want: []string{"X InterpretHealth"}},
		"Published":  {reason: "the values are others", before: health(rule(one)), after: health(&engine.Rule{Program: one, Compat: true}), want: []string{"X InterpretHealth"}},
		"Expression": {reason: "the results mean something else", before: health(rule(one)), after: health(&engine.Rule{Program: one, Expression: true}), want: []string{"X InterpretHealth"}},
		"Some": {
			reason: "only what changed", want: []string{"X Retain InterpretState", "Y InterpretHealth"},
			before: source(map[schema.GroupVersionKind]engine.Rules{
				kindX: {engine.InterpretHealth: rule(one), engine.Retain: rule(one)}, kindY: {engine.InterpretHealth: rule(one)},
			}),
			after: source(map[schema.GroupVersionKind]engine.Rules{
				kindX: {engine.InterpretHealth: rule(one), engine.Retain: rule(two), engine.InterpretState: rule(one)},
			}),
		},
		"Demand": {
			reason: "who counts the replicas divides them", want: []string{"X InterpretReplica InterpretComponent ReviseReplica"},
			after: source(map[schema.GroupVersionKind]engine.Rules{kindX: {engine.InterpretComponent: rule(one)}}),
		},
		"Moved": {
			reason: "the kind that it left, and the one that it came to", before: health(rule(one)), want: []string{"X InterpretHealth", "Y InterpretHealth"},
			after: source(map[schema.GroupVersionKind]engine.Rules{kindY: {engine.InterpretHealth: rule(one)}}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, notified := listening()
			c.Replaced(tc.before, tc.after)
			if diff := cmp.Diff(tc.want, notified()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNilChangesHaveNoListeners(t *testing.T) {
	(*Changes)(nil).Replaced(engine.RuleSet{}, engine.RuleSet{Kinds: map[schema.GroupVersionKind]engine.Rules{kindX: {engine.Retain: {}}}})
}
