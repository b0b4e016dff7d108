// SPDX-License-Identifier: Apache-2.0

//go:build !race

package lua

import (
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// The race detector makes pools forget at random, so these are left out there.

// TestRunDoesNotAllocate holds for scripts that only look.
func TestRunDoesNotAllocate(t *testing.T) {
	obj := flinkObject()
	tests := map[string]struct {
		source, entry string
		args          []any
	}{
		"health":           {healthSource, "InterpretHealth", []any{obj}},
		"retain unchanged": {retainSource, "Retain", []any{obj, obj}},
		"module":           {`local m = require("lib.m") function F(o) return m.of(o) end`, "F", []any{obj}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			src := withModules(test.source, map[string]string{"m": `local M = {} function M.of(o) return o.spec.replicas end return M`})
			c := &script.Call{Entry: test.entry, Args: test.args}
			allocates(t, src, c, plainOnly, 0)
		})
	}
}

// TestScriptsAllocateLittle bounds what the scripts of the repository allocate on
// objects of real size.
func TestScriptsAllocateLittle(t *testing.T) {
	most := map[string]float64{
		"flink components": 18, "flink aggregate": 6, "flink health": 0, "flink retain": 0,
		"deployment health": 0, "deployment replicas": 26, "deployment retain": 0,
	}
	all := questions()
	for name, most := range most {
		q := all[name]
		t.Run(name, func(t *testing.T) {
			c := &script.Call{Entry: q.entry, Args: q.args, Params: map[string]any{}}
			allocates(t, shipped(t, q.script), c, q.take, most)
		})
	}
}

// allocates runs a script often and fails where a run allocates more than most.
func allocates(t *testing.T, src Script, c *script.Call, take decodeFunc, most float64) {
	t.Helper()
	p, err := Compile(src, script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(200, func() {
		if _, err := p.Run(c, take); err != nil {
			t.Fatal(err)
		}
	})
	if got > most {
		t.Errorf("got %v allocations, want at most %v", got, most)
	}
}

// TestReadingAResultDoesNotAllocate walks the entries of views and of tables of the script,
// with a function that changes what stands around it.
func TestReadingAResultDoesNotAllocate(t *testing.T) {
	source := `function F(o) return {o, type(o), {n = 1, list = {1, 2}}} end`
	var entries int
	var count func(v any) error
	count = func(v any) error {
		_, err := script.Fields(v, func(_ string, v any) error {
			entries++
			return count(v)
		})
		return err
	}
	take := func(results []any) error {
		_, err := script.Items(results[0], func(_ int, v any) error { return count(v) })
		return err
	}
	c := &script.Call{Entry: "F", Args: []any{flinkObject()}}
	allocates(t, Script{File: "read.lua", Text: source}, c, take, 0)
	if entries == 0 {
		t.Error("no entry was read")
	}
}
