// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityGas is what reading or adding one quantity costs.
const quantityGas = 8

// resourceAdd is kube.resourceAdd.
func resourceAdd() Function {
	return Function{
		Name:     "resourceAdd",
		Params:   []Param{{Name: "quantities", Type: "quantity", Optional: true}},
		Variadic: true,
		Result:   "string",
		Doc:      "Adds quantities. The format is that of the first one that is not zero, as resource.Quantity.Add has it: 1Gi and 1G make 2073741824. A nil counts as zero; without arguments the sum is \"0\".",
		Call: func(args []any) (any, int64, error) {
			var sum resource.Quantity
			for _, v := range args {
				q, err := parseQuantity(v)
				if err != nil {
					return nil, 0, err
				}
				sum.Add(q)
				if !inRange(sum) {
					return nil, 0, errors.New("the sum is out of range")
				}
			}
			return sum.String(), int64(len(args)) * quantityGas, nil
		},
	}
}

// getResourceQuantity is kube.getResourceQuantity.
func getResourceQuantity() Function {
	return checked(Function{
		Name:   "getResourceQuantity",
		Params: []Param{{Name: "quantity", Type: "quantity", Optional: true}},
		Result: "number",
		Doc:    "Returns a quantity as a number: 0.1 for \"100m\", 1073741824 for \"1Gi\", 0 for nil. A negative quantity is an error.",
	}, func(args []any) (any, int64, error) {
		q, err := parseQuantity(arg(args, 0))
		if err != nil {
			return nil, 0, err
		}
		f := q.AsApproximateFloat64()
		if f < 0 || math.IsInf(f, 0) {
			return nil, 0, fmt.Errorf("the quantity %s is negative or too large", q.String())
		}
		return f, quantityGas, nil
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
		return parseQuantityText(strconv.FormatFloat(x, 'f', -1, 64))
	case string:
		return parseQuantityText(x)
	}
	return resource.Quantity{}, fmt.Errorf("a quantity must be a string or a number, not a %s", typeName(v))
}

const (
	// maxQuantity is the length of the longest quantity that is read.
	maxQuantity = 350
	// maxExponent is the largest power of ten a quantity may name: reading it
	// would otherwise take time and memory without bound.
	maxExponent = 300
)

func parseQuantityText(s string) (resource.Quantity, error) {
	if len(s) > maxQuantity || Exponent(s) > maxExponent {
		return resource.Quantity{}, fmt.Errorf("the quantity %s is out of range", quoted(s))
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return resource.Quantity{}, fmt.Errorf("%s is not a quantity such as 500m or 2Gi", quoted(s))
	}
	if !inRange(q) {
		return resource.Quantity{}, fmt.Errorf("the quantity %s is out of range", quoted(s))
	}
	return q, nil
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
	_, digits, ok := strings.Cut(strings.ToLower(s), "e")
	if !ok || digits == "" {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxInt
	}
	if n < 0 {
		return -n
	}
	return n
}
