// SPDX-License-Identifier: Apache-2.0

package cel

import (
	// The rules of time zones, for hosts that have none.
	_ "time/tzdata"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	kubecel "k8s.io/apiserver/pkg/cel"

	"github.com/dragoman-io/dragoman/builtin"
)

const (
	// maxParsed is the longest text that a parser of Kubernetes is given.
	maxParsed = 1 << 10
	// maxQuantity and maxExponent bound quantities: their parser and their
	// comparison write out 10 to the exponent.
	maxQuantity = 64
	maxExponent = 99
)

// parsed is the price of a function that reads a text of a fixed form. Longer
// ones than maxParsed are not given to it.
func parsed(m *meter, args []ref.Val) ref.Val {
	for _, a := range args {
		n := bytesOf(a)
		if n > maxParsed {
			return types.NewErr("the text is longer than %d bytes", maxParsed)
		}
		m.charge(2 + n/4)
	}
	return nil
}

// quantity is the price of quantity and isQuantity; see maxExponent. A few digits are
// read as an int, more are computed one by one.
func quantity(m *meter, args []ref.Val) ref.Val {
	s, ok := args[0].(types.String)
	if !ok {
		return nil
	}
	if len(s) > maxQuantity || builtin.Exponent(string(s)) > maxExponent {
		return types.NewErr("the quantity has too many digits")
	}
	m.charge(8)
	if len(s) > 18 || builtin.Exponent(string(s)) != 0 {
		m.charge(40)
		m.allocate(512)
	}
	return nil
}

// arithmetic is the price of a function of quantities: those of hundreds of digits are
// brought to one exponent first.
func arithmetic(m *meter, args []ref.Val) ref.Val {
	for _, a := range args {
		if isLarge(a) {
			m.charge(quantityGas)
			m.allocate(128)
		}
	}
	return nil
}

// quantityGas is the price of what is done with a large quantity.
const quantityGas = 8

// isLarge reports whether v is a quantity that is no int64; it may have many digits.
func isLarge(v ref.Val) bool {
	var q *resource.Quantity
	switch x := v.(type) {
	case kubecel.Quantity:
		q = x.Quantity
	case *kubecel.Quantity:
		q = x.Quantity
	default:
		return false
	}
	_, small := q.AsInt64()
	return !small
}

// question makes the price of a test from that of the parser: what is not given
// to the parser is not of the form.
func question(c charge) charge {
	return func(m *meter, args []ref.Val) ref.Val {
		if c(m, args) != nil {
			return types.False
		}
		return nil
	}
}

// query is the price of getQuery, which takes a URL apart.
func query(m *meter, args []ref.Val) ref.Val {
	m.charge(m.size(args[0]).bytes)
	return nil
}

// validation is the price of format.named(...).value().validate(s): it runs
// regular expressions, and its messages hold the text.
func validation(m *meter, args []ref.Val) ref.Val {
	n := bytesOf(args[len(args)-1])
	m.charge(n)
	m.allocate(product(8, n))
	return nil
}

// zone is the price of getHours("Europe/Berlin") and the like: Go reads the time
// zone from a file in each call. The zone of the host is not for scripts.
func zone(m *meter, args []ref.Val) ref.Val {
	if len(args) < 2 {
		return nil
	}
	if args[1] == types.String("Local") {
		return types.NewErr("the time zone of the host is not known; use a name such as Europe/Berlin, or an offset such as +01:00")
	}
	m.charge(500)
	return parsed(m, args[1:])
}
