// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
)

// ran returns how the one case of a text about a Site fails: a line for each failure.
func ran(t *testing.T, text string) []string {
	t.Helper()
	r := runnerOf(t)
	all, err := Read(r.Bundles[0].Compiler(), "a.yaml", []byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d cases, error %v, from:\n%s", len(all), err, text)
	}
	var lines []string
	for _, f := range r.Run(all[0]).Failures {
		lines = append(lines, fmt.Sprintf("%s: %s", f.Path, f.what()))
	}
	return lines
}

// filled returns the text of a case about a Site that answers something.
func filled(operation, answer, expected string) string {
	return strings.NewReplacer("ANSWER", answer, "OPERATION", operation, "OUTPUT", expected).Replace(form)
}

func TestExpectations(t *testing.T) {
	const status = "answer: {phase: Up, at: '10:00', list: [{a: 1, b: 2}, {a: 3}], none: null}"
	const components = `answer: [{name: b, replicas: 2, replicaRequirements: {resourceRequest: {cpu: "1"}}}, {name: a, replicas: 1}]`
	const dependencies = `answer: [{apiVersion: v1, kind: Secret, namespace: x, name: s}, {apiVersion: v1, kind: ConfigMap, namespace: x, name: c}]`
	for name, c := range map[string]struct {
		operation, answer, expected string
		want                        []string
	}{
		"a subset names some keys":        {"InterpretStatus", status, "expectSubset: {status: {phase: Up}}", nil},
		"a subset has another value":      {"InterpretStatus", status, "expectSubset: {status: {phase: Down}}", []string{`status.phase: want "Down", got "Up"`}},
		"a subset has a key more":         {"InterpretStatus", status, "expectSubset: {status: {nodes: 1}}", []string{`status.nodes: want 1, got nothing`}},
		"a subset goes into items":        {"InterpretStatus", status, "expectSubset: {status: {list: [{a: 1}, {a: 3}]}}", nil},
		"a subset has all items":          {"InterpretStatus", status, "expectSubset: {status: {list: [{a: 1}]}}", []string{`status.list[1]: want nothing, got {"a":3}`}},
		"a subset has items in order":     {"InterpretStatus", status, "expectSubset: {status: {list: [{a: 3}, {a: 1}]}}", []string{"status.list[0].a: want 3, got 1", "status.list[1].a: want 1, got 3"}},
		"a subset has null for absent":    {"InterpretStatus", status, "expectSubset: {status: {none: null, gone: null, phase: Up}}", nil},
		"a subset has null for a value":   {"InterpretStatus", status, "expectSubset: {status: {phase: null}}", []string{`status.phase: want null, got "Up"`}},
		"a subset with another type":      {"InterpretStatus", status, "expectSubset: {status: {list: {}}}", []string{`status.list: want {}, got [{"a":1,"b":2},{"a":3}]`}},
		"a subset of components":          {"InterpretComponent", components, "expectSubset: {components: [{name: a}, {name: b, replicaRequirements: {resourceRequest: {cpu: 1000m}}}]}", nil},
		"a subset of too few components":  {"InterpretComponent", components, "expectSubset: {components: [{name: b}]}", []string{`components.a: want nothing, got {"name":"a","replicas":1}`}},
		"a subset of dependencies":        {"InterpretDependency", dependencies, "expectSubset: {dependencies: [{name: s}, {name: c, kind: ConfigMap}]}", nil},
		"a subset of other dependencies":  {"InterpretDependency", dependencies, "expectSubset: {dependencies: [{name: s}, {name: d}]}", []string{`dependencies[0].name: want "s", got "c"`, `dependencies[1].name: want "d", got "s"`}},
		"a subset of an object":           {"ReviseReplica", "answer: 1", "inputReplicas: 7\nexpectSubset: {revised: {answer: 7}}", nil},
		"a subset beside an output":       {"InterpretReplica", "answer: 2, requires: {resourceRequest: {cpu: 1, memory: 1Gi}}", "output: {replica: 2}\nexpectSubset: {requires: {resourceRequest: {cpu: 1000m}}}", nil},
		"an output leaves out a result":   {"InterpretReplica", "answer: 2, requires: {resourceRequest: {cpu: 1}}", "output: {replica: 2}", []string{`requires: want nothing, got {"resourceRequest":{"cpu":"1"}}`}},
		"a condition for that":            {"InterpretReplica", "answer: 2, requires: {resourceRequest: {cpu: 1}}", "output: {replica: 2}\nassert: ['quantity(result.requires.resourceRequest.cpu).isGreaterThan(quantity(\"500m\"))']", nil},
		"ignored paths":                   {"InterpretStatus", status, "ignore: [status.at, 'status.list[*].b', 'status.none']\noutput: {status: {phase: Up, at: other, list: [{a: 1}, {a: 3}]}}", nil},
		"an ignored item":                 {"InterpretStatus", status, "ignore: ['status.list[1]']\noutput: {status: {phase: Up, at: '10:00', list: [{a: 1, b: 2}, null], none: null}}", nil},
		"an ignored path leaves the rest": {"InterpretStatus", status, "ignore: [status.at]\noutput: {status: {phase: Down, list: [{a: 1, b: 2}, {a: 3}], none: null}}", []string{`status.phase: want "Down", got "Up"`}},
		"an ignored path of nothing": {
			"InterpretStatus", status, "ignore: [status.nodes]\noutput: {status: {phase: Up, at: '10:00', list: [{a: 1, b: 2}, {a: 3}], none: null}}",
			[]string{"ignore: status.nodes matches nothing, neither in the output nor in the answer; mend the path, or remove it"},
		},
		"an ignored path by the name of a component": {
			"InterpretComponent", components, "ignore: [components.a.replicas, 'components.b[replicaRequirements]']\noutput: {components: [{name: a}, {name: b, replicas: 2}]}", nil,
		},
		"an ignored path of changes": {"ReviseReplica", "answer: 1", "inputReplicas: 7\nignore: ['revised.answer']\nchanges: {}", nil},
		"conditions that are true": {
			"InterpretStatus", status, "assert: ['result.status.phase == \"Up\"', 'result.status.list.size() == 2', 'input.desiredObj.metadata.name == \"a\"  && result.status.none == null']", nil,
		},
		"a condition that is false": {
			"InterpretStatus", status, "assert:\n- has(result.status.phase)\n- result.status.phase == \"Down\" || result.status.list.exists(i, i.a > 3)\n",
			[]string{`assert[1]: result.status.phase == "Down" || result.status.list.exists(i, i.a > 3) is false; result.status.phase -> "Up"; result.status.phase == "Down" -> false; ` +
				`result.status.list -> [{"a": 1, "b": 2}, {"a": 3}]; i.a -> 1; i.a > 3 -> false; i.a -> 3; result.status.list.exists(i, i.a > 3) -> false`},
		},
		"a condition that fails": {
			"InterpretStatus", status, "assert:\n- result.status.nodes == 1\n", []string{"assert[0]: a.yaml:5:16: no such key: nodes"},
		},
		"a condition that runs away": {
			"InterpretStatus", "answer: {k: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}",
			"assert: ['result.status.k.all(a, result.status.k.all(b, result.status.k.all(c, result.status.k.all(d, result.status.k.all(e, result.status.k.all(f, a+b+c+d+e+f > 0))))))']",
			[]string{"Gas"},
		},
		"the items of AggregateStatus": {
			"AggregateStatus", "status: {}", "statusItems: [{clusterName: m1, status: {k: 1}}, {clusterName: m2, status: {k: 2}}]\n" +
				"assert: ['result.aggregatedStatus.status.items.size() == input.statusItems.size()', 'input.statusItems.map(i, int(i.status.k)).sum() == 3 && has(result.aggregatedStatus.status)']",
			nil,
		},
		"gas that is enough":     {"InterpretHealth", "answer: true", "maxGas: 1000\noutput: {healthy: true}", nil},
		"gas that is too little": {"InterpretHealth", "answer: true", "maxGas: 1\noutput: {healthy: true}", []string{"gas: the script took "}},
		"a case that is skipped": {"InterpretHealth", "answer: true", "skip: not yet\noutput: {healthy: false}", nil},
	} {
		got := ran(t, filled(c.operation, c.answer, c.expected))
		if len(got) != len(c.want) {
			t.Errorf("%s: got %q; want %q", name, got, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) && !(c.want[i] == "Gas" && strings.Contains(got[i], "code Gas")) {
				t.Errorf("%s: got %q; want %q", name, got[i], c.want[i])
			}
		}
	}
}

