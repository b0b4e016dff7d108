// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// DefaultRelated is how many objects of one Related a script sees, unless it declares
	// another number, and MaxRelated how many it may declare.
	DefaultRelated = 10
	MaxRelated     = 50
	// MaxRelatedBytes bounds the kept fields of one object: the bytes of its texts and
	// keys, and 8 for each value.
	MaxRelatedBytes = 4 << 10
)

// Related declares objects that are related to a workload, and hold what an operation must
// see beside it. They are in the namespace of the workload, in the same cluster.
type Related struct {
	// Kind is that of the objects, in the version in which they are read.
	Kind schema.GroupVersionKind
	// Refers is how an object refers to its workload.
	Refers Reference
	// Where are conditions that all hold for an object; others are not related.
	Where []FieldCondition
	// Time is the path of the field by which objects are ordered, a time as text of RFC 3339
	// or as milliseconds since 1970; "" is metadata.creationTimestamp, which also stands for
	// a field that is missing or no time.
	Time string
	// Fields are the paths of what is kept of an object beside its identity; none leads into
	// another. Those beyond MaxRelatedBytes, in this order, are left out.
	Fields []string
	// Most is how many objects there are at most, the newest ones.
	Most int
}

// Reference is how an object refers to its workload: by fields, by an owner reference, or by
// a label. Exactly one of Name, Owner and Label is set.
type Reference struct {
	// Name is the path of the field with the name of the workload, Kind that of the field
	// with its kind; "" does not look at the kind.
	Name, Kind string
	// Owner reports whether the workload is among the owners of the object.
	Owner bool
	// Label is the key of a label whose value is the name of the workload.
	Label string
}

// FieldCondition is a condition on a field: that it is a text, or with "" that it is there
// and is neither empty nor null.
type FieldCondition struct{ Field, Is string }

// RelatedObject is what is kept of an object that may be related to a workload. It is not
// changed once it is made.
type RelatedObject struct {
	Namespace, Name string
	// Workloads are those that the object refers to; none where a condition does not hold.
	Workloads []WorkloadReference
	// Created is the creation of the object, Time is what it is ordered by.
	Created, Time time.Time
	// Value is what scripts see: apiVersion, kind, metadata with name, namespace and
	// creationTimestamp, time in milliseconds since 1970, and the kept fields.
	Value map[string]any
}

// WorkloadReference names a workload in the namespace of an object. An empty Kind or Group
// is any.
type WorkloadReference struct{ Group, Kind, Name string }

// names reports whether the reference is to a workload.
func (w WorkloadReference) names(kind schema.GroupVersionKind, name string) bool {
	return w.Name == name && (w.Kind == "" || w.Kind == kind.Kind) && (w.Group == "" || w.Group == kind.Group)
}

// Read returns what is kept of an object of the kind. It shares kept values with the object.
func (r *Related) Read(o *unstructured.Unstructured) RelatedObject {
	kept := RelatedObject{Namespace: o.GetNamespace(), Name: o.GetName(), Created: o.GetCreationTimestamp().Time}
	kept.Time = kept.Created
	if t, ok := timeOf(fieldAt(o.Object, r.Time)); ok {
		kept.Time = t
	}
	metadata := map[string]any{"name": kept.Name}
	if kept.Namespace != "" {
		metadata["namespace"] = kept.Namespace
	}
	if !kept.Created.IsZero() {
		metadata["creationTimestamp"] = kept.Created.UTC().Format(time.RFC3339)
	}
	kept.Value = map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "metadata": metadata, "time": int64(0)}
	if !kept.Time.IsZero() {
		kept.Value["time"] = kept.Time.UnixMilli()
	}
	for _, c := range r.Where {
		if !c.holds(o.Object) {
			return kept
		}
	}
	kept.Workloads = r.Refers.workloads(o)
	left := MaxRelatedBytes
	for _, path := range r.Fields {
		if value := fieldAt(o.Object, path); value != nil && spend(value, &left) {
			setField(kept.Value, path, value)
		}
	}
	return kept
}

