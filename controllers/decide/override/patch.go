// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// patch is one operation of RFC 6902 on plain values.
type patch struct {
	operator policyv1alpha1.OverriderOperator
	path     pointer.Pointer
	value    any
}

// valuesPerChange is what an operation costs, however little it copies.
const valuesPerChange = 8

// apply returns the object of a draft with the operation done. The maps and lists on the way
// to the path are the draft's own after it.
func (p patch) apply(d *draft) (any, error) {
	if len(p.path) == 0 {
		if p.operator == policyv1alpha1.OverriderOpRemove {
			return nil, fmt.Errorf("%s: the whole object cannot be removed", p.operator)
		}
		return p.value, nil
	}
	if err := d.budget.Take(valuesPerChange + len(p.path)); err != nil {
		return nil, err
	}
	return p.at(d, d.object, 0)
}

// at returns the value that the first tokens of the path lead to, changed.
func (p patch) at(d *draft, value any, depth int) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		return p.inMap(d, value, depth)
	case []any:
		return p.inList(d, value, depth)
	}
	return nil, fmt.Errorf("%s %s: %s is %s, not a map or a list", p.operator, p.path, where(p.path[:depth]), kindOf(value))
}

func (p patch) inMap(d *draft, m map[string]any, depth int) (any, error) {
	key := p.path[depth]
	child, exists := m[key]
	last := depth == len(p.path)-1
	if !exists && !(last && p.operator == policyv1alpha1.OverriderOpAdd) {
		return nil, p.missing(depth)
	}
	m, err := d.ownMap(m)
	if err != nil {
		return nil, err
	}
	switch {
	case last && p.operator == policyv1alpha1.OverriderOpRemove:
		delete(m, key)
		return m, nil
	case last:
		child = p.value
	default:
		if child, err = p.at(d, child, depth+1); err != nil {
			return nil, err
		}
	}
	m[key] = child
	return m, nil
}

func (p patch) inList(d *draft, list []any, depth int) (any, error) {
	token := p.path[depth]
	last := depth == len(p.path)-1
	if last && p.operator == policyv1alpha1.OverriderOpAdd {
		i, err := pointer.Place(token, len(list))
		if err != nil {
			return nil, p.wrap(depth, err)
		}
		return d.insert(list, i, p.value)
	}
	i, err := pointer.Item(token, len(list))
	if err != nil {
		return nil, p.wrap(depth, err)
	}
	if last && p.operator == policyv1alpha1.OverriderOpRemove {
		return d.remove(list, i)
	}
	if list, err = d.ownList(list); err != nil {
		return nil, err
	}
	if last {
		list[i] = p.value
		return list, nil
	}
	child, err := p.at(d, list[i], depth+1)
	if err != nil {
		return nil, err
	}
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
		switch parent := value.(type) {
		case map[string]any:
			child, exists := parent[token]
			if !exists {
				return nil, fmt.Errorf("%s: %s has no %q", path, where(path[:depth]), token)
			}
			value = child
		case []any:
			i, err := pointer.Item(token, len(parent))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, where(path[:depth]), err)
			}
			value = parent[i]
		default:
			return nil, fmt.Errorf("%s: %s is %s, not a map or a list", path, where(path[:depth]), kindOf(value))
		}
	}
	return value, nil
}
