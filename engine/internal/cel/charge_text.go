// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"

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
	return nil
}

// quoting is the price of strings.quote.
func quoting(m *meter, args []ref.Val) ref.Val {
	n := bytesOf(args[0])
	m.charge(n / 8)
	m.allocate(4 * n)
	return nil
}

// search is the price of indexOf: each character of the string is compared with
// each of what is searched. In a list it is that of in.
func search(m *meter, args []ref.Val) ref.Val {
	if l, ok := args[0].(traits.Lister); ok {
		return among(m, l, args[1])
	}
	n, sought := bytesOf(args[0]), bytesOf(args[1])
	runes(m, args)
	m.charge(product(n, sought) / gasBytes)
	m.allocate(4 * sought)
	return nil
}

// replacement is the price of replace(old, new[, count]).
func replacement(m *meter, args []ref.Val) ref.Val {
	s, ok := args[0].(types.String)
	old, isOld := args[1].(types.String)
	if !ok || !isOld {
		return nil
	}
	shallow(m, args[:2])
	count := int64(strings.Count(string(s), string(old)))
	if len(args) == 4 {
		if n, ok := args[3].(types.Int); ok && n >= 0 {
			count = min(count, int64(n))
		}
	}
	made := sum(int64(len(s))-count*int64(len(old)), product(count, bytesOf(args[2])))
	m.text(made)
	return nil
}

// separation is the price of split: one item for each separator.
func separation(m *meter, args []ref.Val) ref.Val {
	s, ok := args[0].(types.String)
	separator, isSeparator := args[1].(types.String)
	if !ok || !isSeparator {
		return nil
	}
	shallow(m, args[:2])
	m.list(int64(strings.Count(string(s), string(separator))) + 1)
	return nil
}

// joining is the price of join: what the items hold and the separators.
func joining(m *meter, args []ref.Val) ref.Val {
	l, ok := args[0].(traits.Lister)
	if !ok {
		return nil
	}
	n := length(l)
	m.charge(n)
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
	m.allocate(sum(product(2, s.bytes), product(32, s.nodes)))
	if l, ok := args[1].(traits.Lister); ok {
		m.charge(product(16, length(l)))
		m.allocate(product(310+maxPrecision, length(l)))
	}
	return nil
}
