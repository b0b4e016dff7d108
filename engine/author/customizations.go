// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// customizationKind is the kind of a customization.
var customizationKind = configv1alpha1.GroupVersion.WithKind("ResourceInterpreterCustomization")

// Customizations compiles the ResourceInterpreterCustomizations of a file, one rule set
// for each of their scripts, so that one broken script does not affect the others. The
// error joins all that is wrong; the valid scripts are returned all the same.
//
// The file is read as the API server reads it: unknown fields are ignored. Checker
// finds them.
func Customizations(c *engine.Compiler, file string, data []byte) ([]engine.RuleSet, error) {
	documents, err := yamldoc.Split(file, data)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s: there is no customization", file)
	}
	var (
		sets     []engine.RuleSet
		problems yamldoc.Problems
	)
	for _, d := range documents {
		at := yamldoc.Node{File: file, Line: d.Line}
		found, err := compileCustomization(c, at, d)
		sets = append(sets, found...)
		problems.Add(err)
	}
	return sets, problems.Err()
}

// compileCustomization compiles the customization at a place of a file.
func compileCustomization(c *engine.Compiler, at yamldoc.Node, text *yamldoc.Document) ([]engine.RuleSet, error) {
	object, err := readCustomization(at, text)
	if err != nil {
		return nil, err
	}
	parts, err := splitCustomization(object)
	if err != nil {
		return nil, at.Errorf("%v", err)
	}
	var (
		sets []engine.RuleSet
		errs []error
	)
	for i, part := range parts {
		set, wrong := c.Customization(part)
		for _, err := range wrong {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %w", at.File, at.Line, part.Name, err))
		}
		if len(wrong) == 0 {
			// Names need not be unique in a file: rule sets answer in the order of their
			// names, then of the file.
			set.Name = fmt.Sprintf("%s\x00%06d.%02d", part.Name, at.Line, i)
			sets = append(sets, set)
		}
	}
	return sets, errors.Join(errs...)
}

// readCustomization reads a ResourceInterpreterCustomization as kubectl does: of a
// duplicate key, the last value counts.
func readCustomization(at yamldoc.Node, text *yamldoc.Document) (map[string]any, error) {
	var data json.RawMessage
	if err := text.Decode(&data); err != nil {
		return nil, err
	}
	var m map[string]any
	if err := utiljson.Unmarshal(data, &m); err != nil {
		return nil, at.Errorf("%v", err)
	}
	if object := (&unstructured.Unstructured{Object: m}); object.GroupVersionKind() != customizationKind {
		return nil, at.Errorf("want a %s of %s", customizationKind.Kind, customizationKind.GroupVersion())
	}
	return m, nil
}

// splitCustomization returns a customization for each script of an object; the whole one
// where it has none.
func splitCustomization(object map[string]any) ([]*configv1alpha1.ResourceInterpreterCustomization, error) {
	whole, err := toCustomization(object)
	if err != nil {
		return nil, err
	}
	var parts []*configv1alpha1.ResourceInterpreterCustomization
	for _, op := range engine.Operations() {
		path := []string{"spec", "customizations", op.Field}
		field, _, _ := unstructured.NestedFieldNoCopy(object, path...)
		if field == nil {
			continue
		}
		one := map[string]any{}
		if err := unstructured.SetNestedField(one, field, path...); err != nil {
			return nil, err
		}
		part, err := toCustomization(one)
		if err != nil {
			return nil, err
		}
		part.ObjectMeta, part.Spec.Target = whole.ObjectMeta, whole.Spec.Target
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = append(parts, whole)
	}
	return parts, nil
}

func toCustomization(object map[string]any) (*configv1alpha1.ResourceInterpreterCustomization, error) {
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, cr)
	return cr, err
}
