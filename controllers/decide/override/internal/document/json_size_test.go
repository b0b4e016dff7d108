// SPDX-License-Identifier: Apache-2.0

package document

import (
	"runtime"
	"strings"
	"testing"
)

// allocated returns how many bytes reading a document of n numbers allocates.
func allocated(t *testing.T, n int) uint64 {
	t.Helper()
	text := "[" + strings.Repeat("12345,", n-1) + "12345]"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := parseJSON(text); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestParseJSONGrowsWithItsText compares two sizes: what copies the rest of the text at
// each number allocates four times as much for twice the text.
func TestParseJSONGrowsWithItsText(t *testing.T) {
	one, two := allocated(t, 8_000), allocated(t, 16_000)
	if two > 3*one {
		t.Errorf("%d bytes for 8,000 numbers, and %d for twice as many", one, two)
	}
}
