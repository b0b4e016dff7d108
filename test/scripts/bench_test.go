// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// flinkJob is a FlinkDeployment with all that a component has.
const flinkJob = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: basic, namespace: test}
spec:
  image: flink:1.20
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}
  jobManager: {resource: {cpu: 1, memory: 2048m}}
  taskManager: {resource: {cpu: 1, memory: 2048m}}
  job: {parallelism: 10}
  podTemplate:
    spec:
      nodeSelector: {disktype: ssd, zone: us-west-1}
      tolerations: [{key: key1, operator: Equal, value: value1, effect: NoSchedule}]
      priorityClassName: high-priority
status: {jobStatus: {state: RUNNING}}
`

// BenchmarkSnapshot asks the shipped bundles as a controller does: dispatch, run and the
// answer in Go types.
func BenchmarkSnapshot(b *testing.B) {
	var content map[string]any
	if err := yaml.Unmarshal([]byte(flinkJob), &content); err != nil {
		b.Fatal(err)
	}
	v, object := interpreter(b).Snapshot(), (&unstructured.Unstructured{Object: content}).DeepCopy()
	for name, ask := range map[string]func() error{
		"flink components": func() error { _, err := v.Components(object); return err },
		"flink replicas":   func() error { _, err := v.Replicas(object); return err },
		"flink health":     func() error { _, err := v.Health(object); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
