// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// shipped reads a script of the repository with the modules of its bundle.
func shipped(t testing.TB, path string) Script {
	t.Helper()
	src := Script{File: path, Text: readScript(t, path), Modules: map[string]Script{}, Strict: true, Params: []string{"memoryUnits"}}
	bundle, _, _ := strings.Cut(path, "/")
	libs, err := filepath.Glob(filepath.Join("../../../scripts", bundle, "lib", "*.lua"))
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range libs {
		file := bundle + "/lib/" + filepath.Base(lib)
		name := "lib." + strings.TrimSuffix(filepath.Base(lib), ".lua")
		src.Modules[name] = Script{File: file, Text: readScript(t, file)}
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
		"flink components":     {"flink/FlinkDeployment/components.lua", "GetComponents", []any{flink}, takeComponents},
		"flink aggregate":      {"flink/FlinkDeployment/aggregate.lua", "AggregateStatus", []any{flink, flinkItems()}, plainOnly},
		"flink health":         {"flink/FlinkDeployment/health.lua", "InterpretHealth", []any{flink}, plainOnly},
		"flink retain":         {"flink/FlinkDeployment/retain.lua", "Retain", []any{flink, flink}, plainOnly},
		"deployment health":    {"kubernetes/Deployment/health.lua", "InterpretHealth", []any{deployment}, plainOnly},
		"deployment replicas":  {"kubernetes/Deployment/replicas.lua", "GetReplicas", []any{deployment}, takePlain},
		"deployment retain":    {"kubernetes/Deployment/retain.lua", "Retain", []any{deployment, deployment}, plainOnly},
		"deployment aggregate": {"kubernetes/Deployment/aggregate.lua", "AggregateStatus", []any{deployment, deploymentItems()}, plainOnly},
		"deployment settled":   {"kubernetes/Deployment/aggregate.lua", "AggregateStatus", []any{settled, deploymentItems()}, plainOnly},
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
