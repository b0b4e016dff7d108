// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
)

const (
	// maxShown is about how long a value is for people, in bytes.
	maxShown = 160
	// maxSorted is how many keys of a map are sorted to show the first ones.
	maxSorted = 1000
)

// show returns a value as an expression has it, cut where it is long: "…+3" stands for three
// more entries.
func show(v ref.Val) string {
	var s shower
	s.value(v)
	return s.text.String()
}

// clipped returns the text of a part of an expression, cut where it is long.
func clipped(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// shower writes a value.
type shower struct{ text strings.Builder }

func (s *shower) full() bool { return s.text.Len() >= maxShown }

func (s *shower) value(v ref.Val) {
	switch x := v.(type) {
	case types.String:
		s.quoted(string(x))
	case types.Null:
		s.text.WriteString("null")
	case *types.Optional:
		if !x.HasValue() {
			s.text.WriteString("optional.none()")
			return
		}
		s.text.WriteString("optional.of(")
		s.value(x.GetValue())
		s.text.WriteByte(')')
	case *types.Err:
		s.text.WriteString("error: " + diag.Clip(tidy(x.Error())))
	case traits.Mapper:
		s.mapping(x)
	case traits.Lister:
		s.list(x)
	default:
		s.other(v)
	}
}

// quoted writes a text, cut where it is long.
func (s *shower) quoted(text string) {
	if len(text) <= maxShown {
		s.text.WriteString(strconv.Quote(text))
		return
	}
	cut := strings.ToValidUTF8(text[:maxShown], "")
	fmt.Fprintf(&s.text, "%s…+%d bytes", strconv.Quote(cut), len(text)-len(cut))
}

// other writes a value without parts.
func (s *shower) other(v ref.Val) {
	if text, ok := v.ConvertToType(types.StringType).(types.String); ok {
		s.text.WriteString(clipped(string(text)))
		return
	}
	s.text.WriteString(clipped(fmt.Sprint(v.Value())))
}

func (s *shower) list(l traits.Lister) {
	n := length(l)
	s.entries('[', ']', n, func(i int64) { s.value(l.Get(types.Int(i))) })
}

func (s *shower) mapping(m traits.Mapper) {
	n := length(m)
	if n > maxSorted {
		fmt.Fprintf(&s.text, "{…+%d}", n)
		return
	}
	keys := keysOf(m)
	slices.SortFunc(keys, compareKeys)
	s.entries('{', '}', n, func(i int64) {
		s.value(keys[i])
		s.text.WriteString(": ")
		s.value(m.Get(keys[i]))
	})
}

// entries writes as many of n entries as there is room for.
func (s *shower) entries(open, closing byte, n int64, entry func(i int64)) {
	s.text.WriteByte(open)
	for i := range n {
		if i > 0 {
			s.text.WriteString(", ")
		}
		if s.full() {
			fmt.Fprintf(&s.text, "…+%d", n-i)
			break
		}
		entry(i)
	}
	s.text.WriteByte(closing)
}
