// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"strings"
	"testing"
)

// values are those of each type.
func values() map[string]any {
	return map[string]any{
		"string": "x", "boolean": true, "number": int64(3), "map": object("x", int64(1)), "list": []any{"x"}, "function": notPlain{},
	}
}

// notPlain is a value that only a script can have.
type notPlain struct{}

func (notPlain) TypeName() string { return "function" }

// accepted names the types of values that a parameter takes.
func accepted(p Param) []string {
	switch p.Type {
	case "any":
		return []string{"string", "boolean", "number", "map", "list", "function"}
	case "quantity":
		return []string{"string", "number"}
	case "path":
		return []string{"string", "list"}
	}
	return strings.Split(p.Type, " or ")
}

// TestEveryArgumentOfAnotherTypeIsAnError walks all functions: an argument of a type that
// its parameter does not have is an error that names it, wherever it stands.
func TestEveryArgumentOfAnotherTypeIsAnError(t *testing.T) {
	for _, f := range Functions() {
		for i, p := range f.Params {
			for kind, v := range values() {
				err := f.Check(i, v)
				wanted := strings.Contains(" "+strings.Join(accepted(p), " ")+" ", " "+kind+" ")
				if (err == nil) != wanted {
					t.Errorf("%s: argument %d, a %s for a %s: got error %v", f.Name, i+1, kind, p.Type, err)
				}
				if wanted {
					continue
				}
				args := make([]any, i+1, len(f.Params)+1)
				for k, other := range f.Params[:i] {
					if !other.Optional {
						args[k] = values()[accepted(other)[0]]
					}
				}
				args[i] = v
				for len(args) < len(f.Params) && !f.Params[len(args)].Optional {
					args = append(args, values()[accepted(f.Params[len(args)])[0]])
				}
				_, _, err = f.Call(args)
				var wrong *ArgumentError
				if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), p.Name+" must be ") || !strings.Contains(err.Error(), "not a "+kind) {
					t.Errorf("%s with a %s as argument %d: got error %v", f.Name, kind, i+1, err)
				}
			}
			if err := f.Check(i, nil); (err == nil) != (p.Optional || p.Type == "any") {
				t.Errorf("%s: nil as argument %d, which is optional: %t, got error %v", f.Name, i+1, p.Optional, err)
			}
		}
	}
}

func TestPathsOfTheWrongForm(t *testing.T) {
	for path, want := range map[string]string{
		"":                               `path is empty; write the keys with dots between them, such as "status.phase"`,
		".status.phase":                  `path ".status.phase" begins with a dot; write "status.phase"`,
		"status..phase":                  `path "status..phase" has an empty key; write "status.phase"`,
		"status.":                        `path "status." ends with a dot; write "status"`,
		"..":                             `path ".." has no keys`,
		"status.list[0]":                 `path "status.list[0]" has a bracket; a path goes through maps alone: read the list with "status.list", and take the item from it`,
		"[0]":                            `path "[0]" has a bracket; a path goes through maps alone, by their keys with dots between them`,
		`metadata.labels["a.example/b"]`: `path "metadata.labels[\"a.example/b\"]" has a bracket; write the keys as a list: "metadata", "labels", "a.example/b"`,
		"status.a['b.c'].d":              `path "status.a['b.c'].d" has a bracket; write the keys as a list: "status", "a", "b.c", "d"`,
	} {
		if _, err := call(t, "get", object("status", object()), path); err == nil || err.Error() != want {
			t.Errorf("get of %q: got error %v\nwant %s", path, err, want)
		}
		for _, args := range [][]any{{"pick", object(), []any{path}}, {"sumStatus", nil, []any{path}}, {"latest", nil, path}} {
			if _, err := call(t, args[0].(string), args[1:]...); err == nil {
				t.Errorf("%s takes the path %q", args[0], path)
			}
		}
	}
}

func TestConstants(t *testing.T) {
	for name, test := range map[string]struct {
		function string
		index    int
		value    any
		err      string
	}{
		"a path":               {"get", 1, "status.phase", ""},
		"a path of one key":    {"get", 1, "status", ""},
		"a wrong path":         {"get", 1, "status..phase", `path "status..phase" has an empty key; write "status.phase"`},
		"keys":                 {"get", 1, []any{"metadata", "a.b/c[0]"}, ""},
		"no keys":              {"get", 1, []any{}, "path has no keys"},
		"an empty key":         {"get", 1, []any{"a", ""}, "path has an empty string as key 2; a key is a string with characters"},
		"a key of a number":    {"get", 1, []any{int64(1)}, "path has a number as key 1; a key is a string with characters"},
		"paths":                {"pick", 1, []any{"a", []any{"b", "c"}}, ""},
		"a wrong one of paths": {"pick", 1, []any{"a", ".b"}, `fields has a wrong path: ".b" begins with a dot; write "b"`},
		"a number among paths": {"sumStatus", 1, []any{int64(1)}, "fields has a number as item 1; want a path"},
		"swapped":              {"get", 0, "status.phase", "object must be a map, not a string; the form is get([object], path, [default])"},
		"a kind":               {"references", 0, "Secret", ""},
		"a kind in lower case": {"references", 0, "secret", `kind is "secret", which is no kind of v1; did you mean Secret? Known are ConfigMap, `},
		"a kind of others":     {"references", 0, "KafkaTopic", `kind is "KafkaTopic", which is no kind of v1. Known are ConfigMap, `},
		"nil":                  {"get", 0, nil, ""},
	} {
		for _, f := range Functions() {
			if f.Name != test.function {
				continue
			}
			if err := f.CheckConstant(test.index, test.value); (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("%s: got error %v\nwant %s", name, err, test.err)
			}
		}
	}
}

