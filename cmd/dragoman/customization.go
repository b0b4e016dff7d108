package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/document"
)

// loadCustomizations reads and compiles the customizations of a file on the disk.
func loadCustomizations(c *engine.Compiler, file string) ([]engine.Source, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	nodes, err := document.Read(filepath.ToSlash(file), data)
	if err != nil {
		return nil, err
	}
	return compileCustomizations(c, file, nodes)
}

// compileCustomizations compiles the customizations in documents. The error joins all
// that is wrong with them; those without fault are given all the same.
func compileCustomizations(c *engine.Compiler, file string, nodes []document.Node) ([]engine.Source, error) {
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: there is no customization", file)
	}
	var (
		sources []engine.Source
		errs    []error
	)
	for _, n := range nodes {
		cr, err := customization(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		source, wrong := c.Customization(cr)
		for _, err := range wrong {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %w", n.File, n.Line, cr.Name, err))
		}
		if len(wrong) == 0 {
			sources = append(sources, source)
		}
	}
	return sources, errors.Join(errs...)
}

// customization reads a ResourceInterpreterCustomization strictly.
func customization(n document.Node) (*configv1alpha1.ResourceInterpreterCustomization, error) {
	m, _ := n.Value.(map[string]any)
	kind := configv1alpha1.GroupVersion.WithKind("ResourceInterpreterCustomization")
	if object := (&unstructured.Unstructured{Object: m}); object.GroupVersionKind() != kind {
		return nil, n.Errorf("want a %s of %s", kind.Kind, kind.GroupVersion())
	}
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(m, cr, true); err != nil {
		return nil, n.Errorf("%v", err)
	}
	return cr, nil
}
