// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// part is a part of the text of a case, and whether it is wrong whatever the rest is.
type part struct {
	text  string
	wrong bool
}

const (
	someDesired  = "desiredObj: {apiVersion: web.example/v1, kind: Site, spec: {replicas: 3}}\n"
	someObserved = "observedObj: {apiVersion: web.example/v1, kind: Site, status: {a: 1}}\n"
)

// objectParts are the objects of a case; their validity depends on the operation where they are not wrong.
func objectParts() map[string]part {
	return map[string]part{
		"none":                   {"", true},
		"desired":                {someDesired, false},
		"observed":               {someObserved, false},
		"both":                   {someDesired + someObserved, false},
		"null":                   {"desiredObj:\n", true},
		"both null":              {"desiredObj: null\nobservedObj: null\n", true},
		"observed null":          {someDesired + "observedObj: null\n", false},
		"desired null":           {"desiredObj: null\n" + someObserved, false},
		"a text":                 {"desiredObj: a\n", true},
		"a number":               {"observedObj: 1\n", true},
		"a list":                 {"desiredObj: [{apiVersion: v1, kind: Site}]\n", true},
		"false":                  {"desiredObj: false\n" + someObserved, true},
		"an empty map":           {"desiredObj: {}\n", true},
		"without apiVersion":     {"desiredObj: {kind: Site}\n", true},
		"kind of another type":   {"desiredObj: {apiVersion: v1, kind: [a]}\n" + someObserved, true},
		"observed without kind":  {someDesired + "observedObj: {apiVersion: v1}\n", true},
		"observed is a text":     {someDesired + "observedObj: a\n", true},
		"metadata is a text":     {"desiredObj: {apiVersion: v1, kind: Site, metadata: a, spec: [], status: 1}\n", false},
		"a version of its own":   {"desiredObj: {apiVersion: a/b/c, kind: Site}\n", false},
		"a list of objects":      {"desiredObj: {apiVersion: v1, kind: SiteList, items: [1]}\n", false},
		"both in other types":    {"desiredObj: [1]\nobservedObj: 2\n", true},
		"both without a kind":    {"desiredObj: {a: 1}\nobservedObj: {b: 1}\n", true},
		"one more, of no use":    {someDesired + someObserved + "oldObj: {}\n", true},
		"twice the same":         {someDesired + someDesired, true},
		"a patch without a base": {"desiredObj: {spec: {replicas: 4}}\n", true},
	}
}

// expectationParts are what a case expects.
func expectationParts(op engine.Operation) map[string]part {
	first := op.Results[0].Name
	return map[string]part{
		"nothing":                   {"", true},
		"changes":                   {"changes: {}\n", false},
		"changes of a field":        {"changes: {spec: {replicas: 4}, status: null}\n", false},
		"changes that are a list":   {"changes: [a]\n", true},
		"changes that are a text":   {"changes: a\n", true},
		"changes that are null":     {"changes: null\n", true},
		"changes that are false":    {"changes: false\n", true},
		"changes and output":        {"changes: {a: 1}\noutput: {" + first + ": null}\n", true},
		"changes and a subset":      {"changes: {a: 1}\nexpectSubset: {" + first + ": {a: 1}}\n", true},
		"changes and ignore":        {"changes: {a: 1}\nignore: [" + first + ".a]\n", false},
		"changes and a condition":   {"changes: {a: 1}\nassert: ['result." + first + " == null']\n", false},
		"changes and an error":      {"changes: {a: 1}\nexpectError: {code: User}\n", true},
		"an output":                 {"output: {" + first + ": null}\n", false},
		"an empty output":           {"output: {}\n", false},
		"an output that is a text":  {"output: a\n", true},
		"an output of no result":    {"output: {nothing: 1}\n", true},
		"an output and ignore":      {"output: {" + first + ": {a: 1}}\nignore: ['" + first + "[*].a']\n", false},
		"an output, ignored wrong":  {"output: {" + first + ": {a: 1}}\nignore: [" + first + "]\n", true},
		"ignore alone":              {"ignore: [" + first + ".a]\n", true},
		"ignore of no result":       {"output: {" + first + ": null}\nignore: [nothing.a]\n", true},
		"ignore that is a map":      {"output: {" + first + ": null}\nignore: {a: 1}\n", true},
		"ignore of a number":        {"changes: {}\nignore: [1]\n", true},
		"a subset":                  {"expectSubset: {" + first + ": null}\n", false},
		"a subset of nothing":       {"expectSubset: {}\n", true},
		"a subset that is a list":   {"expectSubset: [a]\n", true},
		"a condition":               {"assert: ['result." + first + " != null']\n", false},
		"a condition that is none":  {"assert: ['1 +']\n", true},
		"conditions that are a map": {"assert: {a: b}\n", true},
		"no conditions":             {"assert: []\n", true},
		"an error":                  {"expectError: {code: User, message: a}\n", false},
		"an error of no code":       {"expectError: {code: none}\n", true},
		"an error that is a list":   {"expectError: [a]\n", true},
		"an error that is empty":    {"expectError: {}\n", true},
		"an error with a pattern":   {"expectError: {message: '('}\n", true},
	}
}

