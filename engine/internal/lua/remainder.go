// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math"
	"math/bits"
)

// mantissa is how many bits of a float are digits.
const mantissa = 53

// remainder is C's fmod: exact, with the sign of x. math.Mod takes a step for each bit
// between the exponents, up to 2,000; here it is one for 64 bits.
func remainder(x, y float64) float64 {
	if y == 0 || math.IsNaN(y) || math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	if x == 0 || math.IsInf(y, 0) || math.Abs(x) < math.Abs(y) {
		return x
	}
	m, exponent := digits(x)
	n, unit := digits(y)
	left := m % n
	for shift := exponent - unit; shift > 0 && left != 0; shift -= 64 {
		by := uint(min(shift, 64))
		_, left = bits.Div64(left>>(64-by), left<<by, n)
	}
	return math.Copysign(math.Ldexp(float64(left), unit), x)
}

// digits returns a float that is not zero as a whole number times a power of two. The
// sign is left out.
func digits(f float64) (whole uint64, exponent int) {
	f, exponent = math.Frexp(math.Abs(f))
	return uint64(math.Ldexp(f, mantissa)), exponent - mantissa
}
