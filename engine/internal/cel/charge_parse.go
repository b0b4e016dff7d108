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

// arithmetic is the price of a function of quantities and of semantic versions: quantities
// of hundreds of digits are brought to one exponent first, and versions are compared part
// by part.
func arithmetic(m *meter, args []ref.Val) ref.Val {
	for _, a := range args {
		if n := parsedGas(a); n > 0 {
			m.charge(n)
			m.allocate(16 * n)
		}
	}
	return nil
}

// parsedGas is the price of comparing a value of Kubernetes with one of its size, beside the
// step that it takes: a quantity may have many digits, a version many parts, and a URL is
// written as text. It is 0 for all other values.
func parsedGas(v ref.Val) int64 {
	switch x := v.(type) {
	case kubecel.URL:
		return urlBytes(x) / 8
	case kubecel.Semver:
		return int64(len(x.Pre)) / 16
	}
	if isLarge(v) {
		return quantityGas
	}
	return 0
}

// isParsed reports whether v is of a type of Kubernetes whose values take more than a step
// to be compared, where they are large.
func isParsed(v ref.Val) bool {
	switch v.(type) {
	case kubecel.URL, kubecel.Semver, kubecel.Quantity, *kubecel.Quantity:
		return true
	}
	return false
}

// urlBytes is the length of the texts of a URL. Those of its user are stored as they are meant, and
// each of their bytes may be written as three.
func urlBytes(u kubecel.URL) int64 {
	n := len(u.Scheme) + len(u.Opaque) + len(u.Host) + len(u.Path) + len(u.RawPath) + len(u.RawQuery) + len(u.Fragment) + len(u.RawFragment)
	if u.User != nil {
		password, _ := u.User.Password()
		n += 3 * (len(u.User.Username()) + len(password))
	}
	return int64(n)
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
	if u, ok := args[0].(kubecel.URL); ok {
		m.charge(urlBytes(u))
		return nil
	}
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
