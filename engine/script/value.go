// SPDX-License-Identifier: Apache-2.0

package script

// Composite is a table of a result that is read in place, while the memory of
// its run is alive. It is either a list or a map; an empty one that the script
// made again can be read as both.
type Composite interface {
	// Field returns the value under key, nil where there is none.
	Field(key string) any
	// Source returns the plain map that a map is a view of, where the script changed and
	// looked into nothing of it; else nil. Reading it is paid by Walk too.
	Source() map[string]any
	// Walk takes what reading all entries of a map costs, and prepares it. It stands
	// before the first call of Next.
	Walk() error
	// Next returns the first entry of a map at a position or behind it, in the fixed
	// order of the run, and the position behind that entry: 0 where there is none. The
	// first position is 0.
	Next(at int) (key string, value any, next int)
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

// PlainMap returns v where it is a plain map, or a view of one that the script did not
// touch; else nil.
func PlainMap(v any) map[string]any {
	switch x := v.(type) {
	case map[string]any:
		return x
	case Composite:
		return x.Source()
	}
	return nil
}

// Fields calls f for each entry of a Composite or a plain map, and reports whether
// v is one. The order is not fixed where PlainMap returns one. It keeps f off the heap, and
// so does a caller that only calls its own f.
func Fields(v any, f func(key string, value any) error) (bool, error) {
	switch x := v.(type) {
	case map[string]any:
		return true, plainEntries(x, f)
	case Composite:
		if x.IsList() && !x.IsMap() && x.Len() > 0 {
			return false, nil
		}
		return true, entries(x, f)
	}
	return false, nil
}

// plainEntries calls f for each entry of a plain map.
func plainEntries(m map[string]any, f func(key string, value any) error) error {
	for k, e := range m {
		if err := f(k, e); err != nil {
			return err
		}
	}
	return nil
}

// entries calls f for each entry of a Composite.
func entries(c Composite, f func(key string, value any) error) error {
	if err := c.Walk(); err != nil {
		return err
	}
	if m := c.Source(); m != nil {
		return plainEntries(m, f)
	}
	for key, v, at := c.Next(0); at > 0; key, v, at = c.Next(at) {
		if err := f(key, v); err != nil {
			return err
		}
	}
	return nil
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
