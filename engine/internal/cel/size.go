// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// size is what a value consists of.
type size struct{ nodes, bytes int64 }

// gas is the price of reading a value of the size once. A scalar is free but for
// its bytes: the node that reads it is paid for.
func (s size) gas() int64 { return s.nodes - 1 + s.bytes/gasBytes }

// size measures a value to its depth. A value can be of size 2^n for n nodes of
// a program, as parts of it are shared; so measuring ends the run as soon as the
// gas that is left cannot pay for the value.
func (m *meter) size(v ref.Val) size {
	s := scale{meter: m, left: m.limits.Gas - m.used.Gas}
	s.value(v)
	return s.size
}

// scale measures a value.
type scale struct {
	size
	meter *meter
	left  int64
}

// add counts one node of n bytes.
func (s *scale) add(n int) {
	s.nodes++
	s.bytes += int64(n)
	if s.gas() > s.left {
		s.meter.charge(s.gas())
	}
}

// value counts a value with all its parts.
func (s *scale) value(v ref.Val) {
	switch x := v.(type) {
	case types.String:
		s.add(len(x))
	case types.Bytes:
		s.add(len(x))
	case *types.Optional:
		s.add(0)
		if x.HasValue() {
			s.value(x.GetValue())
		}
	case traits.Mapper:
		s.fields(x)
	case traits.Lister:
		s.items(x)
	default:
		s.add(gasBytes * int(parsedGas(v)))
	}
}

// fields counts a map.
func (s *scale) fields(m traits.Mapper) {
	switch x := m.Value().(type) {
	case map[string]any:
		s.plain(x)
	case map[ref.Val]ref.Val:
		s.add(0)
		for k, v := range x {
			s.value(k)
			s.value(v)
		}
	default:
		s.add(0)
		for it := m.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			s.value(k)
			s.value(m.Get(k))
		}
	}
}

// items counts a list.
func (s *scale) items(l traits.Lister) {
	// The Value of a list that is being built is not up to date.
	if _, building := l.(traits.MutableLister); !building {
		switch x := l.Value().(type) {
		case []any:
			s.plain(x)
			return
		case []ref.Val:
			s.add(0)
			for _, v := range x {
				s.value(v)
			}
			return
		}
	}
	s.add(0)
	for i := range length(l) {
		s.value(l.Get(types.Int(i)))
	}
}

// plain counts a plain value.
func (s *scale) plain(v any) {
	switch x := v.(type) {
	case string:
		s.add(len(x))
	case []any:
		s.add(0)
		for _, e := range x {
			s.plain(e)
		}
	case map[string]any:
		s.add(0)
		for k, e := range x {
			s.add(len(k))
			s.plain(e)
		}
	default:
		s.add(0)
	}
}

// length is the number of items or fields.
func length(v traits.Sizer) int64 {
	n, _ := v.Size().(types.Int)
	return int64(n)
}

// bytesOf is the length in bytes of a string or bytes, else 0.
func bytesOf(v ref.Val) int64 {
	switch x := v.(type) {
	case types.String:
		return int64(len(x))
	case types.Bytes:
		return int64(len(x))
	}
	return 0
}
