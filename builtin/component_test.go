// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

func TestComponent(t *testing.T) {
	asks := template(object("containers", []any{container(object("cpu", "1"), nil)}))[0]
	examples(t, "component", map[string]example{
		"name alone":       {args: []any{"worker"}, want: object("name", "worker", "replicas", int64(1))},
		"nil replicas":     {args: []any{"worker", nil, asks}, want: object("name", "worker", "replicas", int64(1), "replicaRequirements", needs(object("cpu", "1")))},
		"no replicas":      {args: []any{"worker", int64(0)}, want: object("name", "worker", "replicas", int64(0))},
		"whole float":      {args: []any{"worker", 3.0}, want: object("name", "worker", "replicas", int64(3))},
		"nothing asked":    {args: []any{"worker", int64(2), object()}, want: object("name", "worker", "replicas", int64(2))},
		"fraction":         {args: []any{"worker", 2.5}, err: "replicas must be a whole number from 0 to 2147483647, not 2.5"},
		"negative":         {args: []any{"worker", int64(-1)}, err: "replicas must be a whole number from 0 to 2147483647, not -1"},
		"too many":         {args: []any{"worker", int64(1 << 31)}, err: "replicas must be"},
		"string":           {args: []any{"worker", "2"}, err: "replicas must be a whole number from 0 to 2147483647, not a string"},
		"empty name":       {args: []any{""}, err: "name must be a string with characters"},
		"no name":          {args: []any{nil}, err: "name must be a string, not nil"},
		"template is text": {args: []any{"worker", int64(1), "x"}, err: "podTemplate must be a map, not a string"},
	})
}

func TestRequirementsTimes(t *testing.T) {
	args := func(times any) []any {
		return append(template(object(
			"containers", []any{container(object("cpu", "500m", "memory", "1Gi"), nil)}, "nodeSelector", object("a", "b"))), times)
	}
	want := func(cpu, memory string) any {
		return object("resourceRequest", object("cpu", cpu, "memory", memory), "nodeClaim", object("nodeSelector", object("a", "b")))
	}
	examples(t, "accuratePodRequirements", map[string]example{
		"once":     {args: args(nil), want: want("500m", "1Gi")},
		"twice":    {args: args(int64(2)), want: want("1", "2Gi")},
		"a float":  {args: args(3.0), want: want("1500m", "3Gi")},
		"no bound": {args: args(int64(1 << 62)), want: want("9223372036854775807m", "9223372036854775807")},
		"zero":     {args: args(int64(0)), err: "times must be a whole number from 1, not 0"},
		"half":     {args: args(1.5), err: "times must be a whole number from 1, not 1.5"},
		"string":   {args: args("2"), err: "times must be a whole number from 1, not a string"},
	})
}

func TestConcat(t *testing.T) {
	examples(t, "concat", map[string]example{
		"none":             {want: []any{}},
		"nils":             {args: []any{nil, nil}, want: []any{}},
		"lists":            {args: []any{[]any{int64(1), "x"}, nil, []any{}, []any{int64(1)}}, want: []any{int64(1), "x", int64(1)}},
		"empty map of Lua": {args: []any{object(), []any{int64(1)}}, want: []any{int64(1)}},
		"map":              {args: []any{[]any{}, object("a", int64(1))}, err: "lists must be a list, not a map"},
		"string":           {args: []any{"x"}, err: "lists must be a list, not a string"},
	})
}

func TestReferences(t *testing.T) {
	secret := func(name string) any {
		return object("apiVersion", "v1", "kind", "Secret", "namespace", "ns", "name", name)
	}
	examples(t, "references", map[string]example{
		"names":        {args: []any{"Secret", "ns", "b", nil, "a", ""}, want: []any{secret("b"), secret("a")}},
		"no names":     {args: []any{"Secret", "ns"}, want: []any{}},
		"no kind":      {args: []any{nil, "ns", "a"}, err: "kind must be a string, not nil"},
		"no namespace": {args: []any{"Secret"}, err: "argument 2 (namespace) is missing"},
		"number":       {args: []any{"Secret", "ns", int64(1)}, err: "names must be a string, not a number"},
	})
}

func TestReflectStatus(t *testing.T) {
	metadata := func(generation any, template any) any {
		return object("generation", generation, "annotations", object(templateGeneration, template))
	}
	status := object("phase", "Up", "tasks", object("a.b", int64(1), "c", int64(2)), "gone", nil)
	with := func(generation, template any) []any {
		return []any{object("metadata", metadata(generation, template), "status", status)}
	}
	two := with(int64(2), "7")
	examples(t, "reflectStatus", map[string]example{
		"all":                  {args: two, want: object("phase", "Up", "tasks", status["tasks"], "gone", nil, "generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"named":                {args: append(two, fields("phase", "missing", "gone")), want: object("phase", "Up", "generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"path":                 {args: append(two, fields([]any{"tasks", "a.b"})), want: object("tasks", object("a.b", int64(1)), "generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"whole and part":       {args: append(two, fields("tasks", "tasks.c")), want: object("tasks", status["tasks"], "generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"part and whole":       {args: append(two, fields("tasks.c", "tasks")), want: object("tasks", status["tasks"], "generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"no names":             {args: append(two, fields()), want: object("generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"float generation":     {args: append(with(2.0, "7"), fields()), want: object("generation", int64(2), "resourceTemplateGeneration", int64(7))},
		"no integers":          {args: append(with("2", "seven"), fields()), want: object()},
		"no annotation":        {args: []any{object("metadata", object("generation", int64(1)), "status", object())}, want: object("generation", int64(1))},
		"no metadata":          {args: []any{object("status", object("a", int64(1)))}, want: object("a", int64(1))},
		"no status":            {args: []any{object("metadata", metadata(int64(1), "1"))}},
		"nil":                  {args: []any{nil}, err: "object must be a map, not nil"},
		"status is a string":   {args: []any{object("status", "x")}, err: "status must be a map, not a string"},
		"fields is a string":   {args: append(two, "phase"), err: "fields must be a list, not a string"},
		"object is a list":     {args: []any{[]any{int64(1)}}, err: "object must be a map, not a list"},
		"own generation stays": {args: []any{object("status", object("generation", int64(3)))}, want: object("generation", int64(3))},
	})
}
