// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// shortcutObject has a part of each kind.
func shortcutObject() map[string]any {
	return map[string]any{
		"spec": map[string]any{
			"replicas": int64(3), "name": "web", "null": nil, "off": false, "": map[string]any{"": int64(1)},
			"a.b": map[string]any{"c": "dotted"}, "list": []any{int64(7)}, "selector": map[string]string{"disk": "ssd"},
			"template": map[string]any{"spec": map[string]any{"zone": "west"}},
		},
		"empty": map[string]any{}, "nulls": map[string]any{"a": nil}, "emptyList": []any{}, "nullList": []any{nil},
	}
}

// TestShortGetIsTheFunction compares calls of kube.get that take the short way with
// the same calls of the function under another name.
func TestShortGetIsTheFunction(t *testing.T) {
	tests := []string{
		`kube.get(o, "spec.replicas")`,
		`kube.get(o, "spec.template")`,
		`kube.get(o, "spec.template.spec.zone")`,
		`kube.get(o, "spec.template.spec.zone.deeper", "other")`,
		`kube.get(o, "spec.missing.deeper", 4)`,
		`kube.get(o, "spec.null", {})`,
		`kube.get(o, "spec.off", true)`,
		`kube.get(o, "spec.list")`,
		`kube.get(o, "spec.list.x", 1)`,
		`kube.get(o, "spec.selector.disk")`,
		`kube.get(o, "spec.selector")`,
		`kube.get(o, "spec..")`,
		`kube.get(o, "")`,
		`kube.get(o, {"spec", "a.b", "c"})`,
		`kube.get(o, {"spec", key, "c"})`,
		`kube.get(o, {key})`,
		`kube.get(o, {"spec", "replicas", nothing})`,
		`kube.get(o, {nothing})`,
		`kube.get(o, {"spec", nothing, "c"})`,
		`kube.get(o, {"spec", number})`,
		`kube.get(o, {"spec", o})`,
		`kube.get(o, {"spec", "1", "2", "3", "4", "5", "6", "7", key})`,
		`kube.get(o, {})`,
		`kube.get(nil, "spec", "other")`,
		`kube.get("text", "spec", "other")`,
		`kube.get(number, "spec", "other")`,
		`kube.get(made, "spec.x")`,
		`kube.get(made, "spec.y", 2)`,
		`kube.get(o, "spec.replicas", 1, 2)`,
		`kube.get(o)`,
		`kube.get(o, "spec.missing", string.upper("a"))`,
		`kube.get(o, "spec.missing", string.upper(nil))`,
		`(kube.get(o, "spec.replicas", 1)) + 1`,
	}
	const before = `local get = kube.get local key, number, nothing = "a.b", 7, nil
function F(o) local made = {spec = {x = 5}} local o2 = o
return `
	for _, call := range tests {
		t.Run(call, func(t *testing.T) {
			c := script.Call{Entry: "F", Args: []any{shortcutObject()}}
			short := ask(t, before+call+" end", c)
			long := ask(t, before+strings.ReplaceAll(call, "kube.get(", "get(")+" end", c)
			if d := cmp.Diff(long.results, short.results); d != "" {
				t.Errorf("results (-function +short):\n%s", d)
			}
			if (short.err == nil) != (long.err == nil) {
				t.Fatalf("errors: function %v, short %v", long.err, short.err)
			}
			if short.err != nil {
				want, got := scriptError(t, long.err), scriptError(t, short.err)
				if want.Message != got.Message || want.Line != got.Line {
					t.Errorf("errors: function %d: %s, short %d: %s", want.Line, want.Message, got.Line, got.Message)
				}
			}
		})
	}
}

func TestShortcuts(t *testing.T) {
	tests := map[string]struct {
		source string
		want   []any
	}{
		"a part can be written to": {
			`function F(o) kube.get(o, "spec.template.spec").zone = "east" return o.spec.template.spec.zone end`, []any{"east"},
		},
		"what was written is read": {
			`function F(o) o.spec.template.spec.zone = "east" return kube.get(o, "spec.template.spec.zone") end`, []any{"east"},
		},
		"what was deleted is gone": {
			`function F(o) o.spec.template = nil return kube.get(o, "spec.template.spec.zone", "none") end`, []any{"none"},
		},
		"the same part twice": {
			`function F(o) return kube.get(o, "spec.template") == kube.get(o, {"spec", "template"}) end`, []any{true},
		},
		"one value among others": {
			`local function all(...) return ... end function F(o) return all(1, 2), all(kube.get(o, "spec.replicas")) end`, []any{int64(1), int64(3)},
		},
		"kube of the script": {
			`kube = {get = function() return "mine" end} function F(o) return kube.get(o, "spec") end`, []any{"mine"},
		},
		"next of tables": {
			`local function full(t) if next(t) then return true end return false end
function F(o)
  local gone = o.spec.template.spec
  gone.zone = nil
  local held = {}
  held[1] = nil
  held.x = nil
  return full(o), full(o.empty), full(o.nulls), full(o.emptyList), full(o.nullList), full(o.spec.list), full(gone), full({}), full({1}),
    full({a = 1}), full({[0.5] = 1}), full(held)
end`,
			[]any{true, false, false, false, false, true, false, false, true, true, true, false},
		},
		"next of the script": {
			`local function next() return nil end function F(o) if next(o) then return 1 end return 2 end`, []any{int64(2)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := ask(t, test.source, script.Call{Entry: "F", Args: []any{shortcutObject()}})
			if d := cmp.Diff(test.want, a.results); d != "" || a.err != nil {
				t.Errorf("results (-want +got):\n%s, error %v", d, a.err)
			}
		})
	}
}

func TestShortNextWantsATable(t *testing.T) {
	a := ask(t, "local o = {}\nif next(o.spec) then end", script.Call{})
	e := scriptError(t, a.err)
	if want := "bad argument #1 to 'next': table expected, got nil (o.spec)"; e.Message != want || e.Line != 2 {
		t.Errorf("got %d: %s, want 2: %s", e.Line, e.Message, want)
	}
}

func TestShortGetPaysForKeys(t *testing.T) {
	gas := func(key string) int64 {
		a := ask(t, `local key = "`+key+`" function F(o) return kube.get(o, {"spec", key}) end`, script.Call{Entry: "F", Args: []any{shortcutObject()}})
		if a.err != nil {
			t.Fatal(a.err)
		}
		return a.usage.Gas
	}
	if short, long := gas("x"), gas(strings.Repeat("x", 640)); long-short != 10 {
		t.Errorf("a key of 640 bytes costs %d more than one of 1, want 10", long-short)
	}
}
