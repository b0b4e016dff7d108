// SPDX-License-Identifier: Apache-2.0

package script

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"health", "status", "replicas"}
	for name, want := range map[string]string{
		"helth": "health", "HEALTH": "health", "replica": "replicas", "statsu": "status", "helath": "health", "h": "", "image": "", "": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q; want %q", name, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"helth", []string{"health", "status"}, `there is no operation "helth"; did you mean health?`},
		{"x", []string{"health", "status"}, `there is no operation "x"; known are health, status`},
		{"x", nil, `there is no operation "x"; there are none`},
	} {
		if got := Unknown("operation", c.name, c.known); got != c.want {
			t.Errorf("got %q; want %q", got, c.want)
		}
	}
}

// A name too long to be compared is near to none, and of many names only the first are
// compared: both took as long as a script makes them.
func TestNearestIsBounded(t *testing.T) {
	long := strings.Repeat("a", longestNear)
	for name, c := range map[string]struct {
		name, want string
		known      []string
	}{
		"at the bound":        {long, "a" + long[:longestNear-2] + "b", []string{"a" + long[:longestNear-2] + "b"}},
		"a name above it":     {long + "a", "", []string{long}},
		"a known one above":   {long, "", []string{long + "a"}},
		"the last that count": {"health", "helth", append(numbered(mostNear-1), "helth")},
		"the one after":       {"health", "", append(numbered(mostNear), "helth")},
	} {
		if got := Nearest(c.name, c.known); got != c.want {
			t.Errorf("%s: got %q; want %q", name, got, c.want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { Nearest("Health", []string{"Helth", "status"}) }); n != 0 {
		t.Errorf("%v allocations; want none", n)
	}
}

// The band around the diagonal and the early end change no answer.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = "abC"[r.IntN(3)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b, limit := word(), word(), 1+r.IntN(8)
		want := min(wholeDistance(strings.ToLower(a), strings.ToLower(b)), limit)
		if got := distance(a, b, limit); got != want {
			t.Fatalf("distance(%q, %q, %d) = %d; want %d", a, b, limit, got, want)
		}
	}
}

// wholeDistance is distance without limit.
func wholeDistance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = d[i-1][j-1] + 1
			}
			d[i][j] = min(d[i][j], d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// A message lists as many names as it has room for.
func TestUnknownIsBounded(t *testing.T) {
	got := Unknown("field", strings.Repeat("x", 100_000), append(numbered(1000), strings.Repeat("y", 100_000)))
	if len(got) > 600 || !strings.HasSuffix(got, " more") || !strings.Contains(got, strings.Repeat("x", longestNear)+"...\"") {
		t.Errorf("got %d bytes: %s", len(got), got[:min(len(got), 600)])
	}
	got = Unknown("field", "x", []string{strings.Repeat("ä", 50_000)})
	if want := `there is no field "x"; known are ` + strings.Repeat("ä", longestNear/2) + "..."; got != want {
		t.Errorf("got %.600s; want %s", got, want)
	}
}

// numbered returns n names that are near to no word.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(100_000 + i)
	}
	return slices.Clip(names)
}
