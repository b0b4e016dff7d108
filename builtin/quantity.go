// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityGas is what reading or adding one quantity costs.
const quantityGas = 8

// resourceAdd is kube.resourceAdd.
func resourceAdd() Function {
	return checked(Function{
		Name:     "resourceAdd",
		Params:   []Param{{Name: "quantities", Type: "quantity", Optional: true}},
		Variadic: true,
		Result:   "string",
		Doc:      "Adds quantities. The format is that of the first one that is not zero, as resource.Quantity.Add has it: 1Gi and 1G make 2073741824. A nil counts as zero; without arguments the sum is \"0\".",
	}, func(args []any, m Meter) (any, error) {
		var sum resource.Quantity
		for _, v := range args {
			q, err := paidQuantity(v, m)
			if err != nil {
				return nil, err
			}
			sum.Add(q)
			if !inRange(sum) {
				return nil, errors.New("the sum is out of range")
			}
		}
		return sum.String(), nil
	})
}

// getResourceQuantity is kube.getResourceQuantity.
func getResourceQuantity() Function {
	return checked(Function{
		Name:   "getResourceQuantity",
		Params: []Param{{Name: "quantity", Type: "quantity", Optional: true}},
		Result: "number",
		Doc:    "Returns a quantity as a number: 0.1 for \"100m\", 1073741824 for \"1Gi\", 0 for nil. A negative quantity is an error.",
	}, func(args []any, m Meter) (any, error) {
		q, err := paidQuantity(arg(args, 0), m)
		if err != nil {
			return nil, err
		}
		f := q.AsApproximateFloat64()
		if f < 0 || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the quantity %s is negative or too large", q.String())
		}
		return f, nil
	})
}

// parseQuantity reads a quantity: a string as Kubernetes writes it, a number, or
// nil for zero.
func parseQuantity(v any) (resource.Quantity, error) {
	switch x := v.(type) {
	case nil:
		return resource.Quantity{}, nil
	case int64:
		return *resource.NewQuantity(x, resource.DecimalSI), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return resource.Quantity{}, errors.New("a quantity must be a finite number")
		}
		return ParseQuantity(decimalText(x))
	case string:
		return ParseQuantity(x)
	}
	return resource.Quantity{}, fmt.Errorf("a quantity must be a string or a number, not a %s", typeName(v))
}

// decimalText returns a number as a text that is read as the same quantity: what is less
// than a quantity can hold is rounded up in any case.
func decimalText(x float64) string {
	const least = 1e-12
	switch size := math.Abs(x); {
	case size > 0 && size < least:
		x = math.Copysign(least, x)
	case size >= 1<<64:
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

const (
	// maxQuantity is the length of the longest quantity that is read.
	maxQuantity = 128
	// maxExponent is the largest power of ten a quantity may name: reading it
	// would otherwise take time and memory without bound.
	maxExponent = 99
	// fewDigits is up to which length reading a quantity takes the same time.
	fewDigits = 18
)

// ParseQuantity reads a quantity as Kubernetes writes it. Whatever reads one that comes
// from an object, a script or a case calls this: resource.ParseQuantity has no bound, and
// takes hours for 1e-999999999.
//
// Longer texts than 128 bytes, larger exponents than 99 and amounts beyond 64 bits are
// errors, as is what is no quantity.
func ParseQuantity(s string) (resource.Quantity, error) {
	if q, ok := canonical(s); ok {
		return q, nil
	}
	if !BoundedQuantity(s) {
		return resource.Quantity{}, outOfRange(s)
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return resource.Quantity{}, fmt.Errorf("%s is not a quantity such as 500m or 2Gi", quoted(s))
	}
	if !inRange(q) {
		return resource.Quantity{}, outOfRange(s)
	}
	return q, nil
}

// canonicalDigits is how many digits canonical reads.
const canonicalDigits = 9

// canonical reads a short quantity of the most frequent forms, such as 500m, 2 and 2Gi, in
// less than half of the time. It is not ok for any other, and for one that a Quantity writes in
// another way: it keeps no text, where resource.ParseQuantity keeps 1024Mi as it is.
func canonical(s string) (q resource.Quantity, ok bool) {
	var n int64
	digits := 0
	for digits < len(s) && digits < canonicalDigits && s[digits] >= '0' && s[digits] <= '9' {
		n = 10*n + int64(s[digits]-'0')
		digits++
	}
	if digits == 0 || s[0] == '0' {
		return q, false
	}
	switch s[digits:] {
	case "":
		return *resource.NewQuantity(n, resource.DecimalSI), n%1000 != 0
	case "m":
		return *resource.NewMilliQuantity(n, resource.DecimalSI), n%1000 != 0
	case "Ki":
		return *resource.NewQuantity(n<<10, resource.BinarySI), n%1024 != 0
	case "Mi":
		return *resource.NewQuantity(n<<20, resource.BinarySI), n%1024 != 0
	case "Gi":
		return *resource.NewQuantity(n<<30, resource.BinarySI), n%1024 != 0
	}
	return q, false
}

// BoundedQuantity reports whether a text is short enough, and its exponent small enough,
// for ParseQuantity to parse it.
func BoundedQuantity(s string) bool { return len(s) <= maxQuantity && Exponent(s) <= maxExponent }

func outOfRange(s string) error {
	return fmt.Errorf("the quantity %s is out of range", quoted(s))
}

// QuantityGas returns the gas for reading and adding a quantity: long ones and large
// exponents are read by decimal arithmetic of any precision. One that is too long is
// refused unread, and not looked at here either.
func QuantityGas(s string) int64 {
	if len(s) > maxQuantity {
		return quantityGas + maxQuantity/2
	}
	if len(s) <= fewDigits && exponentAt(s) < 0 {
		return quantityGas
	}
	gas := int64(quantityGas)
	if len(s) > fewDigits {
		gas += int64(len(s)) / 2
	}
	if n := Exponent(s); n > fewDigits && n <= maxExponent {
		gas += int64(n) / 4
	}
	return gas
}

// paidQuantity reads a quantity. What a long one costs more than others is paid before.
func paidQuantity(v any, m Meter) (resource.Quantity, error) {
	if more := gasOf(v) - quantityGas; more > 0 {
		m.Charge(more)
	}
	q, err := parseQuantity(v)
	if err == nil {
		m.Charge(quantityGas)
	}
	return q, err
}

// gasOf returns the gas for reading and adding a quantity in any form.
func gasOf(v any) int64 {
	if s, ok := v.(string); ok {
		return QuantityGas(s)
	}
	return quantityGas
}

// inRange reports whether q is within 64 bits. Beyond that resource.Quantity writes
// some values wrongly: 10^21 as 1.
func inRange(q resource.Quantity) bool {
	return q.CmpInt64(math.MaxInt64) <= 0 && q.CmpInt64(math.MinInt64) >= 0
}

// Exponent returns the absolute value of the decimal exponent of a quantity: 3 for 1e3 and
// 1e-3, 0 where it has none. One that is out of range of an int is math.MaxInt. Whoever
// parses a quantity compares this with a bound first, since the parser writes out 10 to
// the exponent.
func Exponent(s string) int {
	i := exponentAt(s)
	if i < 0 || i == len(s)-1 {
		return 0
	}
	n, err := strconv.Atoi(s[i+1:])
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxInt
	}
	if n < 0 {
		return -n
	}
	return n
}

// exponentAt returns the index of the letter before the exponent of a quantity, or -1.
func exponentAt(s string) int {
	for i := range len(s) {
		if s[i]|0x20 == 'e' {
			return i
		}
	}
	return -1
}
