// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"regexp"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (o *Overriders) isEmpty() bool {
	return len(o.Plaintext) == 0 && len(o.ImageOverrider) == 0 &&
		len(o.CommandOverrider) == 0 && len(o.ArgsOverrider) == 0 &&
		len(o.LabelsOverrider) == 0 && len(o.AnnotationsOverrider) == 0 &&
		len(o.FieldOverrider) == 0
}

func (o *Overriders) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, item := range o.Plaintext {
		errs = append(errs, validatePointer(item.Path, path.Child("plaintext").Index(i).Child("path"))...)
	}
	for i, item := range o.ImageOverrider {
		if item.Predicate != nil {
			errs = append(errs, validateFieldPointer(item.Predicate.Path, path.Child("imageOverrider").Index(i).Child("predicate", "path"))...)
		}
	}
	for i, item := range o.LabelsOverrider {
		errs = append(errs, metav1validation.ValidateLabels(item.Value, path.Child("labelsOverrider").Index(i).Child("value"))...)
	}
	for i, item := range o.AnnotationsOverrider {
		errs = append(errs, validation.ValidateAnnotations(item.Value, path.Child("annotationsOverrider").Index(i).Child("value"))...)
	}
	for i := range o.FieldOverrider {
		errs = append(errs, o.FieldOverrider[i].validate(path.Child("fieldOverrider").Index(i))...)
	}
	return errs
}

func (f *FieldOverrider) validate(path *field.Path) field.ErrorList {
	errs := validateFieldPointer(f.FieldPath, path.Child("fieldPath"))
	switch {
	case len(f.JSON) == 0 && len(f.YAML) == 0:
		errs = append(errs, field.Required(path, "give operations under json or under yaml, as the text in the field is"))
	case len(f.JSON) > 0 && len(f.YAML) > 0:
		errs = append(errs, field.Forbidden(path.Child("yaml"), "the text in the field is JSON or YAML, not both; keep one of json and yaml"))
	}
	for i, op := range f.JSON {
		errs = append(errs, validatePatch(op.SubPath, op.Operator, op.Value, path.Child("json").Index(i))...)
	}
	for i, op := range f.YAML {
		errs = append(errs, validatePatch(op.SubPath, op.Operator, op.Value, path.Child("yaml").Index(i))...)
	}
	return errs
}

// validatePatch looks at one operation on a document. A null value is none: the
// API server drops it.
func validatePatch(subPath string, operator OverriderOperator, value apiextensionsv1.JSON, path *field.Path) field.ErrorList {
	errs := validatePointer(subPath, path.Child("subPath"))
	if operator == OverriderOpRemove && len(value.Raw) > 0 {
		errs = append(errs, field.Invalid(path.Child("value"), string(value.Raw), "the operator remove takes no value; remove the field value"))
	}
	if operator != OverriderOpRemove && len(value.Raw) == 0 {
		errs = append(errs, field.Required(path.Child("value"), "the operators add and replace need a value; null is none"))
	}
	return errs
}

// pointer is the syntax of RFC 6901: each part starts with a slash, and a tilde
// stands only before 0 or 1.
var pointer = regexp.MustCompile(`^(/([^~]|~[01])*)?$`)

// validatePointer takes any RFC 6901 pointer, the empty one (the root) too.
func validatePointer(text string, path *field.Path) field.ErrorList {
	if pointer.MatchString(text) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, text, "must be a JSON pointer: /part/part, with ~1 for a slash and ~0 for a tilde inside a part")}
}

// validateFieldPointer takes an RFC 6901 pointer below the root, which is not
// text.
func validateFieldPointer(text string, path *field.Path) field.ErrorList {
	if text == "" {
		return field.ErrorList{field.Required(path, "give the path of the field, for example /data/config.yaml")}
	}
	return validatePointer(text, path)
}
