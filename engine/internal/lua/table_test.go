// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// sample is an object with all that is lost easily.
func sample() map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"metadata":   map[string]any{"name": "x", "labels": map[string]any{"b": "2", "a": "1"}, "creationTimestamp": nil},
		"spec": map[string]any{
			"nanos":     int64(1717599148930123457),
			"ratio":     0.1,
			"whole":     2.0,
			"null":      nil,
			"list":      []any{nil, int64(1), map[string]any{"x": nil}},
			"trailing":  []any{int64(1), nil},
			"emptyList": []any{},
			"emptyMap":  map[string]any{},
			"nested":    []any{map[string]any{"emptyList": []any{}}, map[string]any{"emptyMap": map[string]any{}}},
		},
	}
}

func pointer(v any) uintptr { return reflect.ValueOf(v).Pointer() }

func TestUnchangedObjectIsTheSameMap(t *testing.T) {
	tests := map[string]string{
		"returned":             `return o`,
		"read":                 `local _ = o.spec.list[3].x, o.metadata.labels.a, #o.spec.nested return o`,
		"walked":               `local function walk(v) if type(v) == "table" then for _, e in pairs(v) do walk(e) end end end walk(o) return o`,
		"item looked into":     `local _ = o.spec.nested[2].emptyMap.x return o`,
		"same scalar written":  `o.apiVersion = "v1"; o.spec.nanos = 1717599148930123457; o.spec.ratio = 0.1 return o`,
		"same table written":   `o.spec.list = o.spec.list; o.metadata = o.metadata return o`,
		"same item written":    `o.spec.list[2] = 1 return o`,
		"same after a change":  `o.spec.ratio = 5; o.spec.ratio = 0.1 return o`,
		"added and deleted":    `o.spec.new = 1; o.spec.new = nil return o`,
		"appended and removed": `table.insert(o.spec.nested, 1); table.remove(o.spec.nested) return o`,
		"missing key deleted":  `o.spec.missing = nil return o`,
		"sorted already":       `table.sort(o.spec.trailing) return o`,
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			in := sample()
			before := deepCopy(in)
			a := ask(t, "function F(o) "+body+" end", script.Call{Entry: "F", Args: []any{in}})
			if a.err != nil {
				t.Fatal(a.err)
			}
			if pointer(a.results[0]) != pointer(in) {
				t.Errorf("the result is another map: %s", cmp.Diff(before, a.results[0]))
			}
			if d := cmp.Diff(before, any(in)); d != "" {
				t.Errorf("the argument changed:\n%s", d)
			}
		})
	}
}

func TestChangeCopiesOnlyThePath(t *testing.T) {
	in := sample()
	before := deepCopy(in)
	a := ask(t, `function F(o) o.spec.ratio = 0.2; o.spec.nested[1].new = {1, {}} return o end`, script.Call{Entry: "F", Args: []any{in}})
	if a.err != nil {
		t.Fatal(a.err)
	}
	want := deepCopy(before).(map[string]any)
	spec := want["spec"].(map[string]any)
	spec["ratio"] = 0.2
	spec["nested"].([]any)[0].(map[string]any)["new"] = []any{int64(1), map[string]any{}}
	if d := cmp.Diff(want, a.results[0]); d != "" {
		t.Errorf("result (-want +got):\n%s", d)
	}
	if d := cmp.Diff(before, any(in)); d != "" {
		t.Errorf("the argument changed:\n%s", d)
	}
	out := a.results[0].(map[string]any)
	if pointer(out["metadata"]) != pointer(in["metadata"]) {
		t.Error("metadata was copied")
	}
	outSpec, inSpec := out["spec"].(map[string]any), in["spec"].(map[string]any)
	if pointer(outSpec["list"]) != pointer(inSpec["list"]) || pointer(outSpec["nested"].([]any)[1]) != pointer(inSpec["nested"].([]any)[1]) {
		t.Error("parts beside the path were copied")
	}
}

