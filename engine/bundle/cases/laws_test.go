// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

// lawful has a script for each operation that a law is about, and none breaks one.
var lawful = map[string]string{
	"replicas":   "function GetReplicas(obj) return obj.spec.replicas end",
	"revise":     "function ReviseReplica(obj, n) obj.spec.replicas = n return obj end",
	"components": "function GetComponents(obj) return {{name = 'web', replicas = obj.spec.replicas}} end",
	"retain":     "function Retain(desired, observed) desired.spec.ip = observed.spec.ip return desired end",
	"prune":      "function PruneTemplate(template) template.spec.ip = nil return template end",
	"health": "function InterpretHealth(obj)\n  return kube.get(obj, 'spec.suspend', false)\n" +
		"    or kube.get(obj, 'status.observedGeneration') == kube.get(obj, 'metadata.generation', 0)\nend",
	"finished": "function IsFinished(obj) return kube.get(obj, 'status.ended', false) end",
	"aggregate": "function AggregateStatus(obj, items)\n  local up = 0\n" +
		"  for _, i in ipairs(items) do up = up + kube.get(i, 'status.up', 0) end\n  obj.status = {up = up}\n  return obj\nend",
}

// lawfulBut is lawful with one script replaced.
func lawfulBut(t *testing.T, file, text string) *Runner {
	t.Helper()
	fsys := fstest.MapFS{"bundle.yaml": site()["bundle.yaml"]}
	for name, source := range lawful {
		if name == file {
			source = text
		}
		fsys["Site/"+name+".lua"] = &fstest.MapFile{Data: []byte(source)}
	}
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Loader{Compiler: c}.Load(fsys, ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Bundles: []*bundle.Bundle{b}}
}

// aggregation is a case to which all laws apply but that of results.
const aggregation = `name: two clusters
desiredObj:
  apiVersion: web.example/v1
  kind: Site
  metadata: {name: a, generation: 4}
  spec: {replicas: 2, ip: x, suspend: false}
  status: {observedGeneration: 4}
statusItems: [{status: {up: 1}}, {status: {up: 2}}]
operation: AggregateStatus
output: {aggregatedStatus: {}}`

func only(t *testing.T, text string) *Case {
	t.Helper()
	all, err := Read(nil, "a.yaml", []byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d cases, error %v", len(all), err)
	}
	return all[0]
}

// breaches returns a line for each law that is broken, with how.
func breaches(broken []Breach) string {
	var lines []string
	for _, b := range broken {
		lines = append(lines, b.Law.Name+": "+describe(b.Failures))
	}
	return strings.Join(lines, "\n")
}

// TestReplicaThatStays revises an object that has a replica beside those that are divided.
func TestReplicaThatStays(t *testing.T) {
	const revise = "function ReviseReplica(obj, n) obj.spec.replicas = math.max(n, %d) return obj end"
	for fewest, want := range map[int]string{
		1: "",
		2: "revise then replicas: replicas after revise to 0 0 2\nreplicas after revise to 1 1 2",
	} {
		_, broken := lawfulBut(t, "revise", fmt.Sprintf(revise, fewest)).CheckLaws(only(t, aggregation))
		if got := strings.TrimSpace(breaches(broken)); got != want {
			t.Errorf("with at least %d replicas: want %q, got %q", fewest, want, got)
		}
	}
}

func TestLawsHold(t *testing.T) {
	checked, broken := lawfulBut(t, "", "").CheckLaws(only(t, aggregation))
	if checked != len(Laws()) || len(broken) > 0 {
		t.Errorf("%d laws were checked, want %d; broken:\n%s", checked, len(Laws()), breaches(broken))
	}
}

