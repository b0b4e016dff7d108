// SPDX-License-Identifier: Apache-2.0

package author

import "testing"

func TestMissedLinesAreJoined(t *testing.T) {
	for _, c := range []struct {
		lines []int
		want  string
	}{
		{nil, ""},
		{[]int{7}, "7"},
		{[]int{1, 2, 3, 7, 9, 10}, "1-3, 7, 9-10"},
	} {
		if got := ranges(c.lines); got != c.want {
			t.Errorf("%v: got %q; want %q", c.lines, got, c.want)
		}
	}
}
