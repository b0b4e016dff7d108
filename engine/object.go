// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// decodeObject reads an answer that is the object in a new form: whole from a
// function, a merge patch on base from an expression. The identity of the object
// must be that of base. An answer that changes nothing is base itself.
func decodeObject(base *unstructured.Unstructured, rule *Rule, answer any) (*unstructured.Unstructured, error) {
	if answer == nil {
		return nil, script.Errorf(script.Result, "object: the script gave nil; it must return the object")
	}
	object, err := decodePlainMap("object", answer)
	if err != nil {
		return nil, err
	}
	if rule.Expression {
		object = builtin.MergePatch(base.Object, object, unpaid{})
	}
	if sameMap(base.Object, object) {
		return base, nil
	}
	if err := checkIdentity(base.Object, object); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// unpaid is the meter of a merge that the run does not pay for.
type unpaid struct{}

func (unpaid) Charge(int64) {}

// checkIdentity refuses an answer that is another object.
func checkIdentity(base, object map[string]any) error {
	for _, key := range [...]string{"apiVersion", "kind"} {
		if err := checkSame("object."+key, base[key], object[key]); err != nil {
			return err
		}
	}
	was, _ := base["metadata"].(map[string]any)
	is, _ := object["metadata"].(map[string]any)
	for _, key := range [...]string{"namespace", "name"} {
		if err := checkSame("object.metadata."+key, was[key], is[key]); err != nil {
			return err
		}
	}
	return nil
}

// checkSame refuses another text; none is the same as an empty one.
func checkSame(path string, was, is any) error {
	before, _ := was.(string)
	after, isText := is.(string)
	switch {
	case is == nil && before != "":
		return script.Errorf(script.Result, "%s: the script removed it; it was %q", path, before)
	case is != nil && !isText:
		return script.Errorf(script.Result, "%s: the script changed it from %q to a %s", path, before, script.TypeName(is))
	case before != after:
		return script.Errorf(script.Result, "%s: the script changed it from %q to %q", path, before, after)
	}
	return nil
}

func sameOrNew(base *unstructured.Unstructured, object map[string]any) *unstructured.Unstructured {
	if sameMap(base.Object, object) {
		return base
	}
	return &unstructured.Unstructured{Object: object}
}

// sameMap reports whether a and b are one map, not that they are equal.
func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// errNotAMap is why a path does not lead to where it points.
var errNotAMap = errors.New("the path goes through a value that is not a map")

// pointerAt returns the keys of item i of a list of JSON pointers.
func pointerAt(i int, p any) ([]string, error) {
	pointer, ok := p.(string)
	if !ok || len(pointer) < 2 || pointer[0] != '/' {
		return nil, script.Errorf(script.Result, "paths[%d]: want a JSON pointer such as \"/spec/replicas\", got %v", i, p)
	}
	return splitPointer(pointer), nil
}

// splitPointer returns the keys of a JSON pointer that begins with a slash.
func splitPointer(pointer string) []string {
	keys := strings.Split(pointer[1:], "/")
	for i := range keys {
		keys[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(keys[i])
	}
	return keys
}

// lookup finds a value by the keys of nested maps.
func lookup(m map[string]any, keys []string) (any, bool) {
	for i, key := range keys {
		v, ok := m[key]
		if !ok || i == len(keys)-1 {
			return v, ok
		}
		if m, ok = v.(map[string]any); !ok {
			return nil, false
		}
	}
	return nil, false
}

// replaced returns m with a value set below the keys; only the maps on the way are
// copied.
func replaced(m map[string]any, keys []string, value any) (map[string]any, error) {
	if old, ok := m[keys[0]]; ok && len(keys) == 1 && reflect.DeepEqual(old, value) {
		return m, nil
	}
	next := maps.Clone(m)
	if next == nil {
		next = map[string]any{}
	}
	if len(keys) == 1 {
		next[keys[0]] = value
		return next, nil
	}
	below, isMap := m[keys[0]].(map[string]any)
	if !isMap && m[keys[0]] != nil {
		return nil, errNotAMap
	}
	changed, err := replaced(below, keys[1:], value)
	if err != nil {
		return nil, err
	}
	if isMap && sameMap(below, changed) {
		return m, nil
	}
	next[keys[0]] = changed
	return next, nil
}