func TestWhatHoldsAThingIsNotTheThing(t *testing.T) {
	spec := object("containers", []any{object("name", "a")})
	template := object("spec", spec)
	status := object("conditions", []any{object("type", "Ready", "status", "True")})
	for name, test := range map[string]struct {
		function string
		args     []any
		err      string
	}{
		"requirements of a template":       {"accuratePodRequirements", []any{template}, ""},
		"requirements of an empty one":     {"accuratePodRequirements", []any{object()}, ""},
		"requirements of a part of one":    {"accuratePodRequirements", []any{object("metadata", object("labels", nil))}, ""},
		"requirements of a spec":           {"accuratePodRequirements", []any{spec}, "podTemplate is the spec of a pod"},
		"requirements of a workload":       {"accuratePodRequirements", []any{object("spec", object("template", template))}, "podTemplate is an object, and not its pod template; pass spec.template"},
		"requirements of a cron job":       {"accuratePodRequirements", []any{object("spec", object("jobTemplate", object()))}, "podTemplate is an object, and not its pod template; pass spec.jobTemplate.spec.template"},
		"requirements of a part with one":  {"accuratePodRequirements", []any{object("replicas", int64(1), "template", template)}, "podTemplate has the pod template in its field template"},
		"dependencies of a spec":           {"getPodDependencies", []any{spec, "ns"}, "podTemplate is the spec of a pod"},
		"a component of a spec":            {"component", []any{"a", nil, spec}, "podTemplate is the spec of a pod"},
		"admission of a spec":              {"retainAdmission", []any{template, spec}, "observed is the spec of a pod"},
		"a condition of an object":         {"condition", []any{object("status", status), "Ready"}, ""},
		"a condition of an item":           {"condition", []any{object("clusterName", "a", "status", status), "Ready"}, ""},
		"a condition of a list":            {"condition", []any{status["conditions"], "Ready"}, ""},
		"a condition of a fresh object":    {"condition", []any{object("metadata", object()), "Ready"}, ""},
		"a condition of a fresh status":    {"condition", []any{object("phase", "Up"), "Ready"}, ""},
		"a condition of a status":          {"condition", []any{status, "Ready"}, "object has conditions itself, and no status that has them"},
		"truth of a condition of a status": {"conditionTrue", []any{status, "Ready"}, "object has conditions itself, and no status that has them"},
		"a kind with its own conditions":   {"condition", []any{object("kind", "ComponentStatus", "conditions", status["conditions"]), "Ready"}, ""},
		"reflection of a status":           {"reflectStatus", []any{object("phase", "Up")}, "object must be a whole object"},
		"generation of a status":           {"observedGeneration", []any{object("phase", "Up"), nil}, "object must be a whole object"},
		"observation of a status":          {"observedByAll", []any{object("phase", "Up"), nil}, "object must be a whole object"},
		"a share of no division":           {"share", []any{int64(1), object("replicas", int64(1))}, "division must be a division"},
	} {
		if _, err := call(t, test.function, test.args...); (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%s: got error %v\nwant %s", name, err, test.err)
		}
	}
}

// TestPublishedFunctionsReadAnyMapAsAPodTemplate keeps what Karmada's functions of that name
// do: a map of another form asks for nothing.
func TestPublishedFunctionsReadAnyMapAsAPodTemplate(t *testing.T) {
	spec := object("containers", []any{object("name", "a", "resources", object("requests", object("cpu", "1")))})
	got := 0
	for _, f := range Published() {
		switch f.Name {
		case "accuratePodRequirements":
			if v, _, err := f.Call([]any{spec}); v != nil || err != nil {
				t.Errorf("got %v, error %v; want nil", v, err)
			}
			got++
		case "getPodDependencies":
			if v, _, err := f.Call([]any{spec, "ns"}); v == nil || err != nil {
				t.Errorf("got %v, error %v; want no dependencies", v, err)
			}
			got++
		}
	}
	if got != 2 || len(Published()) != len(Functions()) {
		t.Errorf("%d of the functions are there", got)
	}
}
