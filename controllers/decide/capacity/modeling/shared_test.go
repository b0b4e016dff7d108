// SPDX-License-Identifier: Apache-2.0

package modeling

import (
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestLedgerIsSafeForManyGoroutines shares the lists of resources too, of which some
// quantities are too large for an int64 and are pointers inside.
func TestLedgerIsSafeForManyGoroutines(t *testing.T) {
	var l Ledger
	large := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("9E")}
	small := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("20.123456789E")}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for round := range 50 {
				node := fmt.Sprintf("n-%d", (g+round)%5)
				l.SetNode(node, large, round%3 > 0)
				l.ReplacePod(nil, &Pod{node, small})
				l.Count(nil)
				l.ReplacePod(&Pod{node, small}, nil)
				if round%7 == 0 {
					l.RemoveNode(node)
				}
			}
		})
	}
	wait.Wait()
}
