// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"math/bits"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// amount is a quantity of a resource in its unit. The API server rounds each quantity up to
// thousandths (Kubernetes 1.36, apis/core/v1, SetDefaults_ResourceList); amounts are added as
// they are and rounded up to units at the end, as the scheduler does. One beyond 64 bits is
// the greatest or least number.
type amount struct {
	// up is the amount rounded up.
	up int64
	// over is by how many thousandths of a unit up is larger than the amount, at most 999.
	over int64
}

// plus returns the sum.
func (a amount) plus(b amount) amount {
	switch {
	case b.up > 0 && a.up > math.MaxInt64-b.up:
		return amount{up: math.MaxInt64}
	case b.up < 0 && a.up < math.MinInt64-b.up:
		return amount{up: math.MinInt64}
	}
	sum := amount{a.up + b.up, a.over + b.over}
	if sum.over >= 1000 && sum.up > math.MinInt64 {
		sum.up--
		sum.over -= 1000
	}
	return sum
}

// larger returns the larger of two amounts.
func larger(a, b amount) amount {
	if b.up > a.up || b.up == a.up && b.over < a.over {
		return b
	}
	return a
}

// milli reads a quantity whose unit is a thousandth, that of cpu.
func milli(v any) (amount, error) {
	if n, milli, ok := short(v); ok && milli {
		return amount{up: n}, nil
	} else if ok && n <= math.MaxInt64/1000 {
		return amount{up: n * 1000}, nil
	}
	q, err := parseQuantity(v)
	switch {
	case err != nil:
		return amount{}, err
	case q.CmpInt64(math.MaxInt64/1000) > 0:
		return amount{up: math.MaxInt64}, nil
	case q.CmpInt64(math.MinInt64/1000) < 0:
		return amount{up: math.MinInt64}, nil
	}
	return amount{up: q.MilliValue()}, nil
}

// units reads a quantity whose unit is 1. No request may be negative; such a quantity counts
// as Kubernetes rounds it.
func units(v any) (amount, error) {
	if n, milli, ok := short(v); ok && milli {
		up := n/1000 + min(n%1000, 1)
		return amount{up, up*1000 - n}, nil
	} else if ok {
		return amount{up: n}, nil
	}
	q, err := parseQuantity(v)
	up := q.Value()
	if err != nil || q.Sign() <= 0 {
		return amount{up: up}, err
	}
	q.RoundUp(resource.Milli)
	rest := *resource.NewQuantity(up, resource.DecimalSI)
	rest.Sub(q)
	return amount{up, rest.MilliValue()}, nil
}

// maxDigits is how many digits always fit into 64 bits.
const maxDigits = 18

// short reads a quantity of the most frequent forms: whole, not negative, with one suffix
// such as m, Mi or G. It counts thousandths for the suffix m, and units for all others.
// Any other quantity must be read by parseQuantity, which has the same results for these.
func short(v any) (n int64, milli, ok bool) {
	s, isText := v.(string)
	if !isText {
		n, ok = whole(v)
		return n, false, ok && n >= 0 && n < 1<<53
	}
	digits := 0
	for digits < len(s) && digits <= maxDigits && s[digits] >= '0' && s[digits] <= '9' {
		n = 10*n + int64(s[digits]-'0')
		digits++
	}
	if digits == 0 || digits > maxDigits {
		return 0, false, false
	}
	suffix := s[digits:]
	if suffix == "m" {
		return n, true, true
	}
	unit := unitOf(suffix)
	if unit == 0 || n > math.MaxInt64/unit {
		return 0, false, false
	}
	return n * unit, false, true
}

// unitOf returns the factor of a suffix, 0 for one that it does not know.
func unitOf(suffix string) int64 {
	switch suffix {
	case "":
		return 1
	case "k":
		return 1e3
	case "M":
		return 1e6
	case "G":
		return 1e9
	case "T":
		return 1e12
	case "Ki":
		return 1 << 10
	case "Mi":
		return 1 << 20
	case "Gi":
		return 1 << 30
	case "Ti":
		return 1 << 40
	}
	return 0
}

// decimal appends thousandths, at least one, to text as the canonical quantity in the format
// DecimalSI: 1500m, 2, 3k.
func decimal(text []byte, milli int64) []byte {
	return scaled(text, milli, 1000, "m", "", "k", "M", "G", "T", "P", "E")
}

// decimalUnits appends whole units in the format DecimalSI.
func decimalUnits(text []byte, n int64) []byte {
	return scaled(text, n, 1000, "", "k", "M", "G", "T", "P", "E")
}

// binary appends bytes to text as the canonical quantity in the format BinarySI:
// 2Gi, 1536Mi. What is less than 1Ki is in DecimalSI.
func binary(text []byte, n int64) []byte {
	if n < 1024 {
		return decimalUnits(text, n)
	}
	const suffixes = "KiMiGiTiPiEi"
	power := bits.TrailingZeros64(uint64(n)) / 10
	text = strconv.AppendInt(text, n>>(10*power), 10)
	if power == 0 {
		return text
	}
	return append(text, suffixes[2*power-2:2*power]...)
}

// fewUnits is below how many mebibytes and gibibytes an amount has its text ready. Nearly all
// memory that a pod asks for is among them.
const fewUnits = 128

// readyTexts are the canonical quantities of 0 to fewUnits-1 Mi and Gi, as values whose
// use needs no memory.
type readyTexts [2][fewUnits]any

func newReadyTexts() *readyTexts {
	var texts readyTexts
	for unit := range texts {
		for n := range texts[unit] {
			texts[unit][n] = string(binary(nil, int64(n)<<(20+10*unit)))
		}
	}
	return &texts
}

// binary returns what the function binary appends, as a value.
func (r *readyTexts) binary(n int64) any {
	for unit := range r {
		shift := 20 + 10*unit
		if count := n >> shift; count > 0 && count < fewUnits && count<<shift == n {
			return r[unit][count]
		}
	}
	var text [24]byte
	return string(binary(text[:0], n))
}

// scaled appends a number with the largest suffix that leaves it whole.
func scaled(text []byte, n, base int64, suffixes ...string) []byte {
	power := 0
	for n != 0 && n%base == 0 && power < len(suffixes)-1 {
		n /= base
		power++
	}
	return append(strconv.AppendInt(text, n, 10), suffixes[power]...)
}