func TestLawsNameWhoBreaksThem(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"revise sets another field": {
			"revise", "function ReviseReplica(obj, n) obj.spec.replica = n return obj end",
			"revise then replicas: replicas after revise to 0 0 2\nreplicas after revise to 1 1 2",
		},
		"revise is one off": {
			"revise", "function ReviseReplica(obj, n) obj.spec.replicas = n + 1 return obj end",
			"revise then replicas: replicas after revise to 0 0 1\nreplicas after revise to 1 1 2\n",
		},
		"retain adds each time": {
			"retain", "function Retain(desired, observed) desired.spec.replicas = desired.spec.replicas + 1 return desired end",
			"retain twice: retained.spec.replicas 3 4",
		},
		"prune removes some each time": {
			"prune", "function PruneTemplate(template) template.spec.replicas = template.spec.replicas - 1 return template end",
			"prune twice: pruned.spec.replicas 1 0",
		},
		"an order of items": {
			"aggregate", "function AggregateStatus(obj, items)\n  for _, i in ipairs(items) do obj.status = i.status end\n  return obj\nend",
			"order of items: aggregatedStatus.status.up 2 1",
		},
		"no items": {
			"aggregate", "function AggregateStatus(obj, items)\n  obj.status = {up = kube.get(items[1].status or {}, 'up', 0) * 0}\n  return obj\nend",
			"no items: aggregate of no items  ",
		},
		"another object": {
			"aggregate", "function AggregateStatus(obj, items)\n  if #items > 1 then obj.metadata.name = 'b' end\n  return obj\nend",
			"identity: AggregateStatus  ",
		},
		"no status": {
			"health", "function InterpretHealth(obj) return obj.status.up end",
			"no status: health without status  ",
		},
		"an old status": {
			"health", "function InterpretHealth(obj) return kube.get(obj, 'spec.suspend', false) or obj.status ~= nil end",
			`old status: health by an old status "false or nothing" true`,
		},
		"suspended": {
			"health", "function InterpretHealth(obj) return not obj.spec.suspend end",
			`suspended: health of what is suspended "true or nothing" false`,
		},
		"components do not add up": {
			"components", "function GetComponents(obj) return {{name = 'a', replicas = 2}, {name = 'b', replicas = 1}} end",
			"components and replicas: sum of the components 2 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, broken := lawfulBut(t, c.file, c.text).CheckLaws(only(t, aggregation))
			if got := breaches(broken); !strings.HasPrefix(got, c.want) || len(broken) != 1 {
				t.Errorf("broken are\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestRevisedReplicasMayHaveACeiling(t *testing.T) {
	r := lawfulBut(t, "replicas", "function GetReplicas(obj) return math.min(obj.spec.replicas, 4) end")
	_, broken := r.CheckLaws(only(t, aggregation))
	if len(broken) > 0 {
		t.Errorf("broken are\n%s", breaches(broken))
	}
}

func TestLawsOfHealthLeaveOutWhatHasFinished(t *testing.T) {
	for name, c := range map[string]struct{ health, status string }{
		"an old status": {"function InterpretHealth(obj) return obj.status ~= nil end", "{observedGeneration: 4, ended: true}"},
		"suspended":     {"function InterpretHealth(obj) return false end", "{ended: true}"},
		"an old status where health comes from the spec": {"function InterpretHealth(obj) return true end", "{observedGeneration: 4}"},
	} {
		text := "name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site, metadata: {generation: 4}, spec: {suspend: false}, status: " +
			c.status + "}\noperation: InterpretHealth\noutput: {healthy: true}\n"
		if _, broken := lawfulBut(t, "health", c.health).CheckLaws(only(t, text)); len(broken) > 0 {
			t.Errorf("%s: broken are\n%s", name, breaches(broken))
		}
	}
}

func TestLawsAreSilentWhereScriptsAreMissingOrFail(t *testing.T) {
	health := "name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretHealth\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"an object without spec": {health + "output: {healthy: false}", 7},
		"an expected error":      {health + "expectError: {code: Type}", 2},
		"an unknown kind":        {strings.ReplaceAll(health, "Site", "Page") + "output: {healthy: true}", 0},
	} {
		if checked, broken := lawfulBut(t, "", "").CheckLaws(only(t, c.text)); checked != c.want || len(broken) > 0 {
			t.Errorf("%s: %d laws were checked, want %d; broken:\n%s", name, checked, c.want, breaches(broken))
		}
	}
}

// program is a script in Go, which can do what no script of ours can.
type program func(args []any) any

func (p program) Run(c *script.Call, t script.Decoder) (script.Usage, error) {
	return script.Usage{}, t.Decode([]any{p(c.Args)}, free{})
}

func (program) Size() int64 { return 0 }

// free is a meter that takes nothing.
type free struct{}

func (free) Pay(_, _ int64) error { return nil }

func TestLawsOfPurity(t *testing.T) {
	runs := 0
	for name, c := range map[string]struct {
		run  program
		want string
	}{
		"input": {func(args []any) any {
			args[0].(map[string]any)["spec"] = "other"
			return map[string]any{}
		}, `input: input.object.spec  "other"`},
		"same again": {func([]any) any {
			runs++
			return map[string]any{"runs": int64(runs)}
		}, "same again: the second answer[0].runs "},
		"json": {func([]any) any { return map[string]any{"text": "\xff"} }, "json: status.text "},
	} {
		rules := engine.Rules{engine.InterpretStatus: {Program: c.run}}
		kind := schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Site"}
		b := &bundle.Bundle{Source: engine.RuleSet{Name: "site", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: rules}}}
		r := &Runner{Bundles: []*bundle.Bundle{b}}
		_, broken := r.CheckLaws(only(t, "name: a\nobservedObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretStatus\noutput: {}"))
		if got := breaches(broken); len(broken) != 1 || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: broken are\n%s\nwant %s", name, got, c.want)
		}
	}
}

