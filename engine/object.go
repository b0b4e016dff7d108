// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// object reads an answer that is the object in a new form: whole from a function, a merge
// patch on base from an expression.
func (r *reader) object(base *unstructured.Unstructured, answer any) (*unstructured.Unstructured, error) {
	if answer == nil {
		return nil, wrong("object: the script gave nil; it must return the object")
	}
	object, err := r.plainMap(answer)
	if err != nil {
		return nil, below("object", err)
	}
	if r.rule.Expression {
		if object, err = r.patched(base.Object, object); err != nil {
			return nil, err
		}
	}
	return r.changed(base, object)
}

// changed returns base with another content, which must have the identity of base and
// fit into etcd. It is base itself where the content is that of base.
func (r *reader) changed(base *unstructured.Unstructured, object map[string]any) (*unstructured.Unstructured, error) {
	if sameMap(base.Object, object) {
		return base, nil
	}
	if err := checkIdentity(base.Object, object); err != nil {
		return nil, err
	}
	if err := r.stored(base.Object, object); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// patched returns base with a merge patch, and pays for it before.
func (r *reader) patched(base, patch map[string]any) (map[string]any, error) {
	if err := r.payPatch(base, patch); err != nil {
		return nil, err
	}
	return builtin.MergePatch(base, patch, paidBefore{}), nil
}

// paidBefore is the meter of a function that was paid for.
type paidBefore struct{}

func (paidBefore) Charge(int64) {}

// payPatch pays for the maps that a merge patch copies and makes.
func (r *reader) payPatch(base, patch map[string]any) error {
	if len(patch) == 0 {
		return nil
	}
	if err := r.Tally.Clone(base); err != nil {
		return err
	}
	if err := r.Tally.Clone(patch); err != nil {
		return err
	}
	for key, v := range patch {
		below, isMap := v.(map[string]any)
		if !isMap {
			continue
		}
		was, _ := base[key].(map[string]any)
		if err := r.payPatch(was, below); err != nil {
			return err
		}
	}
	return nil
}

// checkIdentity refuses an answer that is another object.
func checkIdentity(base, object map[string]any) error {
	for _, key := range [...]string{"apiVersion", "kind"} {
		if err := checkSame(base[key], object[key]); err != nil {
			return below("object."+key, err)
		}
	}
	was, _ := base["metadata"].(map[string]any)
	is, _ := object["metadata"].(map[string]any)
	for _, key := range [...]string{"namespace", "name"} {
		if err := checkSame(was[key], is[key]); err != nil {
			return below("object.metadata."+key, err)
		}
	}
	return nil
}

// checkSame refuses another text; none is the same as an empty one.
func checkSame(was, is any) error {
	before, _ := was.(string)
	after, isText := is.(string)
	switch {
	case is == nil && before != "":
		return wrong("the script removed it; it was %q", clipped(before))
	case is != nil && !isText:
		return wrong("the script changed it from %q to a %s", clipped(before), script.TypeName(is))
	case before != after:
		return wrong("the script changed it from %q to %q", clipped(before), clipped(after))
	}
	return nil
}

// sameMap reports whether a and b are one map, not that they are equal.
func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