// workloads returns the workloads that an object refers to.
func (f Reference) workloads(o *unstructured.Unstructured) []WorkloadReference {
	switch {
	case f.Owner:
		var all []WorkloadReference
		for _, owner := range o.GetOwnerReferences() {
			group := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).Group
			all = append(all, WorkloadReference{Group: group, Kind: owner.Kind, Name: owner.Name})
		}
		return all
	case f.Label != "":
		if name := o.GetLabels()[f.Label]; name != "" {
			return []WorkloadReference{{Name: name}}
		}
		return nil
	}
	name, _ := fieldAt(o.Object, f.Name).(string)
	kind, _ := fieldAt(o.Object, f.Kind).(string)
	if name == "" || f.Kind != "" && kind == "" {
		return nil
	}
	return []WorkloadReference{{Kind: kind, Name: name}}
}

// holds reports whether the condition holds for an object.
func (c FieldCondition) holds(o map[string]any) bool {
	switch v := fieldAt(o, c.Field).(type) {
	case nil:
		return false
	case string:
		return v != "" && (c.Is == "" || v == c.Is)
	default:
		return c.Is == ""
	}
}

// Select returns those objects that are related to a workload, the newest Most of them, the
// newest first. One that was created before the workload was about another of its name.
func (r *Related) Select(workload *unstructured.Unstructured, all []RelatedObject) []RelatedObject {
	kind, begin := kindOf(workload), workload.GetCreationTimestamp().Time
	var own []RelatedObject
	for i := range all {
		o := &all[i]
		if o.Namespace != workload.GetNamespace() || o.Created.Before(begin) && !o.Created.IsZero() {
			continue
		}
		if slices.ContainsFunc(o.Workloads, func(w WorkloadReference) bool { return w.names(kind, workload.GetName()) }) {
			own = append(own, *o)
		}
	}
	slices.SortFunc(own, NewestFirst)
	return own[:min(len(own), r.Most)]
}

// NewestFirst compares objects by their time, the newest first, and those of one time by kind and
// by name from the last. It reads no other field of them.
func NewestFirst(a, b RelatedObject) int {
	text := func(o RelatedObject, key string) string { s, _ := o.Value[key].(string); return s }
	return cmp.Or(b.Time.Compare(a.Time), strings.Compare(text(a, "kind"), text(b, "kind")), strings.Compare(b.Name, a.Name))
}

// RelatedValues returns what a script sees of objects, the newest first; those of one time
// are in the order of their kinds, then of their names from the last.
func RelatedValues(objects []RelatedObject) []any {
	if len(objects) == 0 {
		return nil
	}
	slices.SortFunc(objects, NewestFirst)
	values := make([]any, 0, len(objects))
	for i := range objects {
		values = append(values, objects[i].Value)
	}
	return values
}

// fieldAt returns the value at a dotted path; nil where there is none.
func fieldAt(o map[string]any, path string) any {
	if path == "" {
		return nil
	}
	var value any = o
	for part := range strings.SplitSeq(path, ".") {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[part]
	}
	return value
}

// setField sets the value at a dotted path of an object that Read makes. No path of Fields
// leads into the value of another, so that no value of an object of the API is changed.
func setField(o map[string]any, path string, value any) {
	parts := strings.Split(path, ".")
	for _, part := range parts[:len(parts)-1] {
		below, ok := o[part].(map[string]any)
		if !ok {
			below = map[string]any{}
			o[part] = below
		}
		o = below
	}
	o[parts[len(parts)-1]] = value
}

// timeOf reads a time: text of RFC 3339, or milliseconds since 1970 as a number or as text.
func timeOf(v any) (time.Time, bool) {
	switch x := v.(type) {
	case string:
		t, err := time.Parse(time.RFC3339Nano, x)
		return t, err == nil
	case int64:
		return time.UnixMilli(x), true
	}
	return time.Time{}, false
}

// perValue is what a value takes of MaxRelatedBytes, beside its text.
const perValue = 8

// spend takes the size of a value from left, and reports whether there was enough. If
// there was not, left stays.
func spend(v any, left *int) bool {
	rest := *left
	if !fitsInto(v, &rest) {
		return false
	}
	*left = rest
	return true
}

func fitsInto(v any, left *int) bool {
	if *left -= perValue; *left < 0 {
		return false
	}
	switch x := v.(type) {
	case string:
		*left -= len(x)
	case map[string]any:
		for key, value := range x {
			if *left -= len(key); *left < 0 || !fitsInto(value, left) {
				return false
			}
		}
	case []any:
		for _, value := range x {
			if !fitsInto(value, left) {
				return false
			}
		}
	}
	return *left >= 0
}
