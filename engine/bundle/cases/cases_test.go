// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// site is a bundle whose scripts return the field answer of the object.
func site() fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"bundle.yaml": `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: site}
spec:
  kinds: [{group: web.example, versions: [v1], kind: Site}]
  parameters: [{name: mark, default: none}]`,
		"Site/health.lua": "function InterpretHealth(obj)\n  if obj.fail then error(obj.fail) end\n  if obj.healthy == 'unknown' then return nil end\n" +
			"  return obj.answer\nend",
		"Site/status.lua":       "function ReflectStatus(obj) return obj.answer end",
		"Site/components.lua":   "function GetComponents(obj) return obj.answer end",
		"Site/dependencies.lua": "function GetDependencies(obj) return obj.answer end",
		"Site/replicas.lua":     "function GetReplicas(obj) return obj.answer, obj.requires end",
		"Site/revise.lua":       "function ReviseReplica(obj, n) obj.answer = n return obj end",
		"Site/retain.lua":       "function Retain(desired, observed) desired.answer = observed.answer return desired end",
		"Site/aggregate.lua":    "function AggregateStatus(obj, items) obj.status = {items = items} return obj end",
		"Site/state.lua":        "function GetState(obj) return {mark = params.mark, answer = obj.answer} end",
		"Site/finished.lua":     "function IsFinished(obj) return obj.answer end",
		"Site/prune.lua":        "function PruneTemplate(template) template.answer = nil return template end",
		"Site/restore.lua":      "function RestoreState(obj, state) obj.answer = state.a return obj end",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func runnerOf(t *testing.T) *Runner {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Loader{Compiler: c}.Load(site(), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Bundles: []*bundle.Bundle{b}}
}

// form is a case about a Site; ANSWER and OUTPUT are filled in.
const form = `name: a case
desiredObj: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, ANSWER}
operation: OPERATION
OUTPUT`

func caseOf(t *testing.T, operation, answer, output string) *Case {
	t.Helper()
	text := strings.NewReplacer("ANSWER", answer, "OPERATION", operation, "OUTPUT", output).Replace(form)
	all, err := Read(nil, "a.yaml", []byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d cases, error %v, from:\n%s", len(all), err, text)
	}
	return all[0]
}

// describe returns the failures as lines: path, want, got.
func describe(failures []Failure) string {
	var lines []string
	for _, f := range failures {
		lines = append(lines, f.Path+" "+string(f.Want)+" "+string(f.Got))
	}
	return strings.Join(lines, "\n")
}

