// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// wrongPath returns why a path with dots between its keys leads nowhere, and how it is
// written; nil where nothing is wrong with its form. It takes time in proportion to the
// path.
func wrongPath(path string) error {
	switch {
	case path == "":
		return errors.New("is empty; write the keys with dots between them, such as \"status.phase\"")
	case strings.ContainsAny(path, "[]"):
		return bracketed(path)
	}
	keys := strings.Split(path, ".")
	var left []string
	for _, key := range keys {
		if key != "" {
			left = append(left, key)
		}
	}
	if len(left) == len(keys) {
		return nil
	}
	what := "has an empty key"
	switch {
	case keys[0] == "":
		what = "begins with a dot"
	case keys[len(keys)-1] == "":
		what = "ends with a dot"
	}
	if len(left) == 0 {
		return fmt.Errorf("%s has no keys", quoted(path))
	}
	return fmt.Errorf("%s %s; write %s", quoted(path), what, quoted(strings.Join(left, ".")))
}

// bracketed is the error of a path with brackets.
func bracketed(path string) error {
	before, rest, _ := strings.Cut(path, "[")
	inside, after, closed := strings.Cut(rest, "]")
	key := strings.Trim(inside, `"'`)
	if _, err := strconv.Atoi(key); err == nil || !closed || key == "" || before == "" {
		if before = strings.Trim(before, "."); before == "" {
			return fmt.Errorf("%s has a bracket; a path goes through maps alone, by their keys with dots between them", quoted(path))
		}
		return fmt.Errorf("%s has a bracket; a path goes through maps alone: read the list with %s, and take the item from it", quoted(path), quoted(before))
	}
	keys := append(strings.Split(strings.Trim(before, "."), "."), key)
	if after = strings.Trim(after, "."); after != "" && !strings.ContainsAny(after, "[]") {
		keys = append(keys, strings.Split(after, ".")...)
	}
	for i, key := range keys {
		keys[i] = quoted(key)
	}
	return fmt.Errorf("%s has a bracket; write the keys as a list: %s", quoted(path), clipped(strings.Join(keys, ", ")))
}

// IsWrongPath reports whether a path with dots between its keys has a form that no function
// takes.
func IsWrongPath(path string) bool { return wrongPath(path) != nil }

// isWrongKey reports whether a key of a path with dots cannot be meant; wrongPath has the
// reason.
func isWrongKey(key string) bool {
	return key == "" || strings.IndexByte(key, '[') >= 0 || strings.IndexByte(key, ']') >= 0
}

// constantPath checks a path that is known before the call.
func constantPath(v any) error {
	switch x := v.(type) {
	case string:
		return wrongPath(x)
	case []any:
		if len(x) == 0 {
			return noKeys()
		}
		for i, key := range x {
			if s, ok := key.(string); !ok || s == "" {
				return fmt.Errorf("has %s as key %d; a key is a string with characters", shownKey(key), i+1)
			}
		}
	}
	return nil
}

// constantPaths checks a list of paths that is known before the call.
func constantPaths(v any) error {
	list, _ := v.([]any)
	for i, path := range list {
		field := Param{Type: "path"}
		if path == nil || !field.takes(path) {
			return fmt.Errorf("has %s as item %d; want a path", named(path), i+1)
		}
		if err := constantPath(path); err != nil {
			return fmt.Errorf("has a wrong path: %w", err)
		}
	}
	return nil
}

func shownKey(key any) string {
	if key == "" {
		return "an empty string"
	}
	return named(key)
}

// noKeys is the error of a list without keys.
func noKeys() error { return errors.New("has no keys") }
