// SPDX-License-Identifier: Apache-2.0

// Package validation validates objects of the kinds in package api: by the schema of
// their CRD, by the rules of all objects, and by their Validate. The webhooks of the
// control plane and the tools of authors call it, so that they find the same.
//
// In go objects as they are on the wire, out come errors with the path of a field. The
// package refuses to know other objects, such as the cluster that a policy names.
package validation

import (
	"fmt"
	"iter"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/dragoman-io/dragoman/api"
	"github.com/dragoman-io/dragoman/api/crds"
)

// Kinds are the kinds of package api. They are safe for many goroutines.
type Kinds map[schema.GroupVersionKind]*Kind

// Kind validates the objects of one kind. It is safe for many goroutines.
type Kind struct {
	// Namespaced reports whether its objects are in namespaces.
	Namespaced bool
	// Structural is the schema of the kind. It must not be changed.
	Structural *structuralschema.Structural

	kind      schema.GroupVersionKind
	scheme    *runtime.Scheme
	validator *validate.SchemaValidator
}

// validated is an object with validation beyond its schema.
type validated interface{ Validate() field.ErrorList }

// Result is what was found about an object.
type Result struct {
	// Object is the object as its Go type, with all defaults; nil if it cannot be read as
	// such, which the schema refuses too.
	Object runtime.Object
	// Refused is what the schema refuses, but for its CEL rules. Rules is what the rules of
	// all objects and the Validate of the kind refuse, which include the CEL rules.
	Refused, Rules field.ErrorList
}

// New returns the kinds, by the definitions of package crds. An error is a mistake in
// this repository.
func New() (Kinds, error) {
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		return nil, err
	}
	definitions, err := crds.All()
	if err != nil {
		return nil, err
	}
	kinds := Kinds{}
	for _, d := range definitions {
		for _, version := range d.Spec.Versions {
			k := &Kind{
				Namespaced: d.Spec.Scope == apiextensionsv1.NamespaceScoped, scheme: scheme,
				kind: schema.GroupVersionKind{Group: d.Spec.Group, Version: version.Name, Kind: d.Spec.Names.Kind},
			}
			if err := k.readSchema(version.Schema.OpenAPIV3Schema); err != nil {
				return nil, fmt.Errorf("read the schema of %s: %w", d.Name, err)
			}
			kinds[k.kind] = k
		}
	}
	return kinds, nil
}

// Validate validates an object, whose defaults of the schema are set, as the API server
// sets them before admission. The object is not changed.
func (k *Kind) Validate(object *unstructured.Unstructured) Result {
	r := Result{Refused: k.refused(object.Object)}
	typed, err := k.typed(object)
	if err != nil {
		if len(r.Refused) == 0 {
			r.Refused = field.ErrorList{field.Invalid(nil, "", err.Error())}
		}
		return r
	}
	r.Object, r.Rules = typed, k.rules(typed)
	return r
}

// Errors returns all that is refused. Where the schema and a rule refuse one field, only
// the message of the rule is kept, which is clearer.
func (r Result) Errors() field.ErrorList {
	return append(slices.Clone(r.Rules), slices.Collect(others(r.Refused, r.Rules))...)
}

// others yields the errors that are not about a field that other errors are about.
func others(errs, than field.ErrorList) iter.Seq[*field.Error] {
	fields := map[string]bool{}
	for _, e := range than {
		fields[e.Field] = true
	}
	return func(yield func(*field.Error) bool) {
		for _, e := range errs {
			if !fields[e.Field] && !yield(e) {
				return
			}
		}
	}
}

// New returns an empty object of the kind.
func (k *Kind) New() (runtime.Object, error) { return k.scheme.New(k.kind) }

// typed returns the object as its Go type, with the defaults that the schema cannot set.
func (k *Kind) typed(object *unstructured.Unstructured) (runtime.Object, error) {
	typed, err := k.New()
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
		return nil, err
	}
	SetDefaults(typed, metav1.Time{}) // the time is not validated
	return typed, nil
}

// SetDefaults sets the defaults of an object that its schema cannot set.
func SetDefaults(object runtime.Object, now metav1.Time) {
	switch defaulted := object.(type) {
	case interface{ SetDefaults() }:
		defaulted.SetDefaults()
	case interface{ SetDefaults(now metav1.Time) }:
		defaulted.SetDefaults(now)
	}
}

// rules returns what the rules of all objects and those of the kind refuse.
func (k *Kind) rules(object runtime.Object) field.ErrorList {
	errs := apivalidation.ValidateObjectMetaAccessor(object.(metav1.Object), k.Namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	kind, ok := object.(validated)
	if !ok {
		return errs
	}
	own := kind.Validate()
	return append(slices.Collect(others(errs, own)), own...)
}
