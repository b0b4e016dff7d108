// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const siteBase = `base:
  apiVersion: web.example/v1
  kind: Site
  metadata: {name: a, labels: {x: "1"}}
  answer: {a: [1, 2]}
---
`

// runAllOf reads and runs the cases of a text; each result is its name, and its failures after a colon.
func runAllOf(t *testing.T, text string) []string {
	t.Helper()
	all, err := Read(nil, "a.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	runner := runnerOf(t)
	var results []string
	for _, c := range all {
		results = append(results, c.Name+": "+describe(runner.Run(c).Failures))
	}
	return results
}

func TestBase(t *testing.T) {
	got := runAllOf(t, siteBase+`name: as it is
observedObj: {}
operation: InterpretStatus
output: {status: {a: [1, 2]}}
---
name: with another answer
observedObj: {answer: {state: up}}
operation: InterpretStatus
output: {status: {a: [1, 2], state: up}}
---
name: null removes
observedObj: {answer: null}
operation: InterpretStatus
output: {status: null}
---
name: both objects
desiredObj: {metadata: {labels: {x: null, y: "2"}}}
observedObj: {answer: 7}
operation: Retain
changes: {answer: 7}
---
name: another base
desiredObj: {}
operation: ReviseReplica
inputReplicas: 3
changes: {answer: 3}
---
base: {apiVersion: web.example/v1, kind: Site, metadata: {name: b}, answer: {b: 1}}
---
name: after it
observedObj: {answer: {c: 2}}
operation: InterpretStatus
output: {status: {b: 1, c: 2}}
`)
	for _, result := range got {
		if name, failures, _ := strings.Cut(result, ": "); failures != "" {
			t.Errorf("%s fails: %s", name, failures)
		}
	}
	if len(got) != 6 {
		t.Errorf("got %d cases: %q", len(got), got)
	}
}

func TestChangesFail(t *testing.T) {
	got := runAllOf(t, siteBase+`name: revised
desiredObj: {}
operation: ReviseReplica
inputReplicas: 3
changes: {answer: 4}
`)
	if want := []string{"revised: revised.answer 4 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEach(t *testing.T) {
	got := runAllOf(t, siteBase+`name: answers
each: [7, text, {b: [1]}]
observedObj: {answer: {a: null, is: "${each}"}}
operation: InterpretStatus
output: {status: {is: "${each}"}}
---
name: ${each.from} is ${each.to}
each:
- {from: up, to: true}
- {from: down, to: false}
observedObj: {answer: "${each.to}", metadata: {labels: {from: "it is ${each.from}: ${each.to}"}}}
operation: InterpretHealth
output: {healthy: "${each.to}"}
`)
	want := []string{"answers [7]: ", "answers [text]: ", `answers [{"b":[1]}]: `, "up is true: ", "down is false: "}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestCasesOfBaseThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a base that is no object":   {"base: {kind: Site}\n---\nname: x\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: 1}", "a.yaml:1: base: an object must have apiVersion"},
		"a base with another key":    {"base: {apiVersion: v1, kind: A}\nother: 1\n---\nname: x\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: 1}", `a.yaml:2: there is no key "other"`},
		"no base":                    {"name: x\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: 1}", "a.yaml:2: observedObj: an object must have apiVersion"},
		"changes of a status":        {siteBase + "name: x\nobservedObj: {}\noperation: InterpretStatus\nchanges: {status: 1}", "a.yaml:10: changes: InterpretStatus does not answer with its object; write output"},
		"changes and output":         {siteBase + "name: x\ndesiredObj: {}\noperation: ReviseReplica\ninputReplicas: 1\nchanges: {}\noutput: {revised: {}}", "changes: a case has output or changes, not both"},
		"changes and an error":       {siteBase + "name: x\ndesiredObj: {}\noperation: ReviseReplica\ninputReplicas: 1\nchanges: {}\nexpectError: {code: User}", "expectError: a case expects an answer or an error, not both"},
		"no row":                     {siteBase + "name: x\neach: []\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: 1}", "a.yaml:8: each: a list of at least one value is wanted"},
		"each that is no list":       {siteBase + "name: x\neach: 7\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: 1}", "a.yaml:8: each: want a list"},
		"a field that a row has not": {siteBase + "name: x\neach: [{a: 1}, {b: 1}]\nobservedObj: {answer: '${each.a}'}\noperation: InterpretStatus\noutput: {status: 1}", "each[1]: the value has no field a for ${each.a}"},
		"neither output nor changes": {siteBase + "name: x\nobservedObj: {}\noperation: InterpretStatus", "a case must have output, changes, expectSubset, assert or expectError"},
	} {
		if _, err := Read(nil, "a.yaml", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

// TestCopiesAreBounded reads small files that stand for a lot.
func TestCopiesAreBounded(t *testing.T) {
	base := "base: {apiVersion: v1, kind: A, list: {" + strings.Repeat("a%d: 1, ", 5000)
	keys := make([]any, 5000)
	for i := range keys {
		keys[i] = i
	}
	base = fmt.Sprintf(base, keys...) + "}}\n"
	one := "---\nname: x\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: 1}\n"
	for name, text := range map[string]string{
		"many cases of a large base": base + strings.Repeat(one, 100),
		"a long text in many places": siteBase + "name: x\neach: ['" + strings.Repeat("x", 100_000) + "']\nobservedObj: {answer: [" + strings.Repeat("'a${each}', ", 1000) + "]}\noperation: InterpretStatus\noutput: {status: 1}",
		"many rows of a large case":  siteBase + "name: x\neach: [" + strings.Repeat("1, ", 1000) + "]\nobservedObj: {answer: [" + strings.Repeat("1, ", 1000) + "]}\noperation: InterpretStatus\noutput: {status: 1}",
	} {
		if _, err := BundleReader(nil).Read("a.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "too large together") && !strings.Contains(err.Error(), "too many values") {
			t.Errorf("%s: got %.200v, want that they are too large together", name, err)
		}
	}
}
