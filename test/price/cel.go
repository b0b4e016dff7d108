// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/script"
)

// macros are calls of each macro, in which $ stands for an argument.
var macros = map[string][]string{
	"all": {"$.all(x, true)", "$.all(k, v, k != v)"}, "exists": {"$.exists(x, x == $)", "$.exists(k, v, false)"}, "exists_one": {"$.exists_one(x, x == 1)"}, "existsOne": {"$.existsOne(k, v, k == v)"},
	"map": {"$.map(x, x)", "$.map(x, true, $)"}, "filter": {"$.filter(x, x == $)"}, "bind": {"cel.bind(x, $, [x, x])"}, "has": {"has(object.long)"},
	"greatest": {"math.greatest($)", "math.greatest($, $)"}, "least": {"math.least($)", "math.least($, $)"}, "optMap": {"optional.of($).optMap(x, x)"}, "optFlatMap": {"optional.of($).optFlatMap(x, optional.of(x))"},
	"sortBy": {"$.sortBy(x, x)", "$.sortBy(x, $)"}, "transformList": {"$.transformList(k, v, v)"}, "transformMap": {"$.transformMap(k, v, v)"}, "transformMapEntry": {"$.transformMapEntry(k, v, {k: v})"},
}

// literals are what makes values of them.
var literals = map[string]string{
	"list": "[$, $]", "map": "{$: $}", "optional-entry": "{?'a': optional.of($)}", "optional-item": "[?optional.of($)]", "field": "$.name", "optional-field": "$.?name", "test-of-a-field": "has($.name)",
	"equal-types": "type($) == type($)",
}

// CEL returns each function, operator and macro of CEL, with n trials of each overload
// at random beside those that try all values. An overload that no expression can call has
// none.
func CEL(c *engine.Compiler, seed uint64, n int) (all []*Subject, err error) {
	calls, err := reference.CELCalls()
	if err != nil {
		return nil, err
	}
	add := func(subject, form string, kinds []string) {
		function, _, _ := strings.Cut(strings.TrimPrefix(subject, "CEL "), " ")
		all = append(all, &Subject{Name: subject, function: "CEL " + function, trials: func(s *Subject) (trials []Trial, err error) {
			for _, args := range chosen(seeded(seed, subject), kinds, n) {
				if t, err := s.cel(c, form, args); err == nil {
					trials = append(trials, t)
				}
			}
			return trials, nil
		}})
	}
	for _, call := range calls {
		if call.Macro {
			if macros[call.Function] == nil {
				return nil, fmt.Errorf("the macro %s has no call in this package", call.Function)
			}
			for _, form := range macros[call.Function] {
				add("CEL "+call.Function, form, make([]string, strings.Count(form, "$")))
			}
			continue
		}
		add("CEL "+call.Function+" "+call.Overload, call.Form, kindsOf(call.Args))
	}
	for name, kinds := range kindsOfKubeSorted() {
		add("CEL "+name, name+"("+strings.TrimSuffix(strings.Repeat("$, ", len(kinds)), ", ")+")", kinds)
	}
	for _, name := range sortedKeys(literals) {
		add("CEL literal:"+name, literals[name], make([]string, strings.Count(literals[name], "$")))
	}
	return all, nil
}

func kindsOfKubeSorted() func(yield func(string, []string) bool) {
	return func(yield func(string, []string) bool) {
		all := kindsOfKube()
		for _, name := range sortedKeys(all) {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}

// kindsOf returns the kinds of arguments by their types in CEL.
func kindsOf(types []string) []string {
	var kinds []string
	for _, t := range types {
		t, _, _ = strings.Cut(t, "(")
		known := map[string]string{
			"string": "text", "int": "number", "double": "number", "uint": "unsigned", "bool": "other", "list": "list", "map": "map", "bytes": "bytes",
			"google.protobuf.Timestamp": "stamp", "google.protobuf.Duration": "pause", "optional_type": "optional",
		}
		if strings.HasPrefix(t, "kubernetes.") || strings.HasPrefix(t, "net.") {
			known[t] = t
		}
		kinds = append(kinds, known[t])
	}
	return kinds
}

// cel makes a trial of a form, in which $ stands for an argument.
func (s *Subject) cel(c *engine.Compiler, form string, args []value) (Trial, error) {
	bound := form
	var open, closing string
	for i, v := range args {
		text := v.cel
		if text == "" {
			text = "object." + v.name
		}
		name := fmt.Sprint("a", i)
		open += "cel.bind(" + name + ", " + text + ", "
		closing += ")"
		bound = strings.Replace(bound, "$", name, 1)
	}
	text := open + "lists.range(object.n).all(i, type(dyn(" + bound + ")) != null_type || true)" + closing
	program, err := c.CEL(engine.Script{File: "price", Text: text, Operation: engine.InterpretHealth})
	return s.trial(args, func(n int64, limits script.Limits) (script.Usage, error) {
		return program.Run(&script.Call{Names: []string{"object"}, Args: []any{with(n)}, Limits: limits}, Collector{})
	}), err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
