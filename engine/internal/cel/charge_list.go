// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math/bits"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// membership is the price of key in map, and of x in list: a comparison with
// each item.
func membership(m *meter, args []ref.Val) ref.Val {
	if l, ok := args[1].(traits.Lister); ok {
		return among(m, l, args[0])
	}
	return shallow(m, args[:1])
}

// among is the price of looking for v in a list.
func among(m *meter, l traits.Lister, v ref.Val) ref.Val {
	if isComposite(v) || isParsed(v) {
		m.charge(sum(m.size(l).gas(), product(length(l), parsedGas(v))))
		return nil
	}
	m.charge(product(length(l), 1+bytesOf(v)/gasBytes))
	return nil
}

// numbers is the price of lists.range(n).
func numbers(m *meter, args []ref.Val) ref.Val {
	if n, ok := args[0].(types.Int); ok && n > 0 {
		m.list(product(int64(n), 2))
	}
	return nil
}

// copying is the price of a function that returns a list with the items of its
// first argument.
func copying(m *meter, args []ref.Val) ref.Val {
	if l, ok := args[0].(traits.Lister); ok {
		m.list(length(l))
		m.allocate(product(length(l), viewBytes))
	}
	return nil
}

// unwrapping is the price of unwrapOpt. It refuses an item that is not optional:
// cel-go writes that into its message, however large it is.
func unwrapping(m *meter, args []ref.Val) ref.Val {
	copying(m, args)
	if l, ok := args[0].(traits.Lister); ok {
		for i := range length(l) {
			if _, ok := l.Get(types.Int(i)).(*types.Optional); !ok {
				return types.NewErr("item %d is not optional", i)
			}
		}
	}
	return nil
}

// pairs is the price of a function that compares each item with each other, of
// one list or of two.
func pairs(m *meter, args []ref.Val) ref.Val {
	for i, a := range args {
		l, ok := a.(traits.Lister)
		other, isOther := args[len(args)-1-i].(traits.Lister)
		if !ok || !isOther {
			return nil
		}
		s := m.size(l)
		m.charge(s.gas())
		m.charge(product(sum(s.nodes, s.bytes/gasBytes), length(other)))
	}
	return copying(m, args)
}

// sorting is the price of sort and sortBy.
func sorting(m *meter, args []ref.Val) ref.Val {
	l, ok := args[len(args)-1].(traits.Lister)
	if !ok {
		return nil
	}
	n := length(l)
	m.charge(product(m.size(l).gas(), int64(bits.Len64(uint64(n)))))
	m.list(product(n, 3))
	return nil
}

// insertion is the price of a round of transformMap, which adds an entry to a
// map, or of transformMapEntry, which adds those of another map.
func insertion(m *meter, args []ref.Val) ref.Val {
	n := int64(1)
	if _, building := args[0].(traits.MutableMapper); !building {
		if s, ok := args[0].(traits.Sizer); ok {
			n = sum(n, length(s))
		}
	}
	if len(args) == 3 {
		shallow(m, args[1:2])
	} else {
		s := m.size(args[1])
		m.charge(s.gas())
		n = sum(n, s.nodes)
	}
	m.allocate(product(n, fieldBytes))
	return nil
}
