// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"strings"
	"testing"
)

// What a script of the published form may return, and what becomes of it (facts: the
// operation table; Lua to Go). A want that begins with "error: " is part of the error.
func TestPublishedResults(t *testing.T) {
	for about, cases := range map[Op]map[string]struct{ answer, want string }{
		InterpretStatus: {
			"an empty table is a map":            {"{}", `{}`},
			"nothing is an error":                {"nil", "error: status: want a map, got nil"},
			"a list is accepted":                 {"{1, 2}", `[1,2]`},
			"whole numbers are integers":         {"{a = 1.0, b = 4 / 2, c = 0.5, d = 1e20, e = 1e21}", `{"a":1,"b":2,"c":0.5,"d":100000000000000000000,"e":1e+21}`},
			"integers beyond 2^53 are rounded":   {"{a = 9007199254740993, b = 2^62}", `{"a":9007199254740992,"b":4611686018427388000}`},
			"keys are sorted":                    {"{b = 1, a = {d = 1, c = 2}, ['a.b'] = 3, B = 4}", `{"B":4,"a":{"c":2,"d":1},"a.b":3,"b":1}`},
			"nested empty ones go":               {"{a = {}, b = {c = {}, d = 1}}", `{"b":{"d":1}}`},
			"what that empties stays":            {"{exclude = {resources = {}}, generate = {{}, {}}, c = 1}", `{"c":1,"exclude":{},"generate":[]}`},
			"a copy of an empty part goes":       {"{volumes = o.spec.emptyMap, list = o.spec.emptyList, c = 1}", `{"c":1}`},
			"items that go take no others along": {"{l = {{}, {a = 1}, {}, {b = 2}}}", `{"l":[{"a":1},{"b":2}]}`},
			"extra results do not count":         {"{a = 1}, print, {0 / 0}", `{"a":1}`},
			"a table may stand twice":            {"(function() local s, e = {1}, {} return {a = s, b = s, c = e, d = e} end)()", `{"a":[1],"b":[1]}`},
			"a cycle is an error":                {"(function() local s = {} s.s = s return s end)()", "error: holds itself"},
			"a list with holes is an error":      {"{a = {1, nil, 3}}", "error: the list result.a has no item 2 but later ones"},
			"a list that begins later is one":    {"{a = {[5] = 1}}", "error: the key 5"},
			"a list from zero is one":            {"{a = {[0] = 1}}", "error: the key 0"},
			"items beside fields are an error":   {"{1, a = 2}", "error: both items and fields"},
			"a boolean key is an error":          {"{[true] = 1}", "error: the key true"},
			"a function is an error":             {"{a = print}", "error: a function at .a"},
			"not a number is an error":           {"{a = 0 / 0}", "error: not finite"},
			"infinity is an error":               {"{a = 1 / 0}", "error: not finite"},
			"a function at the top is an error":  {"print", "error: status: want a map, got a function"},
		},
		InterpretReplica: {
			"replicas and no requirements":      {"3", `[3,null]`},
			"an empty table is no nil":          {"3, {}", `[3,{}]`},
			"a fraction is cut":                 {"2.7", `[2,null]`},
			"a fraction below one is none":      {"-0.5", `[0,null]`},
			"replicas beyond 32 bits are wrong": {"3e9", "error: replicas: 3000000000 is not between"},
			"nil is no number":                  {"nil", "error: replicas: want a number, got a nil"},
			"a number is a quantity":            {"1, {resourceRequest = {cpu = 2, memory = '1Gi'}}", `[1,{"resourceRequest":{"cpu":"2","memory":"1Gi"}}]`},
			"unknown fields are passed over":    {"1, {priorityClassName = 'high', nonsense = 1}", `[1,{"priorityClassName":"high"}]`},
			"wrong types are not":               {"1, {nodeClaim = {nodeSelector = {zone = 1}}}", "error: requirements.nodeClaim.nodeSelector.zone: want a string"},
			"a third result does not count":     {"1, nil, {}", `[1,null]`},
		},
		InterpretComponent: {
			"nil is none, and no error":      {"nil", `null`},
			"an empty table is a list":       {"{}", `[]`},
			"the order stays":                {"{{name = 'b', replicas = 2}, {name = 'a', replicas = 1}}", `[{"name":"b","replicas":2},{"name":"a","replicas":1}]`},
			"an empty item goes":             {"{{name = 'a', replicas = 1}, {}}", `[{"name":"a","replicas":1}]`},
			"replicas of 2.5 are an error":   {"{{name = 'a', replicas = 2.5}}", "error: components[0].replicas: want a whole number, got 2.5"},
			"a text is an error":             {"'a'", "error: components: want a list, got a string"},
			"unknown fields are passed over": {"{{name = 'a', replicas = 1, nonsense = {1}}}", `[{"name":"a","replicas":1}]`},
		},
		InterpretDependency: {
			"nil is an error":          {"nil", "error: dependencies: want a list, got a nil"},
			"an empty table is a list": {"{}", `[]`},
			"a map is an error":        {"{kind = 'Secret'}", "error: dependencies: want a list, got a map"},
			"they are sorted":          {"{{apiVersion = 'v1', kind = 'Secret', name = 'b'}, {apiVersion = 'v1', kind = 'Secret', name = 'a'}}", `[{"apiVersion":"v1","kind":"Secret","name":"a"},{"apiVersion":"v1","kind":"Secret","name":"b"}]`},
		},
		InterpretHealth: {
			"true":                       {"true", `[true,null]`},
			"false":                      {"false", `[false,null]`},
			"nil is no boolean":          {"nil", "error: healthy: want a boolean, got nil"},
			"a number is no boolean":     {"0", "error: healthy: want a boolean, got a number"},
			"a text is no boolean":       {"'true'", "error: healthy: want a boolean, got a string"},
			"extra results do not count": {"false, 'Progressing'", `[false,null]`},
		},
		AggregateStatus: {
			"an object without kind is an error": {"{apiVersion = o.apiVersion, metadata = o.metadata}", "error: object.kind: the script removed it"},
			"nested empty ones go":               {"(function() o.status = {a = {}} return o end)()", `{"apiVersion":"web.example/v1","kind":"Site","metadata":{"name":"home","namespace":"web"},"spec":{},"status":{}}`},
			"nil is an error":                    {"nil", "error: object: the script gave nil"},
			"a list is an error":                 {"{1}", "error: object: want a map, got a list"},
		},
	} {
		op := described(t, about)
		for name, tc := range cases {
			t.Run(string(about)+"/"+name, func(t *testing.T) {
				source := "function " + op.Entry + "(o) return " + tc.answer + " end"
				object := site(m{"emptyMap": m{}, "emptyList": l{}})
				got, err := publishedAnswer(t, source, Request{Operation: about, Object: object})
				expectAnswer(t, got, err, tc.want)
			})
		}
	}
}

