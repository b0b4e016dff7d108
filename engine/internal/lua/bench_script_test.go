// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// shipped reads a script of the repository with the modules of its bundle. It may be a
// module itself.
func shipped(t testing.TB, path string) Script {
	t.Helper()
	src := Script{File: path, Text: readScript(t, path), Strict: true, Params: []string{"failedRuns", "memoryUnits"}}
	bundle, _, _ := strings.Cut(path, "/")
	libs, err := filepath.Glob(filepath.Join("../../../scripts", bundle, "lib", "*.lua"))
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]Script{}
	for _, lib := range libs {
		file := bundle + "/lib/" + filepath.Base(lib)
		name := "lib." + strings.TrimSuffix(filepath.Base(lib), ".lua")
		modules[name] = Script{File: file, Text: readScript(t, file), Strict: true, Params: src.Params}
	}
	src.Modules = NewModules(modules, script.Limits{})
	if strings.Contains(path, "/lib/") {
		src.Module = "lib." + strings.TrimSuffix(filepath.Base(path), ".lua")
	}
	return src
}

func readScript(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../scripts", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// question is an operation on an object of real size.
type question struct {
	script, entry string
	args          []any
	take          decodeFunc
}

func questions() map[string]question {
	flink, deployment := realFlink(), realDeployment()
	settled := aggregated(deployment)
	return map[string]question{
		"flink components":     {"flink/lib/pods.lua", "components", []any{flink}, takeComponents},
		"flink aggregate":      {"flink/lib/job.lua", "aggregate", []any{flink, flinkItems()}, plainOnly},
		"flink health":         {"flink/lib/health.lua", "deployment", []any{flink}, plainOnly},
		"flink retain":         {"flink/lib/progress.lua", "retain", []any{flink, flink}, plainOnly},
		"deployment health":    {"kubernetes/Deployment/health.lua", "InterpretHealth", []any{deployment}, plainOnly},
		"deployment replicas":  {"kubernetes/lib/pods.lua", "replicas", []any{deployment}, takePlain},
		"deployment retain":    {"kubernetes/lib/retain.lua", "replicas", []any{deployment, deployment}, plainOnly},
		"deployment aggregate": {"kubernetes/lib/counts.lua", "sum", []any{deployment, deploymentItems()}, plainOnly},
		"deployment settled":   {"kubernetes/lib/counts.lua", "sum", []any{settled, deploymentItems()}, plainOnly},
	}
}

func takeComponents(r []any) error {
	_, err := decodeComponents(r[0])
	return err
}

// takePlain makes all results plain.
func takePlain(results []any) error {
	for _, r := range results {
		if _, err := script.Plain(r); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkScripts runs the scripts of the repository.
func BenchmarkScripts(b *testing.B) {
	for name, q := range questions() {
		b.Run(name, func(b *testing.B) {
			p, err := Compile(shipped(b, q.script), script.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			c := &script.Call{Entry: q.entry, Args: q.args, Params: map[string]any{}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Run(c, q.take); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
