// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// How often a need fits is the same in thousandths as in exact arithmetic, whatever the format and
// the size of quantities.
func TestTimes(t *testing.T) {
	texts := []string{
		"0", "1", "7", "1500m", "1m", "3n", "250u", "100m", "1G", "1Gi", "64Gi", "1073741824", "1e3", "1.5", "-2", "-1500m", "9223372036854775807",
		"8Ei", "100E", "0.1", "1234567890123", "4611686018427387904m", "12e-4",
	}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() corev1.ResourceList {
		if r.IntN(8) == 0 {
			return nil
		}
		return corev1.ResourceList{"cpu": resource.MustParse(texts[r.IntN(len(texts))])}
	}
	fast := 0
	for range 20000 {
		unit := resource.MustParse(texts[r.IntN(len(texts))])
		d := newDemand(corev1.ResourceList{"cpu": unit}, 0)
		if len(d) == 0 {
			continue
		}
		s, taken := &clusterv1alpha1.ResourceSummary{Allocatable: pick(), Allocated: pick(), Allocating: pick()}, pick()
		if _, ok := freeMilli(s, taken, "cpu"); ok && d[0].milli > 0 {
			fast++
		}
		if got, want := d[0].times(s, taken), quotient(free(s, taken, "cpu"), unit); got != want {
			t.Fatalf("%s goes %d times into %v less %v, want %d", unit.String(), got, s, taken, want)
		}
	}
	if fast < 2000 {
		t.Errorf("only %d of 20000 were counted in thousandths", fast)
	}
}
