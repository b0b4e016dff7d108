// SPDX-License-Identifier: Apache-2.0

package script

import "strings"

// Nearest returns the name among known that was probably meant by name, or "" where
// none is near. Case does not count; a third of the letters may differ.
func Nearest(name string, known []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with the next
// to make b of a. From limit on the exact number does not matter.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Unknown reports whether name is none of known, and which one was probably meant: there
// is no operation "helth"; did you mean health?
func Unknown(what, name string, known []string) string {
	message := "there is no " + what + " \"" + name + "\"; "
	switch near := Nearest(name, known); {
	case near != "":
		return message + "did you mean " + near + "?"
	case len(known) == 0:
		return message + "there are none"
	}
	return message + "known are " + strings.Join(known, ", ")
}
