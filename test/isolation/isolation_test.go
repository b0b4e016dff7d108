// SPDX-License-Identifier: Apache-2.0

// Package isolation tests that nothing of one run reaches another, and that nothing of
// an object outlives its run, through the interpreter as its users have it: by scripts
// of bundles, by scripts of the published form, and by CEL.
package isolation

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// form is one of the ways in which a script comes.
type form struct {
	published, expression bool
}

var (
	lua       = form{}
	published = form{published: true}
	cel       = form{expression: true}
)

// kindOf returns the kind of the objects whose status the script of this name reflects.
func kindOf(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "isolation.example", Version: "v1", Kind: name}
}

// set adds a script to an interpreter that answers InterpretStatus for the kind name.
func set(t *testing.T, i *engine.Interpreter, name, source string, f form) {
	t.Helper()
	unit := engine.Script{File: name, Text: source, Operation: engine.InterpretStatus}
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	compile := c.Lua
	if f.expression {
		compile = c.CEL
	}
	program, err := compile(unit)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := i.Set(engine.Embedded, engine.RuleSet{Name: name, Kinds: map[schema.GroupVersionKind]engine.Rules{
		kindOf(name): {engine.InterpretStatus: {Program: program, Origin: name, Compat: f.published, Expression: f.expression}},
	}}); err != nil {
		t.Fatal(err)
	}
}

var compiler = sync.OnceValues(engine.NewCompiler)

// object returns an object of a kind with a secret.
func object(kind, secret string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"data": secret, "list": []any{secret, map[string]any{"data": secret}}, "nested": map[string]any{"data": secret},
	}}
	o.SetGroupVersionKind(kindOf(kind))
	o.SetName("a")
	return o
}

// decoders give what they can reach: an answer other than that of the object alone is
// something of another run.
var decoders = map[string]struct {
	source string
	form   form
}{
	"Global":        {`function ReflectStatus(o) local old = kept; kept = o; return {found = old, own = o.data} end`, lua},
	"ChunkLocal":    {`local kept function ReflectStatus(o) local old = kept; kept = o; return {found = old, own = o.data} end`, lua},
	"Upvalue":       {`local function make() local n = 0 return function() n = n + 1 return n end end local count = make() function ReflectStatus(o) local n = count() return {found = n ~= 1 and n or nil, own = o.data} end`, lua},
	"TableConstant": {`local t = {a = 1, l = {1, 2}} function ReflectStatus(o) local old = t.data or t.l[3] t.data = o.data t.l[3] = o return {found = old, own = o.data} end`, lua},
	"Library":       {`function ReflectStatus(o) local ok = pcall(function() string.rep = function() return o.data end end) return {found = ok or nil, own = o.data} end`, lua},
	"Shadowed":      {`function ReflectStatus(o) local old = tostring(1) tostring = function() return o.data end pcall = nil return {found = old ~= "1" and old or nil, own = o.data} end`, lua},
	"Parameters":    {`function ReflectStatus(o) local old = params.data params.data = o.data return {found = old, own = o.data} end`, lua},
	"Object":        {`function ReflectStatus(o) local old = o.mark o.mark = o.data o.list[1] = 1 o.nested.data = nil return {found = old, own = o.data} end`, lua},
	"CaughtError":   {`function ReflectStatus(o) local _, old = pcall(error) pcall(error, o) return {found = old, own = o.data} end`, lua},
	"Error":         {`function ReflectStatus(o) error(o.data) end`, lua},
	"ErrorValue":    {`function ReflectStatus(o) error({o.data, o}) end`, lua},
	"Gas":           {`function ReflectStatus(o) kept = o local t = {o, o.list} while true do t[#t] = o end end`, lua},
	"Memory":        {`function ReflectStatus(o) local s = o.data while true do s = s .. s end end`, lua},
	"Depth":         {`function ReflectStatus(o) local function f(...) return f(o, ...) end return f(o.data) end`, lua},
	"Result":        {`function ReflectStatus(o) return {own = o.data, f = ReflectStatus} end`, lua},
	"ManyResults":   {`function ReflectStatus(o) local function f() return o, o.list, o.data end local a, b = f() return {own = a.data} end`, lua},
	"Merge":         {`function ReflectStatus(o) local m = kube.merge(o.nested, {own = o.data}) m.data = nil return m end`, lua},

	"PublishedGlobal":   {`function ReflectStatus(o) local old = kept; kept = o; return {found = old, own = o.data} end`, published},
	"PublishedFunction": {`function ReflectStatus(o) local old = Retain; Retain = function() return o end; return {found = old and old(), own = o.data} end`, published},
	"PublishedObject":   {`function ReflectStatus(o) local old = o.mark o.mark = o.data o.list[1] = 1 return {found = old, own = o.data} end`, published},
	"PublishedError":    {`function ReflectStatus(o) error(o) end`, published},

	"CEL":       {`{"own": object.data, ?"found": object.?mark}`, cel},
	"CELBound":  {`cel.bind(x, [object, object.list], {"own": x[0].data})`, cel},
	"CELError":  {`{"own": object[object.data]}`, cel},
	"CELGas":    {`{"own": lists.range(100000).map(i, object)}`, cel},
	"CELMemory": {`{"own": lists.range(9000).map(i, [object.data, object.data + "x"]).map(x, x + x)}`, cel},
	"CELResult": {`{"own": object.data, "type": type(object)}`, cel},
}

// TestNothingReachesAnotherRun lets 64 goroutines, each with a secret of its own, ask
// programs that keep what they see, in every order.
func TestNothingReachesAnotherRun(t *testing.T) {
	i := engine.NewInterpreter(engine.Options{Limits: script.Limits{Gas: 20_000, Memory: 1 << 20}})
	var kinds []string
	for name, decoder := range decoders {
		set(t, i, name, decoder.source, decoder.form)
		kinds = append(kinds, name)
	}
	const goroutines, rounds = 64, 4
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			secret := fmt.Sprintf("secret-%03d-", g)
			for round := range rounds {
				for k := range kinds {
					kind := kinds[(k*7+g+round)%len(kinds)]
					if wrong := foreign(i, object(kind, secret), secret); wrong != "" {
						t.Errorf("%s, goroutine %d, round %d: %s", kind, g, round, wrong)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

// TestNoGoroutineIsLeft counts goroutines around runs that end in every way.
func TestNoGoroutineIsLeft(t *testing.T) {
	i := engine.NewInterpreter(engine.Options{})
	for name, decoder := range decoders {
		set(t, i, name, decoder.source, decoder.form)
	}
	before := runtime.NumGoroutine()
	for name := range decoders {
		_, _ = i.Snapshot().Status(object(name, "secret-000-"))
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before the runs, %d after", before, after)
	}
}

// foreign asks about an object and reports what of another run is in the answer or in the
// error, or what became of the object.
func foreign(i *engine.Interpreter, o *unstructured.Unstructured, secret string) string {
	before, _ := json.Marshal(o.Object)
	status, err := i.Snapshot().Status(o)
	after, _ := json.Marshal(o.Object)
	text, _ := json.Marshal(status)
	switch outcome := fmt.Sprintf("%s %+v", text, err); {
	case string(before) != string(after):
		return "the object changed to " + string(after)
	case status["found"] != nil:
		return fmt.Sprintf("it found %v", status["found"])
	case err == nil && status["own"] != secret:
		return "the answer is " + outcome
	case strings.Count(outcome, "secret-") != strings.Count(outcome, secret):
		return "the answer has the secret of another: " + outcome
	}
	return ""
}