// otherParts are the other keys of a case. Each is an argument that some operation reads, or none.
var otherParts = map[string]part{
	"nothing":                    {"", false},
	"items":                      {"statusItems: [{clusterName: m, status: {a: 1}}]\n", false},
	"items that are a map":       {"statusItems: {a: 1}\n", true},
	"items of texts":             {"statusItems: [a, null, 1]\n", true},
	"items with other types":     {"statusItems: [{clusterName: [], applied: a, health: 1}]\n", true},
	"a status that is a text":    {"statusItems: [{clusterName: m, status: a}]\n", false},
	"replicas":                   {"inputReplicas: 3\n", false},
	"negative replicas":          {"inputReplicas: -1\n", true},
	"replicas that are a text":   {"inputReplicas: a\n", true},
	"a half replica":             {"inputReplicas: 0.5\n", true},
	"a division":                 {"division: {cluster: a, shares: [{name: a, replicas: 1}]}\n", false},
	"a division that is a list":  {"division: [a]\n", true},
	"a division without shares":  {"division: {cluster: a}\n", true},
	"shares of another type":     {"division: {cluster: a, shares: [{name: a, replicas: b}, 1]}\n", true},
	"a state":                    {"state: {a: b}\n", false},
	"a state that is a list":     {"state: [a]\n", true},
	"a state of numbers":         {"state: {a: 1}\n", true},
	"failover":                   {"failover: true\n", false},
	"failover that is a text":    {"failover: a\n", true},
	"related":                    {"related: [{apiVersion: v1, kind: Pod}]\n", false},
	"related that are texts":     {"related: [a, null]\n", true},
	"related that is a map":      {"related: {apiVersion: v1, kind: Pod}\n", true},
	"parameters":                 {"parameters: {mark: a}\n", false},
	"parameters of other types":  {"parameters: {mark: [a]}\n", true},
	"parameters that are a list": {"parameters: [mark]\n", true},
	"skip":                       {"skip: why\n", false},
	"skip without a reason":      {"skip: ' '\n", true},
	"skip that is a boolean":     {"skip: true\n", true},
	"a bound":                    {"maxGas: 100\n", false},
	"a bound of nothing":         {"maxGas: 0\n", true},
	"a bound that is a text":     {"maxGas: a\n", true},
	"a description of a number":  {"description: 1\n", true},
	"rows":                       {"each: [{a: 1}, 2]\n", false},
	"rows that are null":         {"each: null\n", true},
	"rows that are a map":        {"each: {a: 1}\n", true},
	"no rows":                    {"each: []\n", true},
	"an unknown key":             {"outputs: {}\n", true},
}

// baseParts stand before a case.
var baseParts = map[string]part{
	"none":                      {"", false},
	"a base":                    {siteBase, false},
	"an empty base":             {"base:\n---\n", true},
	"a text as base":            {"base: a\n---\n", true},
	"a base that is incomplete": {"base: {kind: Site, spec: {replicas: 1}}\n---\n", true},
	"a base with another key":   {"base: {apiVersion: v1, kind: Site}\nname: a\n---\n", true},
}