func TestExpectationsThatAreRefused(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct{ operation, expected, want string }{
		"an empty subset":             {"InterpretStatus", "expectSubset: {}", "a.yaml:4: expectSubset: it names no result"},
		"another result":              {"InterpretStatus", "expectSubset: {health: true}", "a.yaml:4: expectSubset.health: "},
		"the same result twice":       {"InterpretStatus", "output: {status: {}}\nexpectSubset: {status: {}}", "a.yaml:5: expectSubset.status: output and changes say all of it"},
		"a field without a type":      {"InterpretComponent", "expectSubset: {components: [{nam: a}]}", `unknown field "nam"`},
		"no conditions":               {"InterpretStatus", "assert: []", "a.yaml:4: assert: it has no conditions"},
		"a condition that is no text": {"InterpretStatus", "assert: [1]", "a.yaml:4: assert[0]: want a string"},
		"a condition without a list":  {"InterpretStatus", "assert: result.status == 1", "a.yaml:4: assert: want a list"},
		"a syntax error":              {"InterpretStatus", "assert:\n- has(result.status)\n- result.status ==", "a.yaml:6:19: assert[1]: "},
		"a type error":                {"InterpretStatus", "assert:\n- |\n  result.status == 1 &&\n    size(result)\n", "a.yaml:7:9: assert[0]: expected type 'bool' but found 'int'"},
		"an unknown result":           {"InterpretStatus", "assert: [result.stats == 1]", `a.yaml:4:16: assert[0]: there is no result "stats"; did you mean status?`},
		"an unknown argument":         {"InterpretStatus", "assert: [result.status == input.inputReplicas]", `there is no input "inputReplicas"`},
		"an error and a condition":    {"InterpretStatus", "expectError: {code: Type}\nassert: [has(result.status)]", "a case expects an answer or an error, not both"},
		"an error and ignored paths":  {"InterpretStatus", "expectError: {code: Type}\nignore: [status.a]", "a case that expects an error has no output"},
		"nothing but gas":             {"InterpretStatus", "maxGas: 10", "a case must have output, changes, expectSubset, assert or expectError"},
		"ignored without an output":   {"InterpretStatus", "expectSubset: {status: {}}\nignore: [status.a]", "a.yaml:5: ignore: it is for a case with output or changes"},
		"an ignored result":           {"InterpretStatus", "output: {status: {}}\nignore: [status]", "it is all of status"},
		"another ignored result":      {"InterpretStatus", "output: {status: {}}\nignore: [healthy.a]", "the path begins with the name of a result"},
		"an ignored path":             {"InterpretStatus", "output: {status: {}}\nignore: ['status.a[0']", "a bracket is not closed"},
		"an ignored path with dots":   {"InterpretStatus", "output: {status: {}}\nignore: [status..a]", "is no path"},
		"no gas":                      {"InterpretStatus", "output: {status: {}}\nmaxGas: 0", "want the gas that the script may take, from 1 on"},
		"no reason":                   {"InterpretStatus", "output: {status: {}}\nskip: ' '", "want the reason why the case is not run"},
		"a reason that is no text":    {"InterpretStatus", "output: {status: {}}\nskip: true", "want a string"},
		"a long condition":            {"InterpretStatus", "assert: ['has(result.status)" + strings.Repeat(" ", maxCondition) + "']", "want at most 4096"},
	} {
		all, err := Read(c, "a.yaml", []byte(filled(x.operation, "answer: 1", x.expected)))
		if err == nil || !strings.Contains(err.Error(), x.want) || len(all) > 0 {
			t.Errorf("%s: got %d cases, error %v; want an error with %q", name, len(all), err, x.want)
		}
	}
}

