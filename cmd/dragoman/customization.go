// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/yamldoc"
)

// compileCustomizations compiles the customizations of a file, one source for each of
// their scripts, so that one broken script does not take the others with it. The error
// joins all that is wrong; the scripts without fault are given all the same.
//
// The file is read as the API server reads it: unknown fields are passed over.
func compileCustomizations(c *engine.Compiler, file string, data []byte) ([]engine.RuleSet, error) {
	texts := yamldoc.Split(data)
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s: there is no customization", file)
	}
	var (
		sources []engine.RuleSet
		errs    []error
	)
	for _, text := range texts {
		at := yamldoc.Node{File: filepath.ToSlash(file), Line: text.Line}
		found, err := compileCustomization(c, at, text.Text)
		sources, errs = append(sources, found...), append(errs, err)
	}
	return sources, errors.Join(errs...)
}

// compileCustomization compiles the customization that stands at a place of a file.
func compileCustomization(c *engine.Compiler, at yamldoc.Node, text []byte) ([]engine.RuleSet, error) {
	cr, err := customization(at, text)
	if err != nil {
		return nil, err
	}
	parts, err := split(cr)
	if err != nil {
		return nil, err
	}
	var (
		sources []engine.RuleSet
		errs    []error
	)
	for i, part := range parts {
		source, wrong := c.Customization(part)
		for _, err := range wrong {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %w", at.File, at.Line, cr.Name, err))
		}
		if len(wrong) == 0 {
			// Names need not be unique in a file: sources are asked by name, then in
			// the order of the file.
			source.Name = fmt.Sprintf("%s\x00%06d.%02d", cr.Name, at.Line, i)
			sources = append(sources, source)
		}
	}
	return sources, errors.Join(errs...)
}

// customization reads a ResourceInterpreterCustomization.
func customization(at yamldoc.Node, text []byte) (*configv1alpha1.ResourceInterpreterCustomization, error) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, at.Errorf("%v", err)
	}
	var m map[string]any
	if err := utiljson.Unmarshal(data, &m); err != nil {
		return nil, at.Errorf("%v", err)
	}
	kind := configv1alpha1.GroupVersion.WithKind("ResourceInterpreterCustomization")
	if object := (&unstructured.Unstructured{Object: m}); object.GroupVersionKind() != kind {
		return nil, at.Errorf("want a %s of %s", kind.Kind, kind.GroupVersion())
	}
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, cr); err != nil {
		return nil, at.Errorf("%v", err)
	}
	return cr, nil
}

// split returns a customization for each script of cr; cr itself where it has none.
func split(cr *configv1alpha1.ResourceInterpreterCustomization) ([]*configv1alpha1.ResourceInterpreterCustomization, error) {
	text, err := json.Marshal(cr.Spec.Customizations)
	if err != nil {
		return nil, err
	}
	var fields map[string]*configv1alpha1.Script
	if err := json.Unmarshal(text, &fields); err != nil || len(fields) == 0 {
		return []*configv1alpha1.ResourceInterpreterCustomization{cr}, err
	}
	var parts []*configv1alpha1.ResourceInterpreterCustomization
	for _, op := range engine.Operations() {
		if fields[op.Field] == nil {
			continue
		}
		text, err := json.Marshal(map[string]any{op.Field: fields[op.Field]})
		if err != nil {
			return nil, err
		}
		part := *cr
		part.Spec.Customizations = configv1alpha1.CustomizationRules{}
		if err := json.Unmarshal(text, &part.Spec.Customizations); err != nil {
			return nil, err
		}
		parts = append(parts, &part)
	}
	return parts, nil
}
