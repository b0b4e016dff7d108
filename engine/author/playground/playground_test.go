// SPDX-License-Identifier: Apache-2.0

package playground_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/author/playground"
	"github.com/dragoman-io/dragoman/scripts"
)

const site = `apiVersion: web.example/v1
kind: Site
metadata: {name: a}
spec: {replicas: 2}
status: {phase: Running}
`

func newPlayground(t *testing.T) *playground.Playground {
	t.Helper()
	p, err := playground.New(scripts.FS)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChunkAnswersWhatItDefines(t *testing.T) {
	answer := newPlayground(t).Evaluate(playground.Input{Object: site, Language: playground.Lua, Script: `-- GetComponents is not defined
function InterpretHealth(obj)
  print("phase", obj.status.phase)
  if obj.status.phase == "Failed" then
    return false
  end
  return obj.status.phase == "Running"
end
function ReviseReplica(obj, n)
  obj.spec.replicas = n
  return obj
end
`})
	if len(answer.Problems) > 0 {
		t.Fatalf("problems: %+v", answer.Problems)
	}
	var got []string
	for _, a := range answer.Operations {
		got = append(got, a.Operation)
	}
	if diff := cmp.Diff([]string{"ReviseReplica", "InterpretHealth"}, got); diff != "" {
		t.Fatalf("operations (-want +got):\n%s", diff)
	}
	revise, health := answer.Operations[0], answer.Operations[1]
	if want := "healthy: true\n"; health.YAML != want {
		t.Errorf("health: got %q, want %q", health.YAML, want)
	}
	if len(health.Printed) != 1 || !strings.Contains(health.Printed[0], "Running") {
		t.Errorf("printed %q; want one line with Running", health.Printed)
	}
	if health.Gas == 0 || health.Gas >= health.GasLimit {
		t.Errorf("gas %d of %d", health.Gas, health.GasLimit)
	}
	if want := "spec:\n  replicas: 5"; revise.Changes != want {
		t.Errorf("changes: got %q, want %q", revise.Changes, want)
	}
	if diff := cmp.Diff([]string{"inputReplicas: 5"}, revise.Assumed); diff != "" {
		t.Errorf("assumed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{5}, answer.Coverage[0].Missed); diff != "" {
		t.Errorf("missed lines (-want +got):\n%s", diff)
	}
}

// TestChanges takes away, adds and changes fields, lists and numbers.
func TestChanges(t *testing.T) {
	object := `apiVersion: web.example/v1
kind: Site
metadata: {name: a, labels: {keep: a, drop: b}}
spec: {replicas: 2, ratio: 1, paths: [/a, /b], same: [{a: 1}], deep: {er: {x: 1}}}
status: {}
`
	for name, c := range map[string]struct{ body, want string }{
		"nothing":       {"", "{}"},
		"the same":      {"o.spec.ratio = 1.0 o.spec.same = {{a = 1}}", "{}"},
		"a number":      {"o.spec.replicas = n", "spec:\n  replicas: 5"},
		"a field less":  {"o.metadata.labels.drop = nil", "metadata:\n  labels:\n    drop: null"},
		"a field more":  {"o.status.phase = 'New'", "status:\n  phase: New"},
		"a list":        {"o.spec.paths[2] = '/c'", "spec:\n  paths:\n  - /a\n  - /c"},
		"a map less":    {"o.spec.deep = nil", "spec:\n  deep: null"},
		"another type":  {"o.spec.deep = 'x'", "spec:\n  deep: x"},
		"deep in a map": {"o.spec.deep.er.x = true", "spec:\n  deep:\n    er:\n      x: true"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := newPlayground(t).Evaluate(playground.Input{
				Object: object, Language: playground.Lua, Script: "function ReviseReplica(o, n) " + c.body + " return o end",
			})
			if len(answer.Problems) > 0 {
				t.Fatalf("problems: %+v", answer.Problems)
			}
			if got := answer.Operations[0].Changes; got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestChunkNamesOperations has functions that are defined in other ways, and names that are none.
func TestChunkNamesOperations(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   []string
	}{
		"two on a line":      {"function GetReplicas(o) return 1 end function InterpretHealth(o) return true end", []string{"InterpretReplica", "InterpretHealth"}},
		"an assignment":      {"InterpretHealth = function(o) return true end", []string{"InterpretHealth"}},
		"in a comment":       {"-- function GetReplicas(o) return 1 end\nfunction InterpretHealth(o) return true end", []string{"InterpretHealth"}},
		"in a long comment":  {"--[[\nfunction GetReplicas(o)\nend\n]]\nfunction InterpretHealth(o) return true end", []string{"InterpretHealth"}},
		"in a text":          {"function InterpretHealth(o) return o.kind ~= 'Retain' end", []string{"InterpretHealth"}},
		"after another name": {"function MyRetain(a, b) return a end\nfunction InterpretHealth(o) return true end", []string{"InterpretHealth"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := newPlayground(t).Evaluate(playground.Input{Object: site, Language: playground.Lua, Script: c.script})
			var got []string
			for _, a := range answer.Operations {
				got = append(got, a.Operation)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(answer.Problems) > 0 {
				t.Errorf("problems %+v; operations (-want +got):\n%s", answer.Problems, diff)
			}
		})
	}
}

func TestExpression(t *testing.T) {
	in := playground.Input{Object: site, Language: playground.CEL, Script: `{"replicas": object.spec.replicas}`, Operation: "replicas"}
	answer := newPlayground(t).Evaluate(in)
	if len(answer.Problems) > 0 || len(answer.Operations) != 1 {
		t.Fatalf("got %+v", answer)
	}
	if got := answer.Operations[0]; got.Operation != "InterpretReplica" || !strings.Contains(got.YAML, "replica: 2\n") {
		t.Errorf("got %+v", got)
	}
}

// TestProblems checks where problems are, and what of the line is marked.
func TestProblems(t *testing.T) {
	lua := func(text string) playground.Input {
		return playground.Input{Object: site, Language: playground.Lua, Script: text}
	}
	object := func(text string) playground.Input {
		in := lua("function InterpretHealth(obj) return true end")
		in.Object = text
		return in
	}
	with := func(text string) playground.Input {
		in := lua("function InterpretHealth(obj) return true end")
		in.Arguments = text
		return in
	}
	for name, c := range map[string]struct {
		in             playground.Input
		where, message string
		line           int
		marked         string
	}{
		"a syntax error": {
			in: lua("function InterpretHealth(obj)\n  return obj.status.phase != \"a\"\nend"), where: "script", line: 2, marked: "!", message: "~=",
		},
		"an error of a run": {
			in: lua("function InterpretHealth(obj)\n  return obj.state.phase == \"a\"\nend"), where: "script", line: 2, marked: "obj.state", message: "nil",
		},
		"letters before the place": {
			in: lua("function InterpretHealth(obj)\n  local s = \"ü😀\" .. obj.state.phase\n  return s\nend"), where: "script", line: 2, marked: "obj.state", message: "nil",
		},
		"a global that nothing defines": {
			in: lua("function InterpretHealth(obj)\n  return objekt.status\nend"), where: "script", line: 2, marked: "objekt", message: "objekt",
		},
		"a name that is almost right": {
			in: lua("\nfunction InterpretHelth(obj)\n  return true\nend"), where: "script", line: 2, marked: "function InterpretHelth(obj)", message: "InterpretHealth",
		},
		"a local function": {
			in: lua("local function GetReplicas(obj)\n  return 1\nend"), where: "script", line: 1, marked: "local function GetReplicas(obj)", message: "local",
		},
		"no function": {
			in: lua(""), where: "script", line: 1, message: "does not define the function InterpretHealth",
		},
		"a result of the wrong type": {
			in: lua("function InterpretHealth(obj)\n  return 7\nend"), where: "script", line: 1, message: "healthy",
		},
		"without end": {
			in: lua("function InterpretHealth(obj)\n  while true do end\nend"), where: "script", line: 2, message: "gas",
		},
		"an expression": {
			in: playground.Input{Object: site, Language: playground.CEL, Script: "object.status.phase ==\n  objct.a"}, where: "script", line: 2, marked: "objct", message: "objct",
		},
		"an object that is no YAML": {in: object("a: b: c"), where: "object", line: 1, marked: "a: b: c"},
		"no object":                 {in: object("# nothing"), where: "object", line: 1, message: "write an object"},
		"no kind":                   {in: object("apiVersion: v1\nmetadata: {}"), where: "object", line: 1, message: "apiVersion and kind"},
		"two objects":               {in: object("apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B"), where: "object", line: 1, message: "2 documents"},
		"an unknown argument":       {in: with("inputReplicas: 2\nstatusItem: []"), where: "arguments", line: 2, marked: "statusItem: []", message: "statusItems"},
		"an argument of a wrong type": {
			in: with("observedObj: 3"), where: "arguments", line: 1, marked: "observedObj: 3", message: "apiVersion and kind",
		},
		"an unknown language":  {in: playground.Input{Object: site, Language: "js"}, message: "want lua or cel"},
		"an unknown operation": {in: playground.Input{Object: site, Language: playground.CEL, Script: "true", Operation: "helth"}, message: "health"},
		"an unknown bundle":    {in: playground.Input{Object: site, Bundle: "..", File: "go.mod"}, message: "no names"},
		"an unknown file":      {in: playground.Input{Object: site, Bundle: "flink", File: "lib/none.lua"}, message: "no script flink/lib/none.lua"},
		"another kind": {
			in: playground.Input{Object: site, Bundle: "flink", File: "lib/pods.lua", Script: "return {}"}, where: "object", line: 1, message: "does not answer for web.example/v1 Site",
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := newPlayground(t).Evaluate(c.in)
			if len(answer.Problems) != 1 {
				t.Fatalf("got problems %+v; want one", answer.Problems)
			}
			got := answer.Problems[0]
			if string(got.Where) != c.where || got.Line != c.line || !strings.Contains(got.Message, c.message) {
				t.Errorf("got %+v; want %+v", got, c)
			}
			if c.marked != "" && marked(c.in, got) != c.marked {
				t.Errorf("marked %q of %+v; want %q", marked(c.in, got), got, c.marked)
			}
		})
	}
}

// marked returns the text that a problem marks.
func marked(in playground.Input, p playground.Problem) string {
	text := map[playground.Where]string{playground.InObject: in.Object, playground.InArguments: in.Arguments, playground.InScript: in.Script}[p.Where]
	line := strings.Split(text, "\n")[p.Line-1]
	var units []string
	for _, r := range line {
		units = append(units, string(r))
		if r > 0xffff {
			units = append(units, "")
		}
	}
	return strings.Join(units[p.Start:p.End], "")
}

// TestSamples evaluates the first case of each sample: it asks the operation of its case, and has no
// problem but for an error that the case expects.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	p := newPlayground(t)
	catalog, err := p.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, kind := range catalog.Samples {
		for _, op := range kind.Operations {
			sample, err := p.Sample(playground.SampleRequest{Bundle: kind.Bundle, Kind: kind.Kind, Operation: op})
			if err != nil {
				t.Errorf("%+v %s: %v", kind, op, err)
				continue
			}
			if len(sample.Cases) == 0 {
				t.Errorf("%s %s %s has no case", kind.Bundle, kind.Kind, op)
			}
			for _, c := range sample.Cases[:min(len(sample.Cases), 1)] {
				total++
				checkSample(t, p, sample, c, op)
			}
		}
	}
	if total < 300 {
		t.Errorf("%d samples; want more", total)
	}
}

func checkSample(t *testing.T, p *playground.Playground, s playground.Sample, c playground.SampleCase, op string) {
	t.Helper()
	where := fmt.Sprintf("%s/%s: %s: %s", s.Bundle, s.File, op, c.Name)
	answer := p.Evaluate(playground.Input{Object: c.Object, Arguments: c.Arguments, Script: s.Script, Bundle: s.Bundle, File: s.File})
	for _, problem := range answer.Problems {
		if problem.Operation == "" {
			t.Errorf("%s: %+v", where, problem)
		}
	}
	for _, a := range answer.Operations {
		if a.Operation != op {
			continue
		}
		if a.Problem != nil {
			t.Errorf("%s: %+v", where, a.Problem)
		}
		if a.Problem == nil && (a.YAML == "" || !json.Valid([]byte(a.JSON))) {
			t.Errorf("%s: no answer: %+v", where, a)
		}
		return
	}
	t.Errorf("%s: not asked: %+v", where, answer)
}

// TestEditedSample changes the script of a sample, and a module that it requires.
func TestEditedSample(t *testing.T) {
	p := newPlayground(t)
	s, err := p.Sample(playground.SampleRequest{Bundle: "kubernetes", Kind: "Deployment", Operation: "health"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Script, `require("lib.`) {
		t.Fatalf("the sample requires nothing:\n%s", s.Script)
	}
	in := playground.Input{Object: s.Cases[0].Object, Script: s.Script, Bundle: s.Bundle, File: s.File}
	if answer := p.Evaluate(in); len(answer.Problems) > 0 || len(answer.Operations) != 1 || len(answer.Coverage) < 2 {
		t.Fatalf("got %+v", answer)
	}
	in.Script = strings.Replace(s.Script, "local status, desired", "error(\"stopped\") local status, desired", 1)
	answer := p.Evaluate(in)
	if len(answer.Problems) != 1 || answer.Problems[0].Code != "User" || marked(in, answer.Problems[0]) == "" {
		t.Errorf("got %+v; want the error of the text", answer.Problems)
	}
	in.Script = "function InterpretHealth(obj)\n  return require(\"lib.observed\")(7)\nend\n"
	answer = p.Evaluate(in)
	if len(answer.Problems) != 1 || answer.Problems[0].Where != playground.InScript || answer.Problems[0].Line != 2 {
		t.Errorf("got %+v; want the error at the call of the module", answer.Problems)
	}
	in.Script = s.Script
	in.Files = map[string]string{"lib/observed.lua": "return function(obj)\n  return false\nend\n"}
	answer = p.Evaluate(in)
	if len(answer.Problems) > 0 || answer.Operations[0].YAML != "healthy: false\n" {
		t.Errorf("got %+v; want what the module answers", answer)
	}
	in.Files["lib/observed.lua"] = "return function(obj)\n  return obj.missing.field\nend\n"
	answer = p.Evaluate(in)
	if len(answer.Problems) != 1 || answer.Problems[0].Where != playground.InScript || answer.Problems[0].File != "kubernetes/lib/observed.lua" ||
		answer.Problems[0].Start != 9 || answer.Problems[0].End != 20 {
		t.Errorf("got %+v; want obj.missing of the module", answer.Problems)
	}
	in.Files = map[string]string{"lib/none.lua": ""}
	answer = p.Evaluate(in)
	if len(answer.Problems) != 1 || !strings.Contains(answer.Problems[0].Message, "no script kubernetes/lib/none.lua") {
		t.Errorf("got %+v; want that there is no such file", answer.Problems)
	}
	modules, err := p.Modules(playground.ModulesRequest{Bundle: "kubernetes"})
	if err != nil || !slices.ContainsFunc(modules, func(m playground.Module) bool { return m.File == "lib/observed.lua" && m.Script != "" }) {
		t.Errorf("got %d modules, %v; want lib/observed.lua among them", len(modules), err)
	}
}

func TestTrace(t *testing.T) {
	p := newPlayground(t)
	in := playground.Input{Object: site, Language: playground.Lua, Script: `function InterpretHealth(obj)
  local phase = obj.status.phase
  if phase == "Failed" then
    return false
  end
  return phase == "Running"
end
function IsFinished(obj) return false end
`}
	plain := p.Evaluate(in)
	in.Trace = "InterpretHealth"
	traced := p.Evaluate(in)
	var lines []int
	for _, s := range traced.Operations[0].Trace.Steps {
		lines = append(lines, s.Line)
	}
	if diff := cmp.Diff([]int{1, 8, 1, 2, 3, 6}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	last := traced.Operations[0].Trace.Steps[len(lines)-1]
	if last.Value != "true" || last.File != "script.lua" {
		t.Errorf("the last step is %+v", last)
	}
	if traced.Operations[1].Trace != nil || plain.Operations[0].Trace != nil {
		t.Error("a run is traced that nobody asked for")
	}
	traced.Operations[0].Trace = nil
	if diff := cmp.Diff(plain, traced); diff != "" {
		t.Errorf("a trace changes the answer (-plain +traced):\n%s", diff)
	}
	sample, err := p.Sample(playground.SampleRequest{Bundle: "kubernetes", Kind: "Deployment", Operation: "health"})
	if err != nil {
		t.Fatal(err)
	}
	answer := p.Evaluate(playground.Input{
		Object: sample.Cases[0].Object, Script: sample.Script, Bundle: sample.Bundle, File: sample.File, Trace: "InterpretHealth",
	})
	if len(answer.Problems) > 0 || len(answer.Operations[0].Trace.Steps) == 0 {
		t.Errorf("got %+v", answer)
	}
}

func TestRespond(t *testing.T) {
	p := newPlayground(t)
	for name, c := range map[string]struct{ request, body, err string }{
		"unknown":        {"nothing", "{}", `there is no request "nothing"`},
		"no JSON":        {"evaluate", "{", "read the request"},
		"an unknown key": {"evaluate", `{"objekt": ""}`, "objekt"},
		"too long":       {"evaluate", `{"object": "` + strings.Repeat("a", playground.MaxRequest) + `"}`, "more than 1024 KiB"},
		"a wrong sample": {"sample", `{"bundle": "flink", "kind": "FlinkDeployment", "operation": "prune"}`, "no script for PruneTemplate of FlinkDeployment"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := p.Respond(c.request, []byte(c.body)); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v; want %s", err, c.err)
			}
		})
	}
	body, err := p.Respond("evaluate", []byte(`{"object": "apiVersion: v1\nkind: A\n", "script": "true", "language": "cel"}`))
	if err != nil {
		t.Fatal(err)
	}
	var answer playground.Answer
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Operations) != 1 {
		t.Errorf("got %s, %v", body, err)
	}
}

// TestOutputIsBounded prints and answers much.
func TestOutputIsBounded(t *testing.T) {
	answer := newPlayground(t).Evaluate(playground.Input{Object: site, Language: playground.Lua, Script: `
function ReflectStatus(obj)
  for i = 1, 1000 do print(i) end
  return {text = string.rep("a", 300000)}
end
`})
	if len(answer.Problems) > 0 {
		t.Fatalf("problems: %+v", answer.Problems)
	}
	got := answer.Operations[0]
	if n := len(got.Printed); n != 201 || got.Printed[200] != "... 800 lines more" {
		t.Errorf("printed %d lines, the last %q", n, got.Printed[n-1])
	}
	if len(got.YAML) > 140<<10 || !strings.Contains(got.YAML, "bytes more") {
		t.Errorf("the answer has %d bytes", len(got.YAML))
	}
}
