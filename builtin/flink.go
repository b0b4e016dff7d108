// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// flinkMemory is kube.flinkMemory.
func flinkMemory() Function {
	ready := newReadyTexts()
	return checked(Function{
		Name:   "flinkMemory",
		Params: []Param{{Name: "size", Type: "quantity", Optional: true}, {Name: "fractions", Type: "boolean", Optional: true}},
		Result: "string or nil",
		Doc:    "Returns a memory size in Flink's notation as a quantity: \"1024m\" (mebibytes, not thousandths) is \"1Gi\", a plain number counts bytes. A quantity with a binary suffix such as \"2Gi\" will do as well. It is nil for nil. Flink knows no fractions; with fractions true they are read as its Kubernetes operator does, as quantities whose suffix has letters of any case: \"1.5 gb\" is \"1500M\".",
	}, func(args []any, m Meter) (any, error) {
		if arg(args, 0) == nil {
			m.Charge(1)
			return nil, nil
		}
		if s, ok := arg(args, 0).(string); ok && arg(args, 1) == true && strings.IndexByte(s, '.') >= 0 {
			return fraction(s, m)
		}
		n, err := flinkBytes(arg(args, 0)) // which is bounded
		if err != nil {
			return nil, err
		}
		m.Charge(quantityGas)
		return ready.binary(n), nil
	})
}

// fraction returns a memory size with a fraction as a quantity, as
// FlinkConfigBuilder.parseResourceMemoryString of the operator reads it.
func fraction(s string, m Meter) (any, error) {
	m.Charge(QuantityGas(s))
	if len(s) > maxQuantity {
		return nil, outOfRange(s)
	}
	text := strings.TrimSuffix(strings.ToUpper(strings.Join(strings.Fields(s), "")), "B")
	if number, isBinary := strings.CutSuffix(text, "I"); isBinary {
		text = number + "i"
	}
	q, err := ParseQuantity(text)
	if err != nil {
		return nil, err
	}
	return q.String(), nil
}

// flinkUnit returns the bytes of a unit, as Flink's MemorySize.MemoryUnit has
// them, in lower case. A unit with an i is Kubernetes' and means the same.
func flinkUnit(unit string) (int64, bool) {
	switch unit {
	case "", "b", "bytes":
		return 1, true
	case "k", "kb", "kibibytes", "ki":
		return 1 << 10, true
	case "m", "mb", "mebibytes", "mi":
		return 1 << 20, true
	case "g", "gb", "gibibytes", "gi":
		return 1 << 30, true
	case "t", "tb", "tebibytes", "ti":
		return 1 << 40, true
	}
	return 0, false
}

// flinkBytes reads a memory size.
func flinkBytes(v any) (int64, error) {
	switch x := v.(type) {
	case int64:
		if x >= 0 {
			return x, nil
		}
	case float64:
		if x >= 0 && x < math.MaxInt64 && x == math.Trunc(x) {
			return int64(x), nil
		}
	case string:
		return flinkText(x)
	default:
		return 0, fmt.Errorf("a memory size must be a string or a number, not a %s", typeName(v))
	}
	return 0, fmt.Errorf("the memory size %v is not a whole number of bytes", v)
}

func flinkText(s string) (int64, error) {
	if len(s) > maxQuantity {
		return 0, fmt.Errorf("the memory size %s is too large", quoted(s))
	}
	trimmed := strings.TrimSpace(s)
	n, end := int64(0), 0
	for end < len(trimmed) && trimmed[end] >= '0' && trimmed[end] <= '9' {
		if end < maxDigits {
			n = 10*n + int64(trimmed[end]-'0')
		}
		end++
	}
	if end == 0 {
		return 0, fmt.Errorf("the memory size %s does not start with a number", quoted(s))
	}
	unit, ok := flinkUnit(trimmed[end:])
	if !ok {
		unit, ok = flinkUnit(strings.ToLower(strings.TrimSpace(trimmed[end:])))
	}
	if !ok {
		return 0, fmt.Errorf("the memory size %s has no unit of Flink: b, k, m, g or t", quoted(s))
	}
	var err error
	if end > maxDigits {
		n, err = strconv.ParseInt(trimmed[:end], 10, 64)
	}
	if err != nil || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("the memory size %s is too large", quoted(s))
	}
	return n * unit, nil
}
