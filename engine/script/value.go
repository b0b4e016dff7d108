// SPDX-License-Identifier: Apache-2.0

package script

// Composite is a table of a result that is read in place, while the memory of
// its run is alive. It is either a list or a map; an empty one that the script
// made again can be read as both.
type Composite interface {
	// Field returns the value under key, nil where there is none.
	Field(key string) any
	// Fields calls f for each entry of a map, in the fixed order of the run.
	Fields(f func(key string, value any) error) error
	// Len is the number of items of a list.
	Len() int
	// Item returns item i of a list, from 0.
	Item(i int) any
	// IsList reports whether the table has items, or came from a list.
	IsList() bool
	// IsMap reports whether the table has fields, or came from a map.
	IsMap() bool
	// Plain returns the table as map[string]any or []any that stay valid after
	// the run. Parts that the script did not change are those of the input.
	// An empty table that the script made is a map. The error is a Result error:
	// the value nests too deep, has a cycle, or holds a function.
	Plain() (any, error)
}

// Plain returns v as a plain value that stays valid after the run.
func Plain(v any) (any, error) {
	if c, ok := v.(Composite); ok {
		return c.Plain()
	}
	return v, nil
}

// Field reads a field of a Composite or a plain map; nil where there is none.
func Field(v any, key string) any {
	switch x := v.(type) {
	case map[string]any:
		return x[key]
	case Composite:
		return x.Field(key)
	}
	return nil
}

// Fields calls f for each entry of a Composite or a plain map, and reports whether
// v is one.
func Fields(v any, f func(key string, value any) error) (bool, error) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if err := f(k, e); err != nil {
				return true, err
			}
		}
		return true, nil
	case Composite:
		if x.IsList() && !x.IsMap() && x.Len() > 0 {
			return false, nil
		}
		return true, x.Fields(f)
	}
	return false, nil
}

// Items calls f for each item of a Composite or a plain list, and reports whether
// v is one. An empty table that a script made is an empty list.
func Items(v any, f func(i int, value any) error) (bool, error) {
	switch x := v.(type) {
	case Composite:
		if !x.IsList() && x.IsMap() {
			return false, nil
		}
		for i := range x.Len() {
			if err := f(i, x.Item(i)); err != nil {
				return true, err
			}
		}
		return true, nil
	case []any:
		for i, e := range x {
			if err := f(i, e); err != nil {
				return true, err
			}
		}
		return true, nil
	}
	return false, nil
}

// TypeName names the type of a result value for messages: nil, boolean, number,
// string, list, map or function.
func TypeName(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case bool:
		return "boolean"
	case int64, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	case Composite:
		if x.IsList() {
			return "list"
		}
		return "map"
	}
	return "function"
}
