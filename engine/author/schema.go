// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/dragoman-io/dragoman/api"
	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/engine/script"
)

// kinds are the kinds that are checked. They are not changed after construction.
type kinds struct {
	scheme  *runtime.Scheme
	schemas map[schema.GroupVersionKind]*kindSchema
}

// kindSchema is the schema of a kind, as the API server uses it.
type kindSchema struct {
	namespaced bool
	structural *structuralschema.Structural
	validator  *validate.SchemaValidator
}

// newKinds reads the definitions of package crds. An error is a mistake in this
// repository.
func newKinds() (kinds, error) {
	known := kinds{scheme: runtime.NewScheme(), schemas: map[schema.GroupVersionKind]*kindSchema{}}
	if err := api.AddToScheme(known.scheme); err != nil {
		return kinds{}, err
	}
	definitions, err := crds.All()
	if err != nil {
		return kinds{}, err
	}
	for _, d := range definitions {
		for _, version := range d.Spec.Versions {
			s, err := newKindSchema(version.Schema.OpenAPIV3Schema)
			if err != nil {
				return kinds{}, fmt.Errorf("read the schema of %s: %w", d.Name, err)
			}
			s.namespaced = d.Spec.Scope == apiextensionsv1.NamespaceScoped
			known.schemas[schema.GroupVersionKind{Group: d.Spec.Group, Version: version.Name, Kind: d.Spec.Names.Kind}] = s
		}
	}
	return known, nil
}

func newKindSchema(props *apiextensionsv1.JSONSchemaProps) (*kindSchema, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	validator := validate.NewSchemaValidator(structural.ToKubeOpenAPI(), nil, "", strfmt.Default)
	return &kindSchema{structural: structural, validator: validator}, nil
}

// setDefaults drops null values that the schema does not allow and sets its defaults, in
// place, as the API server does.
func (s *kindSchema) setDefaults(object map[string]any) { setDefaults(object, s.structural) }

func setDefaults(value any, s *structuralschema.Structural) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if property := propertyOf(s, key); below == nil && property != nil && !property.Nullable {
				delete(v, key)
			}
		}
		for key, property := range s.Properties {
			if _, set := v[key]; !set && property.Default.Object != nil {
				v[key] = runtime.DeepCopyJSONValue(property.Default.Object)
			}
		}
		for key, below := range v {
			if property := propertyOf(s, key); property != nil {
				setDefaults(below, property)
			}
		}
	case []any:
		for _, item := range v {
			if s.Items != nil {
				setDefaults(item, s.Items)
			}
		}
	}
}

// propertyOf returns the schema of a field; nil where the schema has none.
func propertyOf(s *structuralschema.Structural, key string) *structuralschema.Structural {
	if property, ok := s.Properties[key]; ok {
		return &property
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}

// validate returns what the schema refuses. The rules of the schema that are CEL are
// left out: the validation of each kind has them too.
func (s *kindSchema) validate(object map[string]any) field.ErrorList {
	var errs field.ErrorList
	for _, err := range s.validator.Validate(object).Errors {
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

// unknown returns a message for a kind that does not exist though its group is known. It
// is "" for a kind of any other group.
func (k kinds) unknown(kind schema.GroupVersionKind) string {
	var names, versions []string
	for known := range k.schemas {
		if known.Group != kind.Group {
			continue
		}
		if known.Kind == kind.Kind {
			versions = append(versions, known.GroupVersion().String())
		}
		names = append(names, known.Kind)
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return ""
	case len(versions) > 0:
		return fmt.Sprintf("apiVersion: there is no %s of %s; its version is %s", kind.Kind, kind.GroupVersion(), strings.Join(versions, ", "))
	}
	return "kind: " + script.Unknown("kind of "+kind.Group, kind.Kind, slices.Compact(names))
}