func TestRunComparesByPath(t *testing.T) {
	for name, c := range map[string]struct {
		operation, answer, output string
		want                      string // the failures, "" for none
	}{
		"healthy":             {"InterpretHealth", "answer: true", "output: {healthy: true}", ""},
		"not healthy":         {"InterpretHealth", "answer: false", "output: {healthy: true}", "healthy true false"},
		"unknown is null":     {"interpretHEALTH", "healthy: unknown", "output: {healthy: null}", ""},
		"unknown is no false": {"InterpretHealth", "healthy: unknown", "output: {healthy: false}", "healthy false null"},
		"an empty output":     {"InterpretHealth", "healthy: unknown", "output: {}", "healthy  null"},

		"status":                      {"InterpretStatus", "answer: {a: 1, b: [x]}", "output: {status: {b: [x], a: 1.0}}", ""},
		"a value of status":           {"InterpretStatus", "answer: {a: {b: 1}}", "output: {status: {a: {b: 2}}}", "status.a.b 2 1"},
		"a key is missing":            {"InterpretStatus", "answer: {a: {}}", "output: {status: {a: {b: 1}}}", "status.a.b 1 "},
		"a key is too much":           {"InterpretStatus", "answer: {a: {x.y: 1}}", "output: {status: {a: {}}}", `status.a["x.y"]  1`},
		"an item is missing":          {"InterpretStatus", "answer: {a: [1]}", "output: {status: {a: [1, 2]}}", "status.a[1] 2 "},
		"text is no number":           {"InterpretStatus", "answer: {a: '1'}", "output: {status: {a: 1}}", `status.a 1 "1"`},
		"an empty map is no list":     {"InterpretStatus", "answer: {a: {}}", "output: {status: {a: []}}", "status.a [] {}"},
		"an empty list is not absent": {"InterpretStatus", "answer: {a: []}", "output: {status: {}}", "status.a  []"},
		"null is not absent":          {"InterpretStatus", "answer: {a: null}", "output: {status: {}}", "status.a  null"},
		"no status is not empty":      {"InterpretStatus", "x: 1", "output: {status: {}}", "status {} null"},
		"no status":                   {"InterpretStatus", "x: 1", "output: {status: null}", ""},
		"an excluded path":            {"InterpretStatus", "answer: {a: [{t: 1, b: 2}]}", "output: {status: {a: [{t: '{{EXCLUDE}}', b: 2}]}}", ""},
		"beside an excluded path":     {"InterpretStatus", "answer: {a: [{t: 1, b: 2}]}", "output: {status: {a: [{t: '{{EXCLUDE}}', b: 3}]}}", "status.a[0].b 3 2"},
		"large numbers are exact":     {"InterpretStatus", "answer: {a: 9007199254740993}", "output: {status: {a: 9007199254740992}}", "status.a 9007199254740992 9007199254740993"},

		"components in any order": {
			"InterpretComponent",
			"answer: [{name: b, replicas: 2}, {name: a, replicas: 1, replicaRequirements: {resourceRequest: {memory: 1024Mi}}}]",
			"output: {components: [{name: a, replicas: 1, replicaRequirements: {resourceRequest: {memory: 1Gi}}}, {name: b, replicas: 2}]}", "",
		},
		"a quantity": {
			"InterpretComponent",
			"answer: [{name: a, replicas: 1, replicaRequirements: {resourceRequest: {cpu: 1, memory: 1024Mi}}}]",
			"output: {components: [{name: a, replicas: 1, replicaRequirements: {resourceRequest: {cpu: 2, memory: 1Gi}}}]}",
			`components.a.replicaRequirements.resourceRequest.cpu "2" "1"`,
		},
		"a component too few":        {"InterpretComponent", "answer: [{name: a, replicas: 1}]", "output: {components: [{name: a, replicas: 1}, {name: b, replicas: 1}]}", `components.b {"name":"b","replicas":1} `},
		"no components are an empty": {"InterpretComponent", "x: 1", "output: {components: []}", ""},

		"requirements": {"InterpretReplica", "answer: 2, requires: {resourceRequest: {cpu: 1000m}}", "output: {replica: 2, requires: {resourceRequest: {cpu: 1}}}", ""},
		"an unnamed result": {
			"InterpretReplica", "answer: 2, requires: {namespace: web}", "output: {replica: 2}", `requires  {"namespace":"web"}`,
		},
		"an unnamed result that is null": {"InterpretReplica", "answer: 2", "output: {replica: 2}", ""},
		"a wrong number":                 {"InterpretReplica", "answer: 2", "output: {replica: 3}", "replica 3 2"},

		"dependencies in any order": {
			"InterpretDependency",
			"answer: [{apiVersion: v1, kind: Secret, name: b}, {apiVersion: v1, kind: Secret, name: a}]",
			"output: {dependencies: [{apiVersion: v1, kind: Secret, name: a}, {apiVersion: v1, kind: Secret, name: b}]}", "",
		},
		"a selector of all is no selector": {
			"InterpretDependency",
			"answer: [{apiVersion: v1, kind: Secret, name: a, labelSelector: {}}]",
			"output: {dependencies: [{apiVersion: v1, kind: Secret, name: a}]}",
			`dependencies [{"apiVersion":"v1","kind":"Secret","name":"a"}] [{"apiVersion":"v1","kind":"Secret","labelSelector":{},"name":"a"}]`,
		},

		"an object":                  {"ReviseReplica", "answer: 0", "inputReplicas: 3\noutput: {revised: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, answer: 3}}", ""},
		"a wrong object":             {"ReviseReplica", "answer: 0", "inputReplicas: 3\noutput: {revised: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, answer: 4}}", "revised.answer 4 3"},
		"the state of a restore":     {"RestoreState", "answer: 0", "state: {a: b}\noutput: {restored: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, answer: b}}", ""},
		"a template":                 {"prunetemplate", "answer: 0, x: 1", "output: {pruned: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, x: 1}}", ""},
		"finished":                   {"InterpretFinished", "answer: true", "output: {finished: true}", ""},
		"not finished":               {"InterpretFinished", "answer: false", "output: {finished: true}", "finished true false"},
		"nil is not finished":        {"InterpretFinished", "x: 1", "output: {finished: false}", ""},
		"a parameter":                {"InterpretState", "answer: 1", "parameters: {mark: here}\noutput: {state: {mark: here, answer: '1'}}", ""},
		"the default of a parameter": {"InterpretState", "answer: 1", "output: {state: {mark: here, answer: '1'}}", `state.mark "here" "none"`},
		"status items": {
			"AggregateStatus", "x: 1", "statusItems: [{clusterName: m, status: {a: 1}}]\n" +
				"output: {aggregatedStatus: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, x: 1, " +
				"status: {items: [{clusterName: m, applied: false, health: '', status: {a: 1}}]}}}", "",
		},
		"both objects": {
			"Retain", "x: 1", "observedObj: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, answer: 7}\n" +
				"output: {retained: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, x: 1, answer: 7}}", "",
		},

		"an error":             {"InterpretHealth", "fail: no luck", "expectError: {code: User, message: no l.ck, at: 'Site/health.lua:2'}", ""},
		"an error of a result": {"InterpretHealth", "answer: text", "expectError: {code: Result, message: want a boolean}", ""},
		"an error elsewhere":   {"InterpretHealth", "fail: no luck", "expectError: {at: 'health.lua:3'}", `error.at "health.lua:3" "Site/health.lua:2"`},
		"another file":         {"InterpretHealth", "fail: no luck", "expectError: {at: 'alth.lua'}", `error.at "alth.lua" "Site/health.lua:2"`},
		"another error": {
			"InterpretHealth", "fail: no luck", "expectError: {code: Type, message: ^bad}",
			"error.code \"Type\" \"User\"\nerror.message \"^bad\" \"no luck\"",
		},
		"no error": {"InterpretHealth", "answer: true", "expectError: {code: Type}", `error "an error of code Type" `},
		"an error in place of an answer": {
			"InterpretHealth", "fail: no luck", "output: {healthy: true}",
			`error  "InterpretHealth by bundle site: Site/health.lua:2: no luck"`,
		},
		"an unknown parameter": {
			"InterpretHealth", "answer: true", "parameters: {marc: x}\noutput: {healthy: true}",
			`error  "bundle site: there is no parameter \"marc\"; did you mean mark?"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := runnerOf(t).Run(caseOf(t, c.operation, c.answer, c.output))
			if got := describe(result.Failures); got != c.want {
				t.Errorf("got failures\n%s\nwant\n%s", got, c.want)
			}
			if result.Passed() != (c.want == "") {
				t.Errorf("passed is %v", result.Passed())
			}
			if result.Gas == 0 && name != "an unknown parameter" {
				t.Error("the run cost nothing")
			}
		})
	}
}

func TestRunFailsWhereNoScriptAnswers(t *testing.T) {
	all, err := Read(nil, "a.yaml", []byte("name: a\ndesiredObj: {apiVersion: v1, kind: Pod}\noperation: InterpretStatus\nexpectError: {code: Type}\n"))
	if err != nil {
		t.Fatal(err)
	}
	result := runnerOf(t).Run(all[0])
	if got := describe(result.Failures); got != `error  "no script answers InterpretStatus for v1 Pod"` {
		t.Errorf("got failures %s", got)
	}
}

func TestAllowUnchecked(t *testing.T) {
	r := runnerOf(t)
	r.AllowUnchecked = true
	for _, output := range []string{"output: {replica: 2}", "output: {}"} {
		if result := r.Run(caseOf(t, "InterpretReplica", "answer: 2, requires: {namespace: web}", output)); !result.Passed() {
			t.Errorf("%s: got failures %s", output, describe(result.Failures))
		}
	}
	if r.Run(caseOf(t, "InterpretReplica", "answer: 2", "output: {replica: 3}")).Passed() {
		t.Error("a wrong value passed")
	}
}

func TestRunDoesNotChangeTheCase(t *testing.T) {
	r, c := runnerOf(t), caseOf(t, "ReviseReplica", "answer: 0", "inputReplicas: 3\noutput: {revised: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, answer: 3}}")
	first, second := r.Run(c), r.Run(c)
	if !first.Passed() || !second.Passed() || first.Gas != second.Gas {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestReadSaysWhatIsWrongAndWhere(t *testing.T) {
	const object = "{apiVersion: v1, kind: Pod}"
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":       {"name: a\noperatoin: Retain\noutput: {}", `a.yaml:2: there is no key "operatoin"; did you mean operation?`},
		"no name":              {"operation: InterpretHealth\nobservedObj: " + object + "\noutput: {healthy: true}", "a.yaml:1: name is missing"},
		"an unknown operation": {"name: a\noperation: InterpretHelth\nobservedObj: " + object + "\noutput: {healthy: true}", `a.yaml:2: operation: there is no operation "InterpretHelth"; did you mean InterpretHealth?`},
		"an unknown result":    {"name: a\noperation: InterpretHealth\nobservedObj: " + object + "\noutput:\n  health: true", `a.yaml:5: output.health: there is no result of InterpretHealth "health"; did you mean healthy?`},
		"no object":            {"name: a\noperation: InterpretHealth\noutput: {healthy: true}", "a.yaml:1: InterpretHealth needs exactly one of desiredObj and observedObj"},
		"two objects":          {"name: a\noperation: InterpretHealth\noutput: {healthy: true}\ndesiredObj: " + object + "\nobservedObj: " + object, "a.yaml:1: InterpretHealth needs exactly one"},
		"one object to retain": {"name: a\noperation: Retain\noutput: {retained: {}}\ndesiredObj: " + object, "a.yaml:1: Retain needs desiredObj and observedObj"},
		"an object of no kind": {"name: a\noperation: InterpretHealth\noutput: {healthy: true}\ndesiredObj: {apiVersion: v1}", "a.yaml:4: desiredObj: an object must have kind"},
		"no output":            {"name: a\noperation: InterpretHealth\ndesiredObj: " + object, "a.yaml:1: a case must have output, changes, expectSubset, assert or expectError"},
		"both":                 {"name: a\noperation: InterpretHealth\ndesiredObj: " + object + "\noutput: {healthy: true}\nexpectError: {code: Type}", "a.yaml:5: expectError: a case expects an answer or an error, not both"},
		"any error":            {"name: a\noperation: InterpretHealth\ndesiredObj: " + object + "\nexpectError: {}", "a.yaml:4: expectError: give code, message or at"},
		"an unknown code":      {"name: a\noperation: InterpretHealth\ndesiredObj: " + object + "\nexpectError: {code: Typ}", `a.yaml:4: expectError.code: there is no code "Typ"; did you mean Type?`},
		"a wrong pattern":      {"name: a\noperation: InterpretHealth\ndesiredObj: " + object + "\nexpectError: {message: '('}", "a.yaml:4: expectError.message: error parsing regexp"},
		"what is not read":     {"name: a\noperation: InterpretHealth\ndesiredObj: " + object + "\ninputReplicas: 1\noutput: {healthy: true}", "a.yaml:4: inputReplicas: InterpretHealth does not read it"},
		"a field of a component": {
			"name: a\noperation: InterpretComponent\ndesiredObj: " + object + "\noutput:\n  components: [{name: a, replica: 1}]",
			`a.yaml:5: output.components: json: unknown field "replica"`,
		},
		"a field of an item": {
			"name: a\noperation: AggregateStatus\ndesiredObj: " + object + "\nstatusItems:\n  - clusterName: a\n    cluster: b\noutput: {aggregatedStatus: {}}",
			`a.yaml:6: statusItems[0]: there is no key "cluster"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			good := "name: good\noperation: InterpretHealth\ndesiredObj: " + object + "\noutput: {healthy: true}\n"
			all, err := Read(nil, "a.yaml", []byte(c.text+"\n---\n"+good))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v; want %s", err, c.want)
			}
			if len(all) != 1 || all[0].Name != "good" {
				t.Errorf("got %d cases; want the good one", len(all))
			}
		})
	}
}

