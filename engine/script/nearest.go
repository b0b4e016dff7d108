// SPDX-License-Identifier: Apache-2.0

package script

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// longestNear is the length in bytes of the longest name that is compared with
	// others: comparing takes the product of two lengths.
	longestNear = 64
	// mostNear is how many names one is compared with.
	mostNear = 500
	// mostListed is how many bytes of known names a message lists.
	mostListed = 400
)

// Nearest returns the name among known that was probably meant by name, or "" where
// none is near. Case does not count; a third of the letters may differ. A name of more
// than 64 bytes is near to none, and only the first 500 of known count.
func Nearest(name string, known []string) string {
	if len(name) > longestNear {
		return ""
	}
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known[:min(len(known), mostNear)] {
		if len(k) > longestNear {
			continue
		}
		if d := distance(name, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with the next
// to make b of a, at most limit. Neither is longer than longestNear. What is limit or
// more off the diagonal of the matrix cannot be part of a shorter way, and is left out.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var rows [3][longestNear + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range row {
		row[j] = min(j, limit)
	}
	for i := range len(a) {
		before, last, row = last, row, before
		from, to := max(0, i-limit), min(len(b), i+limit)
		row[from] = limit
		if from == 0 {
			row[0] = min(i+1, limit)
		}
		least := row[from]
		for j := from; j < to; j++ {
			row[j+1] = min(step(a, b, i, j, before, last, row), limit)
			least = min(least, row[j+1])
		}
		if to < len(b) {
			row[to+1] = limit
		}
		if least >= limit {
			return limit
		}
	}
	return row[len(b)]
}

// step is the distance of a[:i+1] and b[:j+1] from those of shorter ones.
func step(a, b string, i, j int, before, last, row *[longestNear + 1]int) int {
	cost := last[j]
	if fold(a[i]) != fold(b[j]) {
		cost++
	}
	if i > 0 && j > 0 && fold(a[i]) == fold(b[j-1]) && fold(a[i-1]) == fold(b[j]) {
		cost = min(cost, before[j-1]+1)
	}
	return min(cost, last[j+1]+1, row[j]+1)
}

// fold returns a letter in lower case.
func fold(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// Unknown reports whether name is none of known, and which one was probably meant: there
// is no operation "helth"; did you mean health? It lists the known ones as far as a
// message has room for them.
func Unknown(what, name string, known []string) string {
	message := "there is no " + what + " \"" + cut(name) + "\"; "
	switch near := Nearest(name, known); {
	case near != "":
		return message + "did you mean " + near + "?"
	case len(known) == 0:
		return message + "there are none"
	}
	return message + "known are " + List(known)
}

// List joins names with commas as far as a message has room for them, and ends with the
// number of those that are left out.
func List(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if b.Len() > mostListed {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cut(name))
	}
	return b.String()
}

// cut returns a name cut to longestNear bytes, between two characters.
func cut(name string) string {
	if len(name) <= longestNear {
		return name
	}
	end := longestNear
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "..."
}
