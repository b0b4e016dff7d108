// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The tests ask about a Site named home in namespace web.
var siteKind = schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Site"}

// site returns a Site with a spec.
func site(spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1", "kind": "Site",
		"metadata": map[string]any{"namespace": "web", "name": "home"},
		"spec":     spec,
	}}
}

// sharedCompiler is that of all tests that do not count what it keeps.
var sharedCompiler = sync.OnceValues(NewCompiler)

// luaRule compiles a rule that must compile.
func luaRule(t testing.TB, op Op, source string) *Rule {
	t.Helper()
	c, err := sharedCompiler()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Lua(Script{File: "site.lua", Text: source, Operation: op})
	if err != nil {
		t.Fatal(err)
	}
	return &Rule{Program: p, Origin: "bundle site"}
}

// celRule compiles an expression that must compile.
func celRule(t testing.TB, op Op, source string) *Rule {
	t.Helper()
	c, err := sharedCompiler()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.CEL(Script{File: "site.cel", Text: source, Operation: op})
	if err != nil {
		t.Fatal(err)
	}
	return &Rule{Program: p, Origin: "bundle site", Expression: true}
}

// published marks a rule as one of the published form.
func published(r *Rule) *Rule {
	r.Compat = true
	return r
}

// sourceOf returns a source with one rule for Site.
func sourceOf(name string, op Op, r *Rule) RuleSet {
	return RuleSet{Name: name, Kinds: map[schema.GroupVersionKind]Rules{siteKind: {op: r}}}
}

// set puts a source of rules that exist into an interpreter.
func set(i *Interpreter, layer Layer, source RuleSet) {
	if err := i.Set(layer, source); err != nil {
		panic(err)
	}
}

// answering returns an interpreter with one rule for Site.
func answering(op Op, r *Rule) *Interpreter {
	i := NewInterpreter(Options{})
	set(i, Embedded, sourceOf("site", op, r))
	return i
}