func TestReadPassesOverWhatIsNoCase(t *testing.T) {
	const pod, values = "apiVersion: v1\nkind: Pod\n", "name: a\nreplicas: 2\n"
	for _, text := range []string{"", pod, pod + "---\n" + pod, values, "- a\n- b\n"} {
		if all, err := Read(nil, "a.yaml", []byte(text)); len(all) > 0 || err != nil {
			t.Errorf("%q: got %d cases, error %v; want nothing", text, len(all), err)
		}
	}
	_, err := Read(nil, "a.yaml", []byte(pod+"---\noutput: {}\n"))
	if err == nil || !strings.Contains(err.Error(), "a.yaml:1: there is no key \"apiVersion\"") {
		t.Errorf("an object beside a case: got error %v", err)
	}
}

func TestInBundle(t *testing.T) {
	fsys := site()
	text := "name: NAME\noperation: InterpretHealth\ndesiredObj: {apiVersion: v1, kind: Pod}\noutput: {healthy: true}\n"
	fsys["Site/testdata/a.yaml"] = &fstest.MapFile{Data: []byte(text)}
	fsys["Site/testdata/b.yml"] = &fstest.MapFile{Data: []byte("output: {}")}
	fsys["Site/testdata/c.txt"] = &fstest.MapFile{Data: []byte("x")}
	all, err := InBundle(fsys, runnerOf(t).Bundles[0])
	if len(all) != 1 || all[0].Where() != "Site/testdata/a.yaml:1" {
		t.Errorf("got cases %v; want that of a.yaml", all)
	}
	if err == nil || !strings.Contains(err.Error(), "Site/testdata/b.yml:1") {
		t.Errorf("got error %v; want that of b.yml", err)
	}
}

