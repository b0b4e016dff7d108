// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

// BenchmarkAccuratePodRequirements has a template as workloads have it: a
// container with a sidecar and an init container.
func BenchmarkAccuratePodRequirements(b *testing.B) {
	args := template(object(
		"containers", []any{
			container(object("cpu", "500m", "memory", "1Gi"), object("cpu", "2", "memory", "2Gi")),
			container(object("cpu", "100m", "memory", "128Mi"), object("memory", "256Mi")),
		},
		"initContainers", []any{container(object("cpu", "50m", "memory", "64Mi"), nil)},
		"nodeSelector", object("kubernetes.io/os", "linux"),
	))
	call := accuratePodRequirements(podTemplate).Call
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := call(args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSumStatus(b *testing.B) {
	status := func() any {
		return object("replicas", int64(3), "readyReplicas", int64(3), "updatedReplicas", int64(3), "availableReplicas", int64(2))
	}
	args := []any{
		reports(status(), status(), status(), status()),
		fields("replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "unavailableReplicas"), object("phase", "Up"),
	}
	call := sumStatus().Call
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := call(args); err != nil {
			b.Fatal(err)
		}
	}
}