func TestConditionsWithEach(t *testing.T) {
	r := runnerOf(t)
	all, err := Read(r.Bundles[0].Compiler(), "a.yaml", []byte(`name: a
each: [1, 2]
desiredObj: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}, answer: {k: "${each}"}}
operation: InterpretStatus
assert: ["result.status.k == ${each}"]
`))
	if err != nil || len(all) != 2 {
		t.Fatalf("got %d cases, error %v", len(all), err)
	}
	for _, c := range all {
		if result := r.Run(c); !result.Passed() {
			t.Errorf("%s: got %s", c.Name, result.Failures[0].what())
		}
	}
}

func TestGasOfConditionsIsNotThatOfTheScript(t *testing.T) {
	r := runnerOf(t)
	run := func(expected string) (script, runner int64) {
		all, err := Read(r.Bundles[0].Compiler(), "a.yaml", []byte(filled("InterpretStatus", "answer: {k: 1}", expected)))
		if err != nil {
			t.Fatal(err)
		}
		before := r.Gas()
		return r.Run(all[0]).Gas, r.Gas() - before
	}
	script, _ := run("output: {status: {k: 1}}")
	same, all := run("assert: ['[1, 2, 3].all(i, result.status.k <= i)']")
	if same != script || all <= same {
		t.Errorf("the script took %d gas with a condition and %d without; with the condition %d", same, script, all)
	}
}

