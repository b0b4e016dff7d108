// SPDX-License-Identifier: Apache-2.0

// Package search finds one text in another in time that is linear in both, whatever
// they hold. The functions of package strings are not: beyond short needles they fall
// back to a hash without a seed, and a text in which each place has the hash of the
// needle makes them compare all of it at each place.
package search

import "strings"

// fewBytes is the length of a needle from which on comparing it at each place is too
// much. Below it, strings.Index is as good as linear: each place costs a comparison of
// a few bytes at most.
const fewBytes = 64

// Index returns the index of the first needle in text, or -1. It takes no memory.
func Index(text, needle string) int {
	switch {
	case len(needle) > len(text):
		return -1
	case len(needle) < fewBytes:
		return strings.Index(text, needle)
	}
	return twoWay(text, needle)
}

// Count returns how many times needle, which is not empty, stands in text without
// overlap.
func Count(text, needle string) int {
	if len(needle) < fewBytes {
		return strings.Count(text, needle)
	}
	for n := 0; ; n++ {
		i := Index(text, needle)
		if i < 0 {
			return n
		}
		text = text[i+len(needle):]
	}
}

// twoWay is the algorithm of Crochemore and Perrin (Two-way string-matching, 1991). It
// cuts the needle where its right part can be compared forwards and its left part
// backwards without a look at any byte of the text more than twice.
func twoWay(text, needle string) int {
	cut, period := factorize(needle)
	periodic := strings.HasPrefix(needle[period:], needle[:cut])
	if !periodic {
		period = max(cut, len(needle)-cut) + 1
	}
	// known is how many bytes of the needle are known to match at the place.
	known := 0
	for at := 0; at <= len(text)-len(needle); {
		i := max(cut, known)
		for i < len(needle) && needle[i] == text[at+i] {
			i++
		}
		if i < len(needle) {
			at += i - cut + 1
			known = 0
			continue
		}
		i = cut
		for i > known && needle[i-1] == text[at+i-1] {
			i--
		}
		if i <= known {
			return at
		}
		at += period
		if periodic {
			known = len(needle) - period
		}
	}
	return -1
}

// factorize returns a critical position of needle: where its period can be told from
// the bytes around, and the period of what follows it.
func factorize(needle string) (cut, period int) {
	cut, period = maximalSuffix(needle, false)
	if other, p := maximalSuffix(needle, true); other > cut {
		return other, p
	}
	return cut, period
}

// maximalSuffix returns where the last suffix of s in the order of bytes starts, and the
// period of that suffix; reverse turns the order around.
func maximalSuffix(s string, reverse bool) (start, period int) {
	candidate, k := 1, 0
	period = 1
	for candidate+k < len(s) {
		a, b := s[candidate+k], s[start+k]
		switch {
		case a == b && k+1 < period:
			k++
		case a == b:
			candidate += period
			k = 0
		case (a < b) != reverse:
			candidate += k + 1
			k, period = 0, candidate-start
		default:
			start, period = candidate, 1
			candidate, k = start+1, 0
		}
	}
	return start, period
}
