// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// readSchema fills a kind with its schema.
func (k *Kind) readSchema(props *apiextensionsv1.JSONSchemaProps) error {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err != nil {
		return err
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return err
	}
	k.Structural = structural
	k.validator = validate.NewSchemaValidator(structural.ToKubeOpenAPI(), nil, "", strfmt.Default)
	return nil
}

// refused returns what the schema refuses, but for its CEL rules: the validation of each
// kind has them too.
func (k *Kind) refused(object map[string]any) field.ErrorList {
	var errs field.ErrorList
	for _, err := range k.validator.Validate(object).Errors {
		errs = append(errs, schemaError(err))
	}
	return errs
}

// schemaError returns an error of the validator as the API server writes it.
func schemaError(err error) *field.Error {
	refused, ok := errors.AsType[*openapierrors.Validation](err)
	if !ok {
		return field.Invalid(nil, "", err.Error())
	}
	path := strings.TrimPrefix(refused.Name, ".")
	e := &field.Error{Field: path, BadValue: refused.Value, Detail: strings.TrimPrefix(err.Error(), path+" in body ")}
	switch refused.Code() {
	case openapierrors.RequiredFailCode:
		e.Type, e.Detail = field.ErrorTypeRequired, ""
	case openapierrors.EnumFailCode:
		var values []string
		for _, v := range refused.Values {
			values = append(values, fmt.Sprint(v))
		}
		return field.NotSupported(field.NewPath(path), refused.Value, values)
	case openapierrors.InvalidTypeCode:
		e.Type = field.ErrorTypeTypeInvalid
	default:
		e.Type = field.ErrorTypeInvalid
	}
	return e
}
