// SPDX-License-Identifier: Apache-2.0

package diag

import "testing"

func TestSpanCountsAsEditorsDo(t *testing.T) {
	tests := map[string]struct {
		line       string
		column     int
		expression string
		start, end int
	}{
		"a word":                         {line: "return phse", column: 8, start: 7, end: 11},
		"a word behind other letters":    {line: `local a = "é𝄞" .. b`, column: 23, start: 19, end: 20},
		"an expression":                  {line: "a.b.c + 1", column: 1, expression: "a.b.c", start: 0, end: 5},
		"an expression that is not here": {line: "a.b + 1", column: 1, expression: "a.b.c", start: 0, end: 1},
		"a character":                    {line: "a + ((", column: 5, start: 4, end: 5},
		"no column":                      {line: "  a b \r", column: 0, start: 2, end: 5},
		"a column behind the line":       {line: " a", column: 9, start: 1, end: 2},
		"an empty line":                  {line: "", column: 1, start: 0, end: 0},
		"what is no UTF-8":               {line: "\xff a", column: 3, start: 2, end: 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if start, end := Span(test.line, test.column, test.expression); start != test.start || end != test.end {
				t.Errorf("Span(%q, %d): %d to %d; want %d to %d", test.line, test.column, start, end, test.start, test.end)
			}
		})
	}
}
