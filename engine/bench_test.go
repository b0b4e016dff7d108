// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/script"
)

// dispatchCases are questions whose programs are short, so that what the engine does
// around them shows.
var dispatchCases = map[string]struct {
	operation Op
	lua, cel  string
	ask       func(Snapshot, *unstructured.Unstructured) error
}{
	"health": {
		InterpretHealth,
		`function InterpretHealth(o) return o.spec ~= nil and o.spec.state == "RUNNING" end`,
		`has(object.spec.state) && object.spec.state == "RUNNING"`,
		func(v Snapshot, o *unstructured.Unstructured) error { _, err := v.Health(o); return err },
	},
	"retain": {
		Retain, `function Retain(desired, observed) return desired end`, `{}`,
		func(v Snapshot, o *unstructured.Unstructured) error { _, err := v.Retain(o, o); return err },
	},
	"revise": {
		ReviseReplica, `function ReviseReplica(o, n) if o.spec.replicas ~= n then o.spec.replicas = n end return o end`, `{}`,
		func(v Snapshot, o *unstructured.Unstructured) error { _, err := v.Revise(o, 3, Division{}); return err },
	},
}

// BenchmarkDispatch runs each program by itself and through an interpreter that has
// ten thousand kinds beside; the difference is what the engine costs.
func BenchmarkDispatch(b *testing.B) {
	object := site(map[string]any{"state": "RUNNING", "replicas": int64(3)})
	for name, c := range dispatchCases {
		for language, rule := range map[string]*Rule{"lua": luaRule(b, c.operation, c.lua), "cel": celRule(b, c.operation, c.cel)} {
			i := manyKinds(10_000, counting(b, "1"))
			set(i, Embedded, sourceOf("site", c.operation, rule))
			op, err := Describe(c.operation)
			if err != nil {
				b.Fatal(err)
			}
			call := &script.Call{Entry: op.Entry, Names: op.ParamNames(), Limits: script.DefaultLimits()}
			call.Args = []any{object.Object, any(object.Object), int64(3)}[:len(op.Params)]
			if c.operation == ReviseReplica {
				call.Args[1] = int64(3)
			}
			b.Run(name+"/"+language+"/program", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := rule.Program.Run(call, decoderFunc(ignoreResults)); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+language+"/engine", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := c.ask(i.Snapshot(), object); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// manyKinds returns an interpreter with a customization for each of n kinds.
func manyKinds(n int, rule *Rule) *Interpreter {
	i := NewInterpreter(Options{})
	for k := range n {
		set(i, Customizations, RuleSet{
			Name:  fmt.Sprintf("c%d", k),
			Kinds: map[schema.GroupVersionKind]Rules{numbered(k): {InterpretReplica: rule}},
		})
	}
	return i
}

// BenchmarkLookup finds the rules of a kind among others.
func BenchmarkLookup(b *testing.B) {
	rule := counting(b, "1")
	for _, n := range []int{10, 1_000, 10_000} {
		i := manyKinds(n, rule)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				i.Snapshot().Supports(numbered3, InterpretReplica)
			}
		})
		set(i, Embedded, RuleSet{Name: "generic", Kinds: map[schema.GroupVersionKind]Rules{AnyKind: {InterpretHealth: rule}}})
		b.Run(fmt.Sprintf("nobody/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				i.Snapshot().Supports(unknown, InterpretHealth)
			}
		})
	}
}

var unknown = numbered(-1)

var numbered3 = numbered(3)

// flinkHealth is a customization of usual size; n makes its text another.
func flinkHealth(n int) *configv1alpha1.ResourceInterpreterCustomization {
	cr := customizationOf(configv1alpha1.CustomizationRules{
		HealthInterpretation: luaScript(fmt.Sprintf(`-- revision %d
function InterpretHealth(obj)
  if obj.status ~= nil and obj.status.jobStatus ~= nil then
    local state = obj.status.jobStatus.state
    return state == "RUNNING" or state == "FINISHED" or obj.status.error == nil
  end
  return false
end`, n)),
		ReplicaResource: luaScript(fmt.Sprintf(`-- revision %d
local kube = require("kube")
function GetReplicas(obj)
  return obj.spec.replicas or 1, kube.accuratePodRequirements(obj.spec.template or {})
end`, n)),
	})
	cr.Name = "c5"
	return cr
}

// BenchmarkReload replaces one customization among n. With new text it is compiled,
// tried and put in place; with the same text it is found; swap only puts it in place.
func BenchmarkReload(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		i := manyKinds(n, counting(b, "1"))
		c, err := sharedCompiler()
		if err != nil {
			b.Fatal(err)
		}
		reload := func(b *testing.B, revision int) RuleSet {
			source, errs := c.Customization(flinkHealth(revision))
			if len(errs) > 0 {
				b.Fatal(errs)
			}
			set(i, Customizations, source)
			return source
		}
		last := reload(b, 0)
		b.Run(fmt.Sprintf("changed/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for revision := 1; b.Loop(); revision++ {
				last = reload(b, revision)
			}
		})
		b.Run(fmt.Sprintf("unchanged/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				last = reload(b, 0)
			}
		})
		b.Run(fmt.Sprintf("swap/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				set(i, Customizations, last)
			}
		})
	}
}
