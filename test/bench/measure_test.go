// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestPattern(t *testing.T) {
	want := `^BenchmarkRun$/^flink_health,_has$|^BenchmarkDispatch$/^health$/^lua$|^BenchmarkA\.b$`
	if got := pattern([]string{"Run/flink_health,_has", "Dispatch/health/lua", "A.b"}); got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestBenchmarksAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range benchmarks() {
		if name == "" || seen[name] {
			t.Errorf("the name %q stands twice, or is empty", name)
		}
		seen[name] = true
	}
	for _, f := range figures {
		if !seen[f.bench] || f.inGo != "" && !seen[f.inGo] || f.less != "" && !seen[f.less] {
			t.Errorf("a benchmark of %s is not run", f.name)
		}
	}
}