// triedWith returns the problems of the trial of the site with some cases, each in a file.
func triedWith(t *testing.T, texts ...string) error {
	t.Helper()
	files := map[string]string{}
	for i, text := range texts {
		files[fmt.Sprintf("%d.yaml", i)] = text
	}
	_, err := finish(trialOf(t, "function InterpretHealth(obj) return obj.answer end", files))
	return err
}

func TestTrialRunsAllExpectations(t *testing.T) {
	if err := triedWith(t, filled("InterpretStatus", "answer: {phase: Up, k: 1}", "maxGas: 1000\nexpectSubset: {status: {phase: Up}}\nassert: [result.status.k == 1]"),
		filled("InterpretStatus", "answer: 1", "skip: later\noutput: {status: 2}")); err != nil {
		t.Errorf("got %v; want none", err)
	}
	for name, c := range map[string]struct{ expected, want string }{
		"a condition":                     {"assert:\n- has(result.status)\n- result.status.phase == \"Down\"", `Site/testdata/0.yaml:6: a case: assert[1]: result.status.phase == "Down" is false; result.status.phase -> "Up"`},
		"a condition that does not parse": {"assert: [result.status =]", "Site/testdata/0.yaml:4:24: assert[0]: "},
		"a subset":                        {"expectSubset: {status: {phase: Down}}", `Site/testdata/0.yaml:1: a case: status.phase: want "Down", got "Up"`},
		"gas":                             {"maxGas: 1\noutput: {status: {phase: Up}}", "maxGas is 1"},
	} {
		if err := triedWith(t, filled("InterpretStatus", "answer: {phase: Up}", c.expected)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %s", name, err, c.want)
		}
	}
}

func TestTrialIsBoundedWithConditions(t *testing.T) {
	costly := "assert: ['" + strings.Repeat("[1,2,3,4,5,6,7,8,9,10].all(x, ", 5) + "result.status.k != x" + strings.Repeat(")", 5) + "']"
	var texts []string
	for range 60 {
		texts = append(texts, filled("InterpretStatus", "answer: {k: 20}", costly))
	}
	if err := triedWith(t, strings.Join(texts, "\n---\n")); err == nil || !strings.Contains(err.Error(), "over its budget") {
		t.Errorf("got %.200v; want that the trial is over its budget", err)
	}
}