// expectAnswer compares JSON, or an error where want begins with "error: ".
func expectAnswer(t *testing.T, got string, err error, want string) {
	t.Helper()
	part, wantsError := strings.CutPrefix(want, "error: ")
	switch {
	case wantsError && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("got %s, error %v; want an error with %q", got, err, part)
	case !wantsError && (err != nil || got != want):
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}

// The arguments of Retain and ReviseReplica mend the empty ones of their results, by
// places without the indexes of lists.
func TestPublishedReferences(t *testing.T) {
	desired, observed := m{"map": m{}, "list": l{}, "rules": l{m{"x": m{}}}, "items": l{m{}}, "a.b": m{}, "c:d": m{}, "both": l{m{"y": m{}}, m{"y": l{}}}}, m{"seen": l{}}
	for name, tc := range map[string]struct{ change, want string }{
		"an empty map stays one":          {"s = {map = o.spec.map}", `{"map":{}}`},
		"an empty list stays one":         {"s = {list = o.spec.list}", `{"list":[]}`},
		"a new table takes the old form":  {"s = {map = {}, list = {}}", `{"list":[],"map":{}}`},
		"elsewhere they go":               {"s = {other = o.spec.map, n = 1}", `{"n":1}`},
		"any item of a list":              {"s = {rules = {{x = {}}, {x = {}}}}", `{"rules":[{"x":{}},{"x":{}}]}`},
		"an empty item marks its list":    {"s = {items = {}}", `{"items":{}}`},
		"a dot in a key":                  {"s = {['a.b'] = {}, a = {b = {}}}", `{"a":{},"a.b":{}}`},
		"a colon in a key":                {"s = {['c:d'] = {}}", `{"c:d":{}}`},
		"of map and list the map wins":    {"s = {both = {{y = {}}, {y = {}}}}", `{"both":[{"y":{}},{"y":{}}]}`},
		"the observed object counts, too": {"s = {seen = {}}", `{"seen":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			source := "function Retain(o, observed) local " + tc.change + " o.spec = s return o end"
			got, err := publishedAnswer(t, source, Request{Operation: Retain, Object: site(desired), Observed: site(observed)})
			want := `{"apiVersion":"web.example/v1","kind":"Site","metadata":{"name":"home","namespace":"web"},"spec":` + tc.want + `}`
			expectAnswer(t, got, err, want)
		})
	}
}

// A script that lacks the function of its operation does not compile, and never runs
// one that another script left.
func TestPublishedFunctionMustBeThere(t *testing.T) {
	for source, want := range map[string]string{
		"x = 1":                                   "the script does not define the function InterpretHealth",
		"InterpretHealth = true":                  "the script does not define the function InterpretHealth",
		"local function InterpretHealth() end":    "the function InterpretHealth is local",
		"function health(o) return true end":      "it defines health",
		"function GetReplicas(o) return 1 end":    "it defines GetReplicas",
		"return function(o) return true end":      "the script does not define the function InterpretHealth",
		"if false then InterpretHealth = 1 end":   "the script does not define the function InterpretHealth",
		"function InterpretHealth(o) end x = 1":   "",
		"InterpretHealth = function() end return": "",
	} {
		_, err := newCompiler(t).Lua(Script{File: "health", Text: source, Operation: InterpretHealth})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: got error %v; want none", source, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got error %v; want one with %q", source, err, want)
		}
	}
}

// A field that a script does not touch keeps its digits, though the script sees a float.
func TestPublishedDigits(t *testing.T) {
	desired := m{"account": int64(1764300000123456789), "max": int64(math.MaxInt64), "paused": false}
	for name, tc := range map[string]struct {
		source  string
		request Request
		want    string
	}{
		"Retain": {
			"function Retain(desired, observed) desired.spec.paused = observed.spec.paused return desired end",
			Request{Operation: Retain, Object: site(desired), Observed: site(m{"account": int64(7), "paused": true})},
			`{"account":1764300000123456789,"max":9223372036854775807,"paused":true}`,
		},
		"ReviseReplica": {
			"function ReviseReplica(o, replicas) o.spec.replicas = replicas return o end",
			Request{Operation: ReviseReplica, Object: site(desired), Replicas: 3},
			`{"account":1764300000123456789,"max":9223372036854775807,"paused":false,"replicas":3}`,
		},
		"the digits of the member": {
			"function Retain(desired, observed) desired.spec.account = observed.spec.account return desired end",
			Request{Operation: Retain, Object: site(m{"account": int64(7)}), Observed: site(m{"account": int64(1764300000123456789)})},
			`{"account":1764300000123456789}`,
		},
		"what the script computes": {
			"function Retain(desired, observed) desired.spec.account = desired.spec.account + 512 return desired end",
			Request{Operation: Retain, Object: site(m{"account": int64(1764300000123456789)}), Observed: site(nil)},
			`{"account":1764300000123457300}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := publishedAnswer(t, tc.source, tc.request)
			if err != nil || !strings.Contains(got, `"spec":`+tc.want) {
				t.Errorf("got %s, error %v; want the spec %s", got, err, tc.want)
			}
		})
	}
}
