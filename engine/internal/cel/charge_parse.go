// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

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

// quantity is the price of quantity and isQuantity; see maxExponent.
func quantity(m *meter, args []ref.Val) ref.Val {
	s, ok := args[0].(types.String)
	if !ok {
		return nil
	}
	if len(s) > maxQuantity || builtin.Exponent(string(s)) > maxExponent {
		return types.NewErr("the quantity has too many digits")
	}
	m.charge(8)
	return nil
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
// regular expressions.
func validation(m *meter, args []ref.Val) ref.Val {
	m.charge(bytesOf(args[len(args)-1]))
	return nil
}

// zone is the price of getHours("Europe/Berlin") and the like: Go reads the time
// zone from a file in each call.
func zone(m *meter, args []ref.Val) ref.Val {
	m.charge(500)
	return parsed(m, args[1:])
}
