// SPDX-License-Identifier: Apache-2.0

// Package mergepatch makes the patches by which controllers write what they changed: what
// an object was and what it is go in, a JSON merge patch comes out. It looks only at the
// part that a request can change, so the cost of a status is that of the status, however
// large the spec is.
package mergepatch

import (
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Patch is the difference of an object from what it was before.
type Patch struct {
	before client.Object
	// status is whether the request writes the status and nothing else.
	status bool
	// locked is whether the request fails if the object was written since.
	locked bool
}

var _ client.Patch = Patch{}

// From returns the patch of an object but for its status, which such a request cannot
// change. It is a conflict if the object was written since it was as before.
func From(before client.Object) Patch { return Patch{before: before, locked: true} }

// StatusFrom returns the patch of the status of an object. It is a conflict if the object
// was written since it was as before.
func StatusFrom(before client.Object) Patch {
	return Patch{before: before, status: true, locked: true}
}

// Unlocked returns the patch without the condition that nobody wrote the object since.
func (p Patch) Unlocked() Patch {
	p.locked = false
	return p
}

// Type returns the type of a JSON merge patch.
func (p Patch) Type() types.PatchType { return types.MergePatchType }

// Data returns the patch that makes an object from what it was before.
func (p Patch) Data(after client.Object) ([]byte, error) {
	was, err := p.part(p.before)
	if err != nil {
		return nil, err
	}
	is, err := p.part(after)
	if err != nil {
		return nil, err
	}
	changed := difference(was, is)
	if p.locked {
		metadata, ok := changed["metadata"].(map[string]any)
		if !ok {
			metadata = map[string]any{}
			changed["metadata"] = metadata
		}
		metadata["resourceVersion"] = p.before.GetResourceVersion()
	}
	return json.Marshal(changed)
}

// part returns the part of an object that the request can change, as JSON values. It is
// shared with the object.
func (p Patch) part(o client.Object) (map[string]any, error) {
	if u, ok := o.(*unstructured.Unstructured); ok {
		return p.of(u.Object), nil
	}
	v := reflect.ValueOf(o).Elem()
	metadata, spec, status := v.FieldByName("ObjectMeta"), v.FieldByName("Spec"), v.FieldByName("Status")
	if metadata.Kind() != reflect.Struct || spec.Kind() != reflect.Struct || status.Kind() != reflect.Struct {
		whole, err := valuesOf(o)
		return p.of(whole), err
	}
	if p.status {
		values, err := valuesOf(status.Addr().Interface())
		return map[string]any{"status": values}, err
	}
	m := metadata.Interface().(metav1.ObjectMeta)
	m.ManagedFields = nil // the API server's
	values, err := valuesOf(&m)
	if err != nil {
		return nil, err
	}
	specified, err := valuesOf(spec.Addr().Interface())
	return map[string]any{"metadata": values, "spec": specified}, err
}

// of returns the part of a whole object that the request can change.
func (p Patch) of(whole map[string]any) map[string]any {
	if !p.status {
		return whole
	}
	if status, has := whole["status"]; has {
		return map[string]any{"status": status}
	}
	return nil
}

// valuesOf returns a struct as JSON values.
func valuesOf(pointer any) (map[string]any, error) {
	values, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pointer)
	if err != nil {
		return nil, fmt.Errorf("write %T as JSON: %w", pointer, err)
	}
	return values, nil
}

// difference returns the JSON merge patch (RFC 7386) that makes one map from another. What
// is in it is shared with the second, but for the maps that have a change in them.
func difference(was, is map[string]any) map[string]any {
	changed := map[string]any{}
	for key, after := range is {
		before, had := was[key]
		if !had {
			changed[key] = after
			continue
		}
		a, isMap := after.(map[string]any)
		if b, wasMap := before.(map[string]any); isMap && wasMap {
			if inner := difference(b, a); len(inner) > 0 {
				changed[key] = inner
			}
			continue
		}
		if !reflect.DeepEqual(before, after) {
			changed[key] = after
		}
	}
	for key := range was {
		if _, has := is[key]; !has {
			changed[key] = nil
		}
	}
	return changed
}
