// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parsed(results []result) []string {
	var lines []string
	for _, r := range results {
		line := "passed "
		if r.failed {
			line = "failed "
		}
		if r.outside {
			line += "outside "
		}
		lines = append(lines, line+r.name)
	}
	return lines
}

func TestParseReport(t *testing.T) {
	got, err := parseReport([]byte(`[{"SpecReports": [
		{"LeafNodeType": "BeforeSuite", "State": "passed"},
		{"LeafNodeType": "It", "ContainerHierarchyTexts": ["scheduling"], "LeafNodeText": "waits", "State": "passed"},
		{"LeafNodeType": "It", "LeafNodeText": "divides", "State": "failed"},
		{"LeafNodeType": "It", "LeafNodeText": "panics", "State": "panicked"},
		{"LeafNodeType": "It", "LeafNodeText": "is slow", "State": "timedout"},
		{"LeafNodeType": "It", "LeafNodeText": "is interrupted", "State": "interrupted"},
		{"LeafNodeType": "It", "LeafNodeText": "comes later", "State": "skipped"},
		{"LeafNodeType": "It", "LeafNodeText": "is not written", "State": "pending"},
		{"LeafNodeType": "DeferCleanup (Suite)", "State": "failed"}
	]}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"passed outside [BeforeSuite]", "passed scheduling waits", "failed divides", "failed panics", "failed is slow",
		"failed is interrupted", "failed outside [DeferCleanup (Suite)]",
	}
	if d := cmp.Diff(want, parsed(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := parseReport([]byte(`[{"SpecReports": [`)); err == nil {
		t.Error("half a report: got no error")
	}
}

func TestParseTests(t *testing.T) {
	for name, c := range map[string]struct {
		printed string
		specs   bool
		want    []string
	}{
		"results": {
			printed: "^=== RUN   TestA\n^--- PASS: TestA (0.00s)\n^=== RUN   TestB\n    b_test.go:9: no\n^--- FAIL: TestB (1.50s)\n^=== RUN   TestC\n^--- SKIP: TestC (0.00s)\n^FAIL\n",
			want:    []string{"passed TestA", "failed TestB"},
		},
		"a result after output without a line feed": {
			printed: "^=== RUN   TestA\nworking...^--- PASS: TestA (0.00s)\n^PASS\n",
			want:    []string{"passed TestA"},
		},
		"the subtests of a test that failed": {
			printed: "^=== RUN   TestA\n^=== RUN   TestA/one\n^=== RUN   TestA/two\n^=== NAME  TestA\n^--- FAIL: TestA (0.00s)\n^    --- PASS: TestA/one (0.00s)\n^    --- FAIL: TestA/two (0.00s)\n",
			want:    []string{"passed TestA/one", "failed TestA/two"},
		},
		"a test that failed beside its subtests": {
			printed: "^=== RUN   TestA\n^=== RUN   TestA/one\n^--- FAIL: TestA (0.00s)\n^    --- PASS: TestA/one (0.00s)\n",
			want:    []string{"failed TestA", "passed TestA/one"},
		},
		"a program that ended in a subtest": {
			printed: "^=== RUN   TestA\n^=== RUN   TestA/one\npanic: no\n",
			want:    []string{"failed TestA/one"},
		},
		"lines that a test prints": {
			printed: "^=== RUN   TestA\n--- FAIL: TestB (0.00s)\n^--- PASS: TestA (0.00s)\n",
			want:    []string{"passed TestA"},
		},
		"a suite whose specs have a report": {
			printed: "^=== RUN   TestA\n^--- PASS: TestA (0.00s)\n^=== RUN   TestSpecs\nRunning Suite: a - /a\n^--- FAIL: TestSpecs (0.00s)\n",
			specs:   true, want: []string{"passed TestA"},
		},
		"a suite that ended before it could report": {
			printed: "^=== RUN   TestSpecs\nRunning Suite: a - /a\npanic: no\n",
			want:    []string{"failed TestSpecs"},
		},
	} {
		got := parsed(parseTests(strings.ReplaceAll(c.printed, "^", "\x16"), c.specs))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
