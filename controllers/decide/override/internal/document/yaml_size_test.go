// SPDX-License-Identifier: Apache-2.0

package document

import (
	"runtime"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// allocatedByTags returns how many bytes it takes to add an item to a list of n with tags.
func allocatedByTags(t *testing.T, n int) uint64 {
	t.Helper()
	text := "[" + strings.Repeat("!!str a, ", n) + "b]\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := EditYAML(budget.New(), text, []Operation{op(Add, "/-", `1`)}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestEditYAMLGrowsWithItsTags compares two sizes: what copies the rest of the text at each tag
// allocates four times as much for twice the text.
func TestEditYAMLGrowsWithItsTags(t *testing.T) {
	one, two := allocatedByTags(t, 5_000), allocatedByTags(t, 10_000)
	if two > 3*one {
		t.Errorf("%d bytes for 5,000 tags, and %d for twice as many", one, two)
	}
}