func TestResults(t *testing.T) {
	object := map[string]any{
		"map":   map[string]any{"a": int64(1), "null": nil},
		"list":  []any{int64(1), nil, int64(3)},
		"tail":  []any{int64(1), nil},
		"empty": []any{},
	}
	tests := map[string]struct {
		body string
		want any
	}{
		"new empty table":       {`return {}`, map[string]any{}},
		"empty list kept":       {`return {x = o.empty}`, map[string]any{"x": []any{}}},
		"kube.list":             {`return {x = kube.list()}`, map[string]any{"x": []any{}}},
		"list emptied":          {`o.list[3] = nil o.list[1] = nil return o.list`, []any{}},
		"map emptied":           {`o.map.a = nil o.map.null = nil return o.map`, map[string]any{}},
		"null kept beside":      {`o.map.a = 2 return o.map`, map[string]any{"a": int64(2), "null": nil}},
		"null deleted":          {`o.map.null = nil return o.map`, map[string]any{"a": int64(1)}},
		"null in a list kept":   {`o.list[1] = 5 return o.list`, []any{int64(5), nil, int64(3)}},
		"null at the end kept":  {`o.tail[1] = 5 return o.tail`, []any{int64(5), nil}},
		"null at the end used":  {`table.insert(o.tail, 2) return o.tail`, []any{int64(1), int64(2)}},
		"appended":              {`table.insert(o.list, {k = "v"}) return o.list`, []any{int64(1), nil, int64(3), map[string]any{"k": "v"}}},
		"hole in a new list":    {`return {1, nil, 3}`, []any{int64(1), nil, int64(3)}},
		"one table twice":       {`local t = {1} return {a = t, b = t}`, map[string]any{"a": []any{int64(1)}, "b": []any{int64(1)}}},
		"part of the object":    {`return {m = o.map}`, map[string]any{"m": map[string]any{"a": int64(1), "null": nil}}},
		"constants":             {`return {a = 1, b = "x", 5}`, nil},
		"constant list":         {`return {"a", "b"}`, []any{"a", "b"}},
		"whole float":           {`return {6 / 2, 7 / 2, 2 ^ 10}`, []any{int64(3), 3.5, int64(1024)}},
		"nil":                   {`return nil`, nil},
		"map of a constant":     {`local t = {a = 1} t.a = nil return t`, map[string]any{}},
		"constant list changed": {`local t = {1, 2} t[3] = 3 return t`, []any{int64(1), int64(2), int64(3)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := deepCopy(object)
			a := ask(t, "function F(o) "+test.body+" end", script.Call{Entry: "F", Args: []any{object}})
			if name == "constants" {
				if e := scriptError(t, a.err); e.Message != "the result has both items and fields" {
					t.Errorf("got %v", e)
				}
				return
			}
			if a.err != nil {
				t.Fatal(a.err)
			}
			if d := cmp.Diff(test.want, a.results[0]); d != "" {
				t.Errorf("result (-want +got):\n%s", d)
			}
			if d := cmp.Diff(before, any(object)); d != "" {
				t.Errorf("the argument changed:\n%s", d)
			}
		})
	}
}

func TestResultsThatDoNotFit(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"function":         {`return {a = {b = print}}`, "the result has a function at .a.b"},
		"function in list": {`return {x = {1, {f = print}}}`, "the result has a function at .x[2].f"},
		"library":          {`return {string}`, "the result has the library string at [1]"},
		"number key":       {`return {x = {[5] = 1}}`, "the result has the key 5, which neither a list nor a map can have, at .x"},
		"boolean key":      {`return {[true] = 1}`, "the result has the key true, which neither a list nor a map can have,"},
		"table key":        {`return {[{}] = 1}`, "the result has the key of type table, which neither a list nor a map can have,"},
		"mixed":            {`return {x = {1, a = 2}}`, "the result has both items and fields at .x"},
		"cycle":            {`local t = {} t.t = t return t`, "the result nests deeper than 64 tables, or holds itself, at " + strings.Repeat(".t", 64)},
		"not finite":       {`return {x = 1 / 0}`, "the result has a number that is not finite at .x"},
		"not a number":     {`return {0 / 0}`, "the result has a number that is not finite at [1]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := scriptError(t, ask(t, "function F() "+test.body+" end", script.Call{Entry: "F"}).err)
			if e.Code != script.Result || e.Message != test.want {
				t.Errorf("got  %s %s\nwant Result %s", e.Code, e.Message, test.want)
			}
		})
	}
}

func TestOrderOfPairs(t *testing.T) {
	source := `
function F(o)
  o.zebra = 1
  o.ant = 2
  o.b = nil
  o.mouse = 3
  o[7] = 4
  o.b = 5
  local keys = {}
  for k in pairs(o) do keys[#keys + 1] = tostring(k) end
  return table.concat(keys, " ")
end`
	for range 20 {
		a := ask(t, source, script.Call{Entry: "F", Args: []any{map[string]any{"c": int64(1), "a": int64(1), "b": int64(1), "null": nil, "d": map[string]any{}}}})
		if a.err != nil {
			t.Fatal(a.err)
		}
		if want := "a b c d zebra ant mouse 7"; a.results[0] != want {
			t.Fatalf("got %v, want %s", a.results[0], want)
		}
	}
}

