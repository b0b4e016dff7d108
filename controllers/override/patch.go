// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"
	"maps"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/override/internal/pointer"
)

// patch is one operation of RFC 6902 on plain values.
type patch struct {
	operator policyv1alpha1.OverriderOperator
	path     pointer.Pointer
	value    any
}

// apply returns the value with the operation done. The maps and lists on the way to the
// path are copies; the value is not changed and the result shares the rest of it.
func (p patch) apply(root any) (any, error) {
	if len(p.path) == 0 {
		if p.operator == policyv1alpha1.OverriderOpRemove {
			return nil, fmt.Errorf("%s: the whole object cannot be removed", p.operator)
		}
		return p.value, nil
	}
	return p.at(root, 0)
}

// at returns the value that the first tokens of the path lead to, changed.
func (p patch) at(value any, depth int) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		return p.inMap(value, depth)
	case []any:
		return p.inList(value, depth)
	}
	return nil, fmt.Errorf("%s %s: %s is %s, not a map or a list", p.operator, p.path, where(p.path[:depth]), kindOf(value))
}

func (p patch) inMap(m map[string]any, depth int) (any, error) {
	key := p.path[depth]
	child, exists := m[key]
	last := depth == len(p.path)-1
	if !exists && !(last && p.operator == policyv1alpha1.OverriderOpAdd) {
		return nil, p.missing(depth)
	}
	if !last {
		changed, err := p.at(child, depth+1)
		if err != nil {
			return nil, err
		}
		child = changed
	} else {
		child = p.value
	}
	m = maps.Clone(m)
	if m == nil {
		m = map[string]any{}
	}
	if last && p.operator == policyv1alpha1.OverriderOpRemove {
		delete(m, key)
	} else {
		m[key] = child
	}
	return m, nil
}

func (p patch) inList(list []any, depth int) (any, error) {
	token := p.path[depth]
	last := depth == len(p.path)-1
	if last && p.operator == policyv1alpha1.OverriderOpAdd {
		i, err := pointer.Place(token, len(list))
		if err != nil {
			return nil, p.wrap(depth, err)
		}
		return slices.Concat(list[:i], []any{p.value}, list[i:]), nil
	}
	i, err := pointer.Item(token, len(list))
	if err != nil {
		return nil, p.wrap(depth, err)
	}
	if last && p.operator == policyv1alpha1.OverriderOpRemove {
		return slices.Concat(list[:i], list[i+1:]), nil
	}
	child := p.value
	if !last {
		if child, err = p.at(list[i], depth+1); err != nil {
			return nil, err
		}
	}
	list = slices.Clone(list)
	list[i] = child
	return list, nil
}

// missing is the error of a key that is not there.
func (p patch) missing(depth int) error {
	advice := ""
	if depth < len(p.path)-1 && p.operator == policyv1alpha1.OverriderOpAdd {
		advice = "; add it first"
	}
	return fmt.Errorf("%s %s: %s has no %q%s", p.operator, p.path, where(p.path[:depth]), p.path[depth], advice)
}

func (p patch) wrap(depth int, err error) error {
	return fmt.Errorf("%s %s: %s: %w", p.operator, p.path, where(p.path[:depth]), err)
}

// where names a place for messages.
func where(p pointer.Pointer) string {
	if len(p) == 0 {
		return "the object"
	}
	return p.String()
}

// kindOf names the kind of a plain value for messages.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	}
	return "a number"
}

// lookup returns the value that a path leads to.
func lookup(root any, path pointer.Pointer) (any, error) {
	value := root
	for depth, token := range path {
		here := where(path[:depth])
		switch parent := value.(type) {
		case map[string]any:
			child, exists := parent[token]
			if !exists {
				return nil, fmt.Errorf("%s: %s has no %q", path, here, token)
			}
			value = child
		case []any:
			i, err := pointer.Item(token, len(parent))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, here, err)
			}
			value = parent[i]
		default:
			return nil, fmt.Errorf("%s: %s is %s, not a map or a list", path, here, kindOf(value))
		}
	}
	return value, nil
}

// set returns the root with another value in place of the one that a path leads to.
func set(root map[string]any, path pointer.Pointer, value any) (map[string]any, error) {
	changed, err := patch{policyv1alpha1.OverriderOpReplace, path, value}.apply(root)
	if err != nil {
		return nil, err
	}
	object, ok := changed.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the object would become %s", kindOf(changed))
	}
	return object, nil
}
