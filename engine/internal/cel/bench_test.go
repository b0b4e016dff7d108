// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func BenchmarkRun(b *testing.B) {
	object := plain(b, flinkDeployment)
	status := plain(b, `{"status": {"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2, "availableReplicas": 2, "observedGeneration": 3, "generation": 3}}`)
	benchmarks := []struct {
		name, source string
		names        []string
		args         []any
	}{
		{"literal", `true`, []string{"object"}, []any{object}},
		{"flink health, has", flinkHealthHas, []string{"object"}, []any{object}},
		{"flink health, optional", flinkHealthOptional, []string{"object"}, []any{object}},
		{"flink components", flinkComponents, []string{"object"}, []any{object}},
		{"deployment status of 3", deploymentStatus, []string{"object", "items"}, []any{plain(b, deployment), []any{status, status, status}}},
	}
	c := compiler(b)
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			p, err := c.Compile("bench.cel", bm.source, typed(bm.names...), script.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			call := &script.Call{Names: bm.names, Args: bm.args, Now: noon}
			var got decoder
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Run(call, &got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	c := compiler(b)
	for b.Loop() {
		if _, err := c.Compile("bench.cel", flinkHealthHas, dyn("object"), script.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(nil); err != nil {
			b.Fatal(err)
		}
	}
}
