// SPDX-License-Identifier: Apache-2.0

package division

import (
	"fmt"
	"testing"
)

// BenchmarkDivide divides replicas over 100 clusters of different weights.
func BenchmarkDivide(b *testing.B) {
	for _, replicas := range []int64{10, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("replicas=%d", replicas), func(b *testing.B) {
			parties := make([]*Party, 100)
			for i := range parties {
				parties[i] = &Party{Name: fmt.Sprint(i), Weight: int64(i + 1)}
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range parties {
					p.Seats = 0
				}
				Divide(replicas, parties)
			}
		})
	}
}
