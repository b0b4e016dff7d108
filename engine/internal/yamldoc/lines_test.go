// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"fmt"
	"strings"
	"testing"
)

func TestLinesFrom(t *testing.T) {
	long := strings.Repeat("ä", 100) + "b" + strings.Repeat("c", 100)
	lines := NewLines([]byte("abc\n\n" + long))
	for _, c := range []struct {
		line, column int
		want         string
	}{
		{1, 1, "abc"},
		{1, 3, "c"},
		{1, 4, ""},
		{2, 1, ""},
		{3, 1, long},
		{3, 101, "b" + strings.Repeat("c", 100)},
		{3, 201, "c"},
		{3, 202, ""},
		{3, 999, ""},
		{0, 1, ""},
		{4, 1, ""},
		{1, 0, ""},
	} {
		if got := lines.from(c.line, c.column); got != c.want {
			t.Errorf("%d:%d: got %q; want %q", c.line, c.column, got, c.want)
		}
	}
}

// Before, the whole line was read for each text on it: 12,000 conditions on one line took more than 12 s.
func TestManyTextsOnALineArePlacedInOnePass(t *testing.T) {
	const n = 12_000
	text := "a: [" + strings.Repeat("result.healthy==false, ", n) + "]\n"
	nodes, err := Read("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	lines, last := NewLines([]byte(text)), ""
	err = nodes[0].Get("a").Items(func(item Node) error {
		s := item.TextPlaces(lines).segments
		last = fmt.Sprint(s)
		return nil
	})
	if want := fmt.Sprintf("[{0 1 %d}]", 5+23*(n-1)); err != nil || last != want {
		t.Errorf("the last one stands at %s, error %v; want %s", last, err, want)
	}
	if most := len(text) + n*charactersPerMark; lines.steps > most {
		t.Errorf("passed %d characters; want at most %d for a line of %d", lines.steps, most, len(text))
	}
}