func TestLawsHaveNamesOfTheirOwn(t *testing.T) {
	var names []string
	for _, law := range Laws() {
		if slices.Contains(names, law.Name) || law.Doc == "" {
			t.Errorf("law %q is twice or without a word", law.Name)
		}
		names = append(names, law.Name)
	}
}

func TestGaps(t *testing.T) {
	b := lawfulBut(t, "", "").Bundles[0]
	var all []*Case
	for _, operation := range []string{"InterpretReplica", "InterpretComponent", "AggregateStatus", "InterpretHealth"} {
		op, err := engine.ParseOperation(operation)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("name: a\ndesiredObj: {apiVersion: web.example/v1, kind: Site}\noperation: %s\noutput: {%s: null}", operation, op.Results[0].Name)
		all = append(all, only(t, text))
	}
	want := "Site/replicas.lua: no case of InterpretReplica has requires in its output\n" +
		"Site/revise.lua: no case asks it\nSite/retain.lua: no case asks it\nSite/prune.lua: no case asks it\n" +
		"Site/finished.lua: no case asks it"
	if err := Gaps(b, all); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// A function that the manifest names has no file of its own: a gap stands at its line.
func TestGapsOfNamedFunctions(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{
		"web/bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: web}\nspec:\n" +
			"  kinds:\n    - {group: web.example, versions: [v1], kind: Site}\n    - {group: web.example, versions: [v1], kind: Page}\n" +
			"  operations:\n    - kinds: [Site, Page]\n      functions:\n        health: lib.site.health\n")},
		"web/lib/site.lua": {Data: []byte("return { health = function() return true end }")},
	}
	b, err := bundle.Loader{Compiler: c}.Load(fsys, "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := only(t, "name: a\ndesiredObj: {apiVersion: web.example/v1, kind: Site}\noperation: InterpretHealth\noutput: {healthy: true}")
	want := "web/bundle.yaml:11: no case asks it of Page"
	if err := Gaps(b, []*Case{asked}); err == nil || err.Error() != want {
		t.Errorf("got error %v; want %s", err, want)
	}
}
