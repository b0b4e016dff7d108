// SPDX-License-Identifier: Apache-2.0

// Package quantity bounds the quantities of objects before they are decoded. JSON in, JSON
// out. It knows no kind.
//
// resource.Quantity decodes 1e-999999999, which has 12 letters, for hours, and a cache that
// decodes it never syncs. The CRDs of this module refuse such a text; what was stored
// before they did is bounded here, by UnmarshalJSON of each kind that has quantities.
package quantity

import (
	"bytes"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const (
	// maxExponent is the largest exponent that is decoded as it is: what is beyond is more
	// than any quantity holds, or less than its smallest unit.
	maxExponent = "99"
	// maxLength is how many bytes a quantity has at most. A longer one is decoded as 0.
	maxLength = 128
)

// Unmarshal decodes JSON as the API machinery does, with its quantities bounded. A kind
// calls it for a type of its own that has not its methods.
func Unmarshal(raw []byte, into any) error { return utiljson.Unmarshal(Bound(raw), into) }

// Bound returns JSON in which no text that may be a quantity has more than maxLength bytes
// or an exponent of more than two digits. Without such a text it returns raw itself.
func Bound(raw []byte) []byte {
	var out []byte
	copied := 0
	for start := 0; start < len(raw); {
		i := bytes.IndexByte(raw[start:], '"')
		if i < 0 {
			break
		}
		begin := start + i + 1
		end := endOfText(raw, begin)
		if bounded, changed := boundText(raw[begin:end]); changed {
			out = append(append(out, raw[copied:begin]...), bounded...)
			copied = end
		}
		start = end + 1
	}
	if out == nil {
		return raw
	}
	return append(out, raw[copied:]...)
}

// endOfText returns the place of the quote that ends the text that begins at a place, or
// the end of raw.
func endOfText(raw []byte, at int) int {
	for at < len(raw) && raw[at] != '"' {
		if raw[at] == '\\' {
			at++
		}
		at++
	}
	return min(at, len(raw))
}

// boundText returns what a text is decoded as if it may be a quantity that is out of
// bounds.
func boundText(text []byte) (bounded []byte, changed bool) {
	if len(text) < len("1e100") || !mayBeQuantity(text) {
		return nil, false
	}
	if len(text) > maxLength {
		return []byte("0"), true
	}
	i := bytes.IndexAny(text, "eE")
	if i < 0 {
		return nil, false
	}
	digits := i + 1
	if digits < len(text) && (text[digits] == '+' || text[digits] == '-') {
		digits++
	}
	exponent := bytes.TrimLeft(text[digits:], "0")
	if len(exponent) <= len(maxExponent) && len(text[digits:]) <= 2*len(maxExponent) {
		return nil, false
	}
	if len(exponent) > len(maxExponent) {
		exponent = []byte(maxExponent)
	}
	if len(exponent) == 0 {
		exponent = []byte("0")
	}
	return append(bytes.Clone(text[:digits]), exponent...), true
}

// mayBeQuantity reports whether a text begins as a number does and has only the letters of
// quantities.
func mayBeQuantity(text []byte) bool {
	if c := text[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return false
	}
	return len(bytes.Trim(text, "0123456789+-.eEnumkKMGTPi")) == 0
}
