// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"strings"
	"testing"
)

// TestWrongAnswersCostTheSame reads answers with several mistakes, in maps whose order varies.
func TestWrongAnswersCostTheSame(t *testing.T) {
	labels := m{"zz": int64(1), "zy": int64(2)}
	for i := range 5_000 {
		labels[fmt.Sprint("k", i)] = "v"
	}
	resources, texts := m{"zz": "bad", "zy": "worse"}, m{}
	for i := range 100 {
		resources[fmt.Sprint("k", i)] = "1.5"
		texts[fmt.Sprint("k", i)] = strings.Repeat("x", 20_000)
	}
	selector := func(labels m) any {
		return l{m{"apiVersion": "v1", "kind": "A", "labelSelector": m{"matchLabels": labels}}}
	}
	for name, c := range map[string]struct {
		op     Op
		answer any
		lua    string
	}{
		"a node selector":         {InterpretReplica, m{"nodeClaim": m{"nodeSelector": labels}}, "return 1, o.spec.answer"},
		"resources":               {InterpretReplica, m{"resourceRequest": resources}, "return 1, o.spec.answer"},
		"unknown fields":          {InterpretReplica, labels, "return 1, o.spec.answer"},
		"a status too large":      {InterpretStatus, texts, "return {a = o.spec.answer, b = o.spec.answer}"},
		"a selector too large":    {InterpretDependency, selector(texts), "return o.spec.answer"},
		"labels that are wrong":   {InterpretDependency, selector(m{"!a": "b", "!c": "d", "!e": "f", "!g": "h"}), "return o.spec.answer"},
		"labels that are no text": {InterpretDependency, selector(m{"a": int64(1), "b": true, "c": l{}, "d": 1.5}), "return o.spec.answer"},
		"a state of maps":         {InterpretState, m{"a": m{}, "b": l{}, "c": m{}, "d": strings.Repeat("x", 5_000)}, "return o.spec.answer"},
	} {
		rule := luaRule(t, c.op, fmt.Sprintf("function %s(o) if not o.spec then return o end %s end", described(t, c.op).Entry, c.lua))
		for form, rule := range map[string]*Rule{"lua": rule, "published": published(rule)} {
			t.Run(name+" "+form, func(t *testing.T) {
				first := ""
				for range 20 {
					_, usage, err := answerOf(c.op, rule, site(m{"answer": c.answer}), nil)
					got := fmt.Sprintf("%+v %v", usage, err)
					if first == "" {
						first = got
					}
					if got != first {
						t.Fatalf("one run: %s\nanother: %s", first, got)
					}
				}
			})
		}
	}
}