// documentOf is the text of a case of an operation from its parts, and whether one of them is wrong.
func documentOf(op string, parts ...part) (text string, wrong bool) {
	text = parts[0].text + "name: a case\noperation: " + op + "\n"
	for _, p := range parts[1:] {
		text += p.text
	}
	for _, p := range parts {
		wrong = wrong || p.wrong
	}
	return text, wrong
}

// mustRead reads a text. A case that it returns has its objects; where it is wrong the errors have their line.
func mustRead(t *testing.T, r *Reader, text string, wrong bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("a panic: %v\n%s", p, text)
		}
	}()
	all, err := r.Read("a.yaml", []byte(text))
	if err == nil && wrong {
		t.Errorf("no error of\n%s", text)
	}
	for _, c := range all {
		if c.Question.Object == nil || c.Question.Object.Object == nil || c.Line < 1 {
			t.Errorf("a case without an object or a line, of\n%s", text)
		}
		_ = c.Kind()
	}
	problems := []error{err}
	if several, ok := errors.AsType[*yamldoc.Problems](err); ok {
		problems = several.Unwrap()
	}
	for _, p := range problems {
		if p != nil && (!strings.HasPrefix(p.Error(), "a.yaml:") || strings.HasPrefix(p.Error(), "a.yaml: ") || strings.Contains(p.Error(), "defect")) {
			t.Errorf("got error %v of\n%s", p, text)
		}
	}
}

// Before, changes with the object forgotten, null, or one too many were a nil pointer: what is expected was read of
// a case whose objects are wrong.
func TestEachCombinationOfPartsIsReadOrRefusedWithItsLine(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	r := fileReader(compiler) // keeps the conditions that it compiled
	for _, op := range engine.Operations() {
		for _, objects := range objectParts() {
			for name, expectation := range expectationParts(op) {
				for _, base := range baseParts {
					if base.text != "" && !strings.HasPrefix(name, "changes") {
						continue // nothing else is made of the objects
					}
					text, wrong := documentOf(string(op.Name), base, objects, expectation)
					if base.text != "" && !base.wrong {
						wrong = expectation.wrong // objects are patches on the base
					}
					r.renew()
					mustRead(t, r, text, wrong)
				}
			}
			for _, other := range otherParts {
				text, wrong := documentOf(string(op.Name), part{}, objects, part{text: "changes: {a: 1}\n"}, other)
				r.renew()
				mustRead(t, r, text, wrong)
			}
		}
	}
}

// renew returns the budgets of a reader to those of a new one, with the conditions that it compiled.
func (r *Reader) renew() {
	r.yaml, r.full, r.patterns, r.instructions, r.sources, r.gas = fileReader(nil).yaml, false, 0, 0, 0, 0
}

func TestAnOperationOrANameThatIsWrongIsRefusedWithItsLine(t *testing.T) {
	for _, head := range []string{
		"name: a\n", "operation: Retain\n", "name: 1\noperation: Retain\n", "name: a\noperation: 1\n", "name: a\noperation: retains\n",
		"name: a\noperation: [Retain]\n", "name:\noperation:\n", "name: a\noperation: ''\n",
	} {
		for _, expectation := range expectationParts(engine.Operations()[0]) {
			mustRead(t, fileReader(nil), someDesired+head+expectation.text, true)
		}
	}
}

// FuzzRead is seeded with a case of each operation for each expectation: with changes, and without its object.
func FuzzRead(f *testing.F) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		f.Fatal(err)
	}
	for _, op := range engine.Operations() {
		for _, expectation := range expectationParts(op) {
			for _, objects := range []string{"both", "none", "desired", "observed null"} {
				text, _ := documentOf(string(op.Name), part{}, objectParts()[objects], expectation)
				f.Add(text)
			}
		}
	}
	for _, other := range otherParts {
		f.Add(siteBase + "name: a\noperation: ReviseReplica\ndesiredObj: {}\nchanges: {}\n" + other.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		all, err := Read(compiler, "a.yaml", []byte(text))
		for _, c := range all {
			if c.Line < 1 || c.Line > lines || c.Question.Object == nil {
				t.Errorf("line %d of %d, object %v", c.Line, lines, c.Question.Object)
			}
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "a.yaml:") || strings.Contains(fmt.Sprint(err), "defect")) {
			t.Errorf("an error without a place, or a defect: %v", err)
		}
	})
}
