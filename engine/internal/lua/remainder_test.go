// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRemainder compares with math.Mod over floats of all exponents.
func TestRemainder(t *testing.T) {
	floats := []float64{
		0, math.Copysign(0, -1), 1, -1, 3, 0.1, 1 << 53, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64,
		2.2250738585072014e-308, 2.225073858507201e-308, 3.3e-308, math.Inf(1), math.Inf(-1), math.NaN(),
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		floats = append(floats, math.Float64frombits(random.Uint64()))
	}
	for _, x := range floats {
		for _, y := range floats {
			got, want := remainder(x, y), math.Mod(x, y)
			if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("remainder(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

func BenchmarkRemainder(b *testing.B) {
	for name, f := range map[string]func(x, y float64) float64{"Here": remainder, "Math": math.Mod} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(1e308, 3.3e-308)
			}
		})
		b.Run(name+"Near", func(b *testing.B) {
			for b.Loop() {
				f(12.5, 0.7)
			}
		})
	}
}