// TestEachOperationReadsItsArguments reads a case of each operation of the table with the
// keys of its parameters, and with one more.
func TestEachOperationReadsItsArguments(t *testing.T) {
	keys := map[engine.ParamKind]string{
		engine.ItemsParam: "statusItems: [{clusterName: m1}]\n", engine.CountParam: "inputReplicas: 2\n", engine.StateParam: "state: {a: b}\n",
		engine.DivisionParam: "division: {cluster: m1, shares: [{name: m1, replicas: 2}]}\n",
		engine.RelatedParam:  "related: [{apiVersion: web.example/v1, kind: Backup}]\n", engine.FailoverParam: "failover: true\n",
	}
	const object = "Obj: {apiVersion: web.example/v1, kind: Site}\n"
	for _, op := range engine.Operations() {
		text := "name: a\noperation: " + string(op.Name) + "\noutput: {}\ndesired" + object
		if op.Takes(engine.ObservedParam) {
			text += "observed" + object
		}
		for _, p := range op.Params {
			text += keys[p.Kind]
		}
		c := only(t, text)
		q := c.Question
		got := map[engine.ParamKind]bool{
			engine.ObservedParam: q.Observed != nil, engine.ItemsParam: len(q.Items) == 1, engine.CountParam: q.Replicas == 2, engine.StateParam: q.State["a"] == "b",
			engine.DivisionParam: q.Division.Cluster == "m1" && len(q.Division.Shares) == 1,
			engine.RelatedParam:  len(q.Related) == 1 && q.Related[0].GetKind() == "Backup", engine.FailoverParam: q.Failover,
		}
		if c.Operation.Name != op.Name || q.Operation != op.Name || q.Object == nil {
			t.Errorf("%s: got a case of %s", op.Name, c.Operation.Name)
		}
		for kind, has := range got {
			if has != op.Takes(kind) {
				t.Errorf("%s: has an argument of kind %s: %t; want %t", op.Name, kind, has, op.Takes(kind))
			}
		}
		for kind, key := range keys {
			if _, err := Read(nil, "site.yaml", []byte(text+key)); !op.Takes(kind) && (err == nil || !strings.Contains(err.Error(), "does not read it")) {
				t.Errorf("%s: got error %v for %s", op.Name, err, key)
			}
		}
	}
}
