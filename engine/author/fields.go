// SPDX-License-Identifier: Apache-2.0

package author

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// validated is an object with validation beyond its schema.
type validated interface{ Validate() field.ErrorList }

// check is the check of one object.
type check struct {
	*Checker
	findings *Findings
	node     yamldoc.Node
	object   *unstructured.Unstructured
	schema   *kindSchema
	// found is the number of problems so far.
	found int
}

// object checks one object. One of an unknown group is skipped.
func (c *Checker) object(f *Findings, n yamldoc.Node, object *unstructured.Unstructured) {
	o := &check{Checker: c, findings: f, node: n, object: object.DeepCopy(), schema: c.kinds.schemas[object.GroupVersionKind()]}
	if o.schema == nil {
		if message := c.kinds.unknown(object.GroupVersionKind()); message != "" {
			f.Checked++
			path, text, _ := strings.Cut(message, ": ")
			o.problem(n.At(path), path, text)
		} else {
			f.Skipped++
		}
		return
	}
	f.Checked++
	o.unknownMetadata()
	o.unknownFields(n, o.schema.structural)
	o.values()
	if more := o.found - maxProblems; more > 0 {
		o.findings.Problems = append(o.findings.Problems, Problem{File: n.File, Line: n.Line, Kind: object.GetKind(), Name: object.GetName(), Message: yamldoc.More(more).Error()})
	}
}

// counts counts a problem, and reports whether it is one of the first, which are kept.
func (o *check) counts() bool {
	o.found++
	return o.found <= maxProblems
}

// problem adds a problem at a place of the file.
func (o *check) problem(at yamldoc.Node, path, message string) {
	o.findings.Problems = append(o.findings.Problems, Problem{
		File: at.File, Line: at.Line, Kind: o.object.GetKind(), Name: o.object.GetName(), Field: path, Message: message,
	})
}

// unknownFields finds the fields of a value that its schema does not have.
func (o *check) unknownFields(n yamldoc.Node, s *structuralschema.Structural) {
	if s == nil || s.XPreserveUnknownFields {
		return
	}
	switch n.Value.(type) {
	case map[string]any:
		_ = n.Each(func(key string, value yamldoc.Node) error {
			property, known := s.Properties[key]
			switch {
			case n.Path == "" && key == "metadata":
			case known:
				o.unknownFields(value, &property)
			case s.AdditionalProperties != nil:
				o.unknownFields(value, s.AdditionalProperties.Structural)
			case o.counts():
				o.problem(value, value.Path, script.Unknown("field", key, slices.Sorted(maps.Keys(s.Properties))))
			}
			return nil
		})
	case []any:
		_ = n.Items(func(item yamldoc.Node) error {
			o.unknownFields(item, s.Items)
			return nil
		})
	}
}

// unknownMetadata finds the fields of the metadata that no object has.
func (o *check) unknownMetadata() {
	var known []string
	for f := range reflect.TypeFor[metav1.ObjectMeta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
	}
	_ = o.node.Get("metadata").Each(func(key string, value yamldoc.Node) error {
		if !slices.Contains(known, key) && o.counts() {
			o.problem(value, value.Path, script.Unknown("field", key, known))
		}
		return nil
	})
}

// values applies the defaults and validates the result. Where both the schema and the
// validation refuse a field, only the message of the validation is kept, which is
// clearer.
func (o *check) values() {
	if o.schema.namespaced && o.object.GetNamespace() == "" {
		o.object.SetNamespace(o.namespace)
	}
	o.schema.setDefaults(o.object.Object)
	refused := o.schema.validate(o.object.Object)
	typed, err := o.typed()
	if err != nil && len(refused) == 0 {
		o.problem(o.node, "", err.Error())
	}
	var errs field.ErrorList
	if err == nil {
		errs = o.validate(typed)
	}
	for _, e := range refused[:min(maxProblems, len(refused))] {
		if !slices.ContainsFunc(errs, func(other *field.Error) bool { return other.Field == e.Field }) {
			errs = append(errs, e)
		}
	}
	for _, e := range errs {
		if o.counts() {
			o.problem(o.node.At(e.Field), e.Field, diag.Clip(e.ErrorBody()))
		}
	}
	if cr, ok := typed.(*configv1alpha1.ResourceInterpreterCustomization); ok && err == nil {
		o.scripts(cr, errs)
	}
}

// typed returns the object as its Go type, with the defaults that the schema cannot set.
func (o *check) typed() (runtime.Object, error) {
	object, err := o.kinds.scheme.New(o.object.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.object.Object, object); err != nil {
		return nil, err
	}
	switch defaulted := object.(type) {
	case interface{ SetDefaults() }:
		defaulted.SetDefaults()
	case interface{ SetDefaults(now metav1.Time) }:
		defaulted.SetDefaults(metav1.Time{}) // the time is not validated
	}
	return object, nil
}

// validate returns what the rules of all objects and those of the kind refuse.
func (o *check) validate(object runtime.Object) field.ErrorList {
	path := field.NewPath("metadata")
	errs := apivalidation.ValidateObjectMetaAccessor(object.(metav1.Object), o.schema.namespaced, apivalidation.NameIsDNSSubdomain, path)
	kind, ok := object.(validated)
	if !ok {
		return errs
	}
	own := kind.Validate()
	errs = slices.DeleteFunc(errs, func(e *field.Error) bool {
		return slices.ContainsFunc(own, func(other *field.Error) bool { return other.Field == e.Field })
	})
	return append(errs, own...)
}
