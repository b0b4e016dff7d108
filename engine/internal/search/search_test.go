// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestIndexAsStrings compares with package strings over texts of two letters, in which
// needles have periods and nearly match everywhere.
func TestIndexAsStrings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n, letters int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a' + byte(random.IntN(letters))
		}
		return string(b)
	}
	for range 20_000 {
		unit := text(1+random.IntN(80), 1+random.IntN(3))
		needle := strings.Repeat(unit, 1+200/len(unit)) + text(random.IntN(3), 2)
		hay := text(random.IntN(50), 2) + strings.Repeat(unit, random.IntN(20)) + text(random.IntN(3), 2)
		if random.IntN(2) == 0 {
			hay += needle + hay
		}
		if random.IntN(4) == 0 && len(hay) > fewBytes {
			i := random.IntN(len(hay) - fewBytes + 1)
			needle = hay[i : i+fewBytes+random.IntN(len(hay)-i-fewBytes+1)]
		}
		if got, want := Index(hay, needle), strings.Index(hay, needle); got != want {
			t.Fatalf("Index(%q, %q) = %d, want %d", hay, needle, got, want)
		}
		if got, want := Count(hay, needle), strings.Count(hay, needle); got != want {
			t.Fatalf("Count(%q, %q) = %d, want %d", hay, needle, got, want)
		}
	}
}

func TestIndexAtTheEdges(t *testing.T) {
	long := strings.Repeat("ab", 100)
	tests := []struct {
		text, needle string
		want         int
	}{
		{"", "", 0},
		{"abc", "", 0},
		{"", "a", -1},
		{"abc", "c", 2},
		{long, long, 0},
		{long[1:], long, -1},
		{"b" + long, long, 1},
		{long + long, long[1:] + "a", 1},
		{strings.Repeat("a", 500), strings.Repeat("a", 400), 0},
		{strings.Repeat("a", 500), strings.Repeat("a", 400) + "b", -1},
		{strings.Repeat("a", 500), "b" + strings.Repeat("a", 400), -1},
	}
	for _, test := range tests {
		if got := Index(test.text, test.needle); got != test.want {
			t.Errorf("Index(%q, %q) = %d, want %d", test.text, test.needle, got, test.want)
		}
	}
}

// BenchmarkIndex searches a megabyte: for what is not there, for what has the hash of
// each place in package strings, and for what nearly matches everywhere.
func BenchmarkIndex(b *testing.B) {
	a := strings.Repeat("a", 1<<20)
	for name, needle := range map[string]string{
		"Absent":  strings.Repeat("xyz", 50),
		"Hashed":  strings.Repeat("a", 1<<18) + "lxAdaaZk",
		"Nearly":  strings.Repeat("a", 1<<18) + "b",
		"Halved":  strings.Repeat("a", 1<<18) + "b" + strings.Repeat("a", 1<<18),
		"Longest": a[1:] + "b",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Index(a, needle)
			}
		})
	}
}
