// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxShown is about how long a value is for people, in bytes.
	maxShown = 160
	// maxSorted is how many keys of a map are sorted to show the first ones.
	maxSorted = 1000
)

// show returns a value as Lua writes it, cut where it is long: "…+3" stands for three more
// entries. It reads tables as they are, looks into nothing for the script, and takes no gas.
func show(v any) string {
	var s shower
	s.value(v)
	return s.text.String()
}

// shower writes a value.
type shower struct{ text strings.Builder }

func (s *shower) full() bool { return s.text.Len() >= maxShown }

func (s *shower) value(v any) {
	switch x := v.(type) {
	case nil:
		s.text.WriteString("nil")
	case string:
		s.quoted(x)
	case *table:
		s.table(x)
	case map[string]any:
		s.entries(len(x), nil, sortedKeys(x), func(key string) any { return x[key] })
	case []any:
		s.entries(len(x), x, nil, nil)
	case *function:
		s.text.WriteString("function " + x.name)
	case *native:
		s.text.WriteString("function " + x.name)
	case *library:
		s.text.WriteString("library " + x.name)
	default:
		s.text.WriteString(text(v))
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

// table writes the items of a table, its fields as the script sees them, and its other entries.
func (s *shower) table(t *table) {
	items := t.raw()
	for n := len(items); n > 0 && items[n-1] == nil; n-- {
		items = items[:n-1]
	}
	seen := map[string]any{}
	for _, f := range t.fields {
		seen[f.key] = f.value
	}
	var keys []string
	for _, key := range sortedKeys(t.src) {
		if v, over := seen[key]; v != nil || !over && t.src[key] != nil {
			keys = append(keys, key)
		}
	}
	for _, f := range t.fields {
		if f.value != nil && !t.has(f.key) {
			keys = append(keys, f.key)
		}
	}
	others := 0
	if t.more != nil {
		others = len(t.more.pairs) - t.more.gone
	}
	s.entries(len(items)+len(keys)+others, items, keys, func(key string) any {
		if v, over := seen[key]; over {
			return v
		}
		return t.src[key]
	})
}

// entries writes items, and the values of keys; n is how many there are with others.
func (s *shower) entries(n int, items []any, keys []string, value func(key string) any) {
	s.text.WriteByte('{')
	done := 0
	separate := func() bool {
		if s.full() {
			return false
		}
		if done > 0 {
			s.text.WriteString(", ")
		}
		done++
		return true
	}
	for _, v := range items {
		if !separate() {
			break
		}
		s.value(v)
	}
	for _, key := range keys {
		if !separate() {
			break
		}
		if isName(key) {
			s.text.WriteString(key + " = ")
		} else {
			s.text.WriteByte('[')
			s.quoted(key)
			s.text.WriteString("] = ")
		}
		s.value(value(key))
	}
	if done < n {
		if done > 0 {
			s.text.WriteString(", ")
		}
		fmt.Fprintf(&s.text, "…+%d", n-done)
	}
	s.text.WriteByte('}')
}

// sortedKeys returns the keys of a map, sorted; none of a very large one.
func sortedKeys(m map[string]any) []string {
	if len(m) > maxSorted {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}
