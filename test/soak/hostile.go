// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"strings"
)

// spoil puts a hostile value in one place of an object, at a depth by chance.
func (s *soak) spoil(object map[string]any) {
	at := any(object)
	for {
		next, put := s.step(at)
		if put == nil {
			return
		}
		if _, isMap := next.(map[string]any); isMap && s.random.IntN(4) > 0 {
			at = next
			continue
		}
		if list, isList := next.([]any); isList && len(list) > 0 && s.random.IntN(4) > 0 {
			at = next
			continue
		}
		put(s.hostile())
		return
	}
}

// step chooses a value below at, and returns what puts another in its place; nil where
// there is none.
func (s *soak) step(at any) (value any, put func(any)) {
	switch x := at.(type) {
	case map[string]any:
		n := s.random.IntN(max(len(x), 1))
		for key, v := range x {
			if n == 0 {
				return v, func(w any) { x[key] = w }
			}
			n--
		}
	case []any:
		if len(x) > 0 {
			i := s.random.IntN(len(x))
			return x[i], func(w any) { x[i] = w }
		}
	}
	return nil, nil
}

// hostile returns a value that no operator writes.
func (s *soak) hostile() any {
	switch s.random.IntN(18) {
	case 0:
		return nil
	case 1:
		return strings.Repeat("a", 1<<s.random.IntN(17))
	case 2:
		return "1e-999999999"
	case 3:
		return strings.Repeat("9", 1<<s.random.IntN(12))
	case 4:
		return math.MaxInt64 - int64(s.random.IntN(2))
	case 5:
		return int64(math.MinInt64)
	case 6:
		return math.MaxFloat64
	case 7:
		return 5e-324
	case 8:
		return -1.5
	case 9:
		return map[string]any{}
	case 10:
		return []any{}
	case 11:
		return []any{nil, nil, int64(1)}
	case 12:
		return s.list(1 << s.random.IntN(13))
	case 13:
		return s.fields(1 << s.random.IntN(12))
	case 14:
		return nested(s.random.IntN(300))
	case 15:
		return "\xff\x00%s%n[^]*(((" + strings.Repeat("%w", s.random.IntN(100))
	case 16:
		return s.random.IntN(2) == 0
	}
	return map[string]any{strings.Repeat("k", 1<<s.random.IntN(16)): []any{map[string]any{}}}
}

func (s *soak) list(n int) any {
	kind := s.random.IntN(3)
	list := make([]any, n)
	for i := range list {
		switch kind {
		case 0:
			list[i] = int64(i)
		case 1:
			list[i] = map[string]any{"name": fmt.Sprint(i), "type": "A", "status": "True"}
		default:
			list[i] = fmt.Sprint("text ", i)
		}
	}
	return list
}

func (s *soak) fields(n int) any {
	fields := make(map[string]any, n)
	for i := range n {
		fields[fmt.Sprint("key", i)] = map[string]any{"value": int64(i)}
	}
	return fields
}

// nested returns maps and lists in each other.
func nested(depth int) any {
	var v any = "end"
	for i := range depth {
		if i%2 == 0 {
			v = map[string]any{"a": v}
		} else {
			v = []any{v}
		}
	}
	return v
}
