// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// runes is the price of a function that takes a string apart into its
// characters, 4 bytes each, or turns a list round.
func runes(m *meter, args []ref.Val) ref.Val {
	if _, ok := args[0].(traits.Lister); ok {
		return copying(m, args)
	}
	n := bytesOf(args[0])
	m.charge(n / 16)
	m.allocate(4 * n)
	// What is no character becomes one of three bytes.
	if s, ok := args[0].(types.String); ok && n >= gasBytes && !utf8.ValidString(string(s)) {
		m.charge(n / 16)
		m.allocate(3 * n)
	}
	return nil
}

// conversion is the price of string, bytes, bool and of what else copies a text or makes a
// short one.
func conversion(m *meter, args []ref.Val) ref.Val {
	m.charge(2 + bytesOf(args[0])/16)
	m.allocate(sum(64, bytesOf(args[0])))
	return nil
}

// reading is the price of int, uint and double: a text of many digits, or with an
// exponent, is computed with as many.
func reading(m *meter, args []ref.Val) ref.Val {
	n := bytesOf(args[0])
	if n == 0 {
		return nil
	}
	m.charge(2 + n/8)
	if s, ok := args[0].(types.String); ok && (n > 15 || strings.ContainsAny(string(s), "eEpP")) {
		m.charge(60)
	}
	m.allocate(product(4, n))
	return nil
}

// search is the price of indexOf: each character of the string is compared with
// each of what is searched. In a list it is that of in.
func search(m *meter, args []ref.Val) ref.Val {
	if l, ok := args[0].(traits.Lister); ok {
		return among(m, l, args[1])
	}
	runes(m, args[:1])
	runes(m, args[1:2])
	m.charge(product(bytesOf(args[0]), bytesOf(args[1])) / gasBytes)
	return nil
}

// joining is the price of join: what the items hold and the separators. It refuses an item
// that is not a string: cel-go writes that into its message, however large it is, and a map
// in another order each time.
func joining(m *meter, args []ref.Val) ref.Val {
	l, ok := args[0].(traits.Lister)
	if !ok {
		return nil
	}
	n := length(l)
	m.charge(n)
	for i := range n {
		if item := l.Get(types.Int(i)); item.Type() != types.StringType {
			return types.NewErr("item %d is of type %s, not a string", i, item.Type().TypeName())
		}
	}
	made := m.size(l).bytes
	if len(args) > 1 {
		made = sum(made, product(n, bytesOf(args[1])))
	}
	m.text(made)
	return nil
}

// formatting is the price of format: at most maxPrecision digits and those of
// the largest double for each item, and the items to their depth.
func formatting(m *meter, args []ref.Val) ref.Val {
	shallow(m, args[:1])
	if len(args) < 2 {
		return nil
	}
	s := m.size(args[1])
	m.charge(s.gas())
	m.allocate(sum(product(4, s.bytes), product(64, s.nodes)))
	if l, ok := args[1].(traits.Lister); ok {
		m.charge(product(20, length(l)))
		m.allocate(product(310+maxPrecision, length(l)))
		m.maps(l)
	}
	return nil
}
