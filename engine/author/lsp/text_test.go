// SPDX-License-Identifier: Apache-2.0

package lsp

import "testing"

func TestPositionsCountUTF16(t *testing.T) {
	text := "ab\r\né𝄞c\rd\n"
	tests := map[string]struct {
		at     position
		offset int
		// back is the position of the offset, where it is another one.
		back *position
	}{
		"the start":                     {at: position{0, 0}, offset: 0},
		"within a line":                 {at: position{0, 1}, offset: 1},
		"the end of a line":             {at: position{0, 2}, offset: 2},
		"behind the end of a line":      {at: position{0, 9}, offset: 2, back: &position{0, 2}},
		"the second line":               {at: position{1, 0}, offset: 4},
		"behind two bytes":              {at: position{1, 1}, offset: 6},
		"within a pair":                 {at: position{1, 2}, offset: 6, back: &position{1, 1}},
		"behind a pair":                 {at: position{1, 3}, offset: 10},
		"behind a carriage return":      {at: position{2, 0}, offset: 12},
		"the last line":                 {at: position{3, 0}, offset: 14},
		"a line that is not there":      {at: position{7, 3}, offset: 14, back: &position{3, 0}},
		"the largest line there may be": {at: position{1<<31 - 1, 1<<31 - 1}, offset: 14, back: &position{3, 0}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := offsetAt(text, test.at); got != test.offset {
				t.Errorf("offsetAt(%v): %d; want %d", test.at, got, test.offset)
			}
			want := test.at
			if test.back != nil {
				want = *test.back
			}
			if got := positionAt(text, test.offset); got != want {
				t.Errorf("positionAt(%d): %v; want %v", test.offset, got, want)
			}
		})
	}
}

func at(startLine, start, endLine, end int) *textRange {
	return &textRange{position{startLine, start}, position{endLine, end}}
}

func TestChangesApplyInTheirOrder(t *testing.T) {
	tests := map[string]struct {
		changes []change
		want    string
		fails   bool
	}{
		"an insertion":              {changes: []change{{at(0, 1, 0, 1), "x"}}, want: "axé\n𝄞b\n"},
		"a deletion over lines":     {changes: []change{{at(0, 1, 1, 2), ""}}, want: "ab\n"},
		"one after the other":       {changes: []change{{at(0, 0, 0, 0), "1\n"}, {at(1, 0, 1, 2), "2"}}, want: "1\n2\n𝄞b\n"},
		"the whole, and a part":     {changes: []change{{nil, "new"}, {at(0, 3, 0, 3), "er"}}, want: "newer"},
		"at the end":                {changes: []change{{at(2, 0, 2, 0), "c"}}, want: "aé\n𝄞b\nc"},
		"behind the end":            {changes: []change{{at(9, 0, 9, 9), "c"}}, want: "aé\n𝄞b\nc"},
		"a range that ends earlier": {changes: []change{{nil, "lost"}, {at(1, 0, 0, 0), "c"}}, want: "aé\n𝄞b\n", fails: true},
		"a negative position":       {changes: []change{{at(-1, 0, 0, 0), "c"}}, want: "aé\n𝄞b\n", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := applied("aé\n𝄞b\n", test.changes)
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("applied: %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// FuzzChange has no change break a text into what is no UTF-8, or stop the server.
func FuzzChange(f *testing.F) {
	f.Add("a\r\né𝄞\r", 1, 1, 1, 2, "x")
	f.Fuzz(func(t *testing.T, text string, startLine, start, endLine, end int, inserted string) {
		after, err := applied(text, []change{{at(startLine, start, endLine, end), inserted}})
		if err != nil && after != text {
			t.Errorf("a change that fails makes %q of %q", after, text)
		}
		if err == nil && len(after) < len(inserted) {
			t.Errorf("%q of %q is lost", inserted, after)
		}
	})
}