func TestNextWalksLikePairs(t *testing.T) {
	source := `
function F(o)
  o.zebra = 1
  o[9] = 2
  local byPairs, byNext = {}, {}
  for k in pairs(o) do byPairs[#byPairs + 1] = tostring(k) end
  local k
  repeat
    k = next(o, k)
    byNext[#byNext + 1] = k and tostring(k)
    if k == "b" then o.b = nil end
  until not k
  return table.concat(byPairs, " "), table.concat(byNext, " ")
end`
	a := ask(t, source, script.Call{Entry: "F", Args: []any{map[string]any{"c": int64(1), "a": nil, "b": int64(1)}}})
	if a.err != nil {
		t.Fatal(a.err)
	}
	if want := "b c zebra 9"; a.results[0] != want || a.results[1] != want {
		t.Errorf("pairs returned %v, next returned %v, want %s", a.results[0], a.results[1], want)
	}
}

func TestParamsAreAViewToo(t *testing.T) {
	params := map[string]any{"list": []any{"a"}, "n": int64(5)}
	before := deepCopy(params)
	source := `function F() params.n = params.n + 1; params.list[2] = "b"; return params.n, #params.list, params.missing end`
	for range 2 {
		a := ask(t, source, script.Call{Entry: "F", Params: params})
		if d := cmp.Diff([]any{int64(6), int64(2), nil}, a.results); d != "" || a.err != nil {
			t.Errorf("got %v, error %v", d, a.err)
		}
	}
	if d := cmp.Diff(before, any(params)); d != "" {
		t.Errorf("the parameters changed:\n%s", d)
	}
	if a := ask(t, `return params.x, next(params)`, script.Call{}); a.err != nil {
		t.Errorf("without parameters: %v", a.err)
	}
}

func TestOneArgumentTwice(t *testing.T) {
	in := map[string]any{"n": int64(1)}
	a := ask(t, `function F(a, b) a.n = 2; return a, b end`, script.Call{Entry: "F", Args: []any{in, in}})
	if d := cmp.Diff([]any{map[string]any{"n": int64(2)}, in}, a.results); d != "" || a.err != nil {
		t.Errorf("(-want +got):\n%s%v", d, a.err)
	}
}

func TestComposite(t *testing.T) {
	in := map[string]any{"z": int64(1), "a": map[string]any{"k": "v"}, "null": nil, "list": []any{"x", nil}}
	p := compiled(t, `
function F(o)
  o.new = {1, 2}
  o.b, o.z, o.a.k2 = true, nil, 1
  return o, o.list, {}, {10, 20}
end`)
	_, err := p.Run(&script.Call{Entry: "F", Args: []any{in}}, decodeFunc(func(r []any) error {
		m, list, empty, items := r[0].(script.Composite), r[1].(script.Composite), r[2].(script.Composite), r[3].(script.Composite)
		var keys []string
		if err := m.Walk(); err != nil {
			return err
		}
		for key, v, at := m.Next(0); at > 0; key, v, at = m.Next(at) {
			keys = append(keys, key+":"+script.TypeName(v))
		}
		if d := cmp.Diff([]string{"a:map", "list:list", "null:nil", "new:list", "b:boolean"}, keys); d != "" {
			t.Errorf("fields (-want +got):\n%s", d)
		}
		if !m.IsMap() || m.IsList() || m.Field("z") != nil || m.Field("b") != true || script.Field(m.Field("a"), "k2") != int64(1) {
			t.Error("the map is not read well")
		}
		if !list.IsList() || list.IsMap() || list.Len() != 2 || list.Item(0) != "x" || list.Item(1) != nil {
			t.Error("the list is not read well")
		}
		if empty.IsList() || empty.IsMap() || empty.Len() != 0 {
			t.Error("an empty table is neither a list nor a map")
		}
		if !items.IsList() || items.Item(1) != int64(20) {
			t.Error("the new list is not read well")
		}
		plain, err := script.Plain(m.Field("new"))
		if d := cmp.Diff(any([]any{int64(1), int64(2)}), plain); d != "" || err != nil {
			t.Errorf("plain: %v %s", err, d)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlainValuesOutliveTheRun(t *testing.T) {
	source := `function F(n) return {id = n, list = {n, {n}}, const = {a = 1, b = {"x", "y"}}} end`
	p := compiled(t, source)
	first := perform(p, script.Call{Entry: "F", Args: []any{int64(1)}})
	kept := deepCopy(first.results[0])
	for i := range 50 {
		perform(p, script.Call{Entry: "F", Args: []any{int64(i)}})
	}
	if d := cmp.Diff(kept, first.results[0]); d != "" {
		t.Errorf("a later run changed an earlier result:\n%s", d)
	}
	first.results[0].(map[string]any)["const"].(map[string]any)["b"].([]any)[0] = "changed"
	if second := perform(p, script.Call{Entry: "F", Args: []any{int64(1)}}); cmp.Diff(kept, second.results[0]) != "" {
		t.Error("a constant of the program can be changed through a result")
	}
}
