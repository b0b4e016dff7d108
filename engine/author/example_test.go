// SPDX-License-Identifier: Apache-2.0

package author_test

import (
	"os"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
)

// A tool runs the cases of a bundle that it has in memory, and prints what came of them.
func Example() {
	files := fstest.MapFS{
		"cache/bundle.yaml": {Data: []byte(`apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: cache}
spec:
  description: Caches.
  kinds:
  - {group: cache.example.com, versions: [v1], kind: Cache}
`)},
		"cache/Cache/health.lua": {Data: []byte(`function InterpretHealth(obj)
  return kube.get(obj, "status.phase") == "Ready"
end
`)},
		"cache/Cache/testdata/cases.yaml": {Data: []byte(`name: a ready cache is healthy
observedObj: {apiVersion: cache.example.com/v1, kind: Cache, status: {phase: Ready}}
operation: InterpretHealth
output: {healthy: true}
---
name: a failed cache is healthy
observedObj: {apiVersion: cache.example.com/v1, kind: Cache, status: {phase: Failed}}
operation: InterpretHealth
output: {healthy: true}
`)},
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		panic(err)
	}
	plan, err := author.NewPlan(compiler, author.Selection{Files: files, Paths: []string{"cache"}})
	if err != nil {
		panic(err)
	}
	printer := author.Printer{Out: os.Stdout}
	report := plan.Run(printer.Case)
	printer.Summary(report)

	// Output:
	// ok   a ready cache is healthy (cache/Cache/testdata/cases.yaml:1)
	// FAIL a failed cache is healthy (cache/Cache/testdata/cases.yaml:6)
	//      healthy: want true, got false
	// 12 laws checked, 0 broken
	// 1 passed, 1 failed
}
