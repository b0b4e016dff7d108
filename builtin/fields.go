// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"strings"
)

// maxReads is how many keys one call reads at most: fields times clusters is a
// product, and gas is counted when the work is done.
const maxReads = 1 << 20

// fieldPath is a path below status, key by key.
type fieldPath []string

// fewKeys is up to how many fields, and keys of one, are read before they are paid for.
const fewKeys = 32

// maxKeys is how many keys the paths of one call have at most.
const maxKeys = 1 << 16

func tooManyFields() error { return errors.New("too many fields for the number of items") }

// fieldPaths reads a list of paths, each in one of the forms of get.
func fieldPaths(v any, m Meter) ([]fieldPath, error) {
	list, err := asList("fields", v)
	if err != nil {
		return nil, err
	}
	if len(list) > maxKeys {
		return nil, tooManyFields()
	}
	if len(list) > fewKeys {
		m.Charge(int64(len(list)))
	}
	paths := make([]fieldPath, len(list))
	keys := make([]string, 0, len(list))
	for i, p := range list {
		first := len(keys)
		if keys, err = appendPath(keys, p, m); err != nil {
			return nil, err
		}
		paths[i] = keys[first:]
	}
	return paths, nil
}

// objectAndFields reads the arguments of a function that takes a map and the paths of
// fields below it.
func objectAndFields(args []any, m Meter) (map[string]any, []fieldPath, error) {
	object, err := asMap("object", arg(args, 0))
	if err != nil {
		return nil, nil, err
	}
	paths, err := fieldPaths(arg(args, 1), m)
	return object, paths, err
}

// asPath reads one path.
func asPath(v any, m Meter) (fieldPath, error) { return appendPath(nil, v, m) }

// appendPath appends the keys of a path, at least one.
func appendPath(keys []string, v any, m Meter) ([]string, error) {
	switch x := v.(type) {
	case string:
		if n := strings.Count(x, "."); n > fewKeys {
			m.Charge(int64(n) / 2)
		}
		for rest, more := x, true; more; {
			var key string
			if key, rest, more = strings.Cut(rest, "."); isWrongKey(key) {
				return nil, fmt.Errorf("a field %w", wrongPath(x))
			}
			if keys = append(keys, key); len(keys) > maxKeys {
				return nil, tooManyFields()
			}
		}
		return keys, nil
	case []any:
		if len(keys)+len(x) > maxKeys {
			return nil, tooManyFields()
		}
		if len(x) > fewKeys {
			m.Charge(int64(len(x)) / 2)
		}
		for _, key := range x {
			s, ok := key.(string)
			if !ok {
				return nil, fmt.Errorf("a key of a path must be a string, not a %s", typeName(key))
			}
			keys = append(keys, s)
		}
		if len(x) > 0 {
			return keys, nil
		}
		return nil, fmt.Errorf("a field %w", noKeys())
	}
	return nil, fmt.Errorf("a field must be a name, a path with dots or a list of keys, not %s", named(v))
}

// String writes the path with dots.
func (p fieldPath) String() string { return strings.Join(p, ".") }

// in reads the path in a map; nil where a part is missing.
func (p fieldPath) in(m map[string]any) any {
	var at any = m
	for _, key := range p {
		at = field(at, key)
	}
	return at
}

// payReads pays for reading all paths once in each of n maps. It is an error where that is
// too much for one call.
func payReads(paths []fieldPath, n int, m Meter) error {
	var one int64
	for _, p := range paths {
		for _, key := range p {
			one += 1 + int64(len(key))/64
		}
	}
	if n > 0 && one > maxReads/int64(n) {
		return tooManyFields()
	}
	m.Charge(1 + one*int64(n))
	return nil
}

// tree is a map that is being built. Its branches are trees; any other value is a leaf,
// which may be a part of an argument.
type tree map[string]any

// put sets the value at a path, unless a leaf is on the way.
func (t tree) put(path fieldPath, v any) {
	last := len(path) - 1
	for _, key := range path[:last] {
		branch, ok := t[key].(tree)
		if !ok {
			if t[key] != nil {
				return
			}
			branch = tree{}
			t[key] = branch
		}
		t = branch
	}
	t[path[last]] = v
}

// plain returns the tree as a map.
func (t tree) plain() map[string]any {
	for key, v := range t {
		if branch, ok := v.(tree); ok {
			t[key] = branch.plain()
		}
	}
	return t
}
