// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"maps"
	"slices"
)

// Fields are the keys that a map may have, and what reads the value of each. A key
// without a value counts as absent: its reader is not called.
type Fields map[string]func(Node) error

// Fields reads a map. It returns all errors at once, as Problems: a key that is not in
// fields is one, and a key of required without a value.
func (n Node) Fields(fields Fields, required ...string) error {
	var problems Problems
	for _, key := range required {
		if m, isMap := n.Value.(map[string]any); isMap && m[key] == nil {
			problems.Add(n.Errorf("%s is missing", key))
		}
	}
	err := n.each(func(key string, value Node) {
		read, known := fields[key]
		switch {
		case !known:
			value.Path = n.Path
			problems.AddFrom(func() error {
				return value.Errorf("%s", Unknown("key", key, slices.Sorted(maps.Keys(fields))))
			})
		case value.Value != nil:
			problems.Add(read(value))
		}
	})
	problems.Add(err)
	return problems.Err()
}

// Each calls f for each entry of a map in the order of the file, and returns the errors as Problems.
func (n Node) Each(f func(key string, value Node) error) error {
	var problems Problems
	err := n.each(func(key string, value Node) { problems.Add(f(key, value)) })
	problems.Add(err)
	return problems.Err()
}

// Items calls f for each item of a list, and returns the errors as Problems.
func (n Node) Items(f func(item Node) error) error {
	var problems Problems
	err := n.items(func(item Node) { problems.Add(f(item)) })
	problems.Add(err)
	return problems.Err()
}

// String reads a string.
func String(into *string) func(Node) error {
	return func(n Node) (err error) {
		*into, err = scalar[string](n, "a string")
		return err
	}
}

// Bool reads a boolean.
func Bool(into *bool) func(Node) error {
	return func(n Node) (err error) {
		*into, err = scalar[bool](n, "a boolean")
		return err
	}
}

// Int reads a whole number that is not negative.
func Int[T int | int64](into *T) func(Node) error {
	return func(n Node) error {
		v, err := scalar[int64](n, "a whole number")
		if err == nil && v < 0 {
			return n.Errorf("%d is negative", v)
		}
		*into = T(v)
		return err
	}
}

// Strings reads a list of strings.
func Strings(into *[]string) func(Node) error {
	return func(n Node) error {
		return n.Items(func(item Node) error {
			s, err := scalar[string](item, "a string")
			*into = append(*into, s)
			return err
		})
	}
}

// StringMap reads a map of strings.
func StringMap(into *map[string]string) func(Node) error {
	return func(n Node) error {
		*into = map[string]string{}
		return n.Each(func(key string, value Node) error {
			s, err := scalar[string](value, "a string")
			(*into)[key] = s
			return err
		})
	}
}

// Keep keeps the node itself.
func Keep(into *Node) func(Node) error {
	return func(n Node) error {
		*into = n
		return nil
	}
}

// Ignore allows a field without reading it.
func Ignore(Node) error { return nil }

func scalar[T any](n Node, want string) (T, error) {
	v, ok := n.Value.(T)
	if !ok {
		return v, n.Errorf("want %s, got %s", want, typeName(n.Value))
	}
	return v, nil
}
