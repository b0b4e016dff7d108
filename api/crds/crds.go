// SPDX-License-Identifier: Apache-2.0

// Package crds holds the CustomResourceDefinitions of the kinds in api, as YAML
// that controller-gen wrote, one file for each kind.
//
// Nothing goes in; out come the definitions, for installing, for tests and for
// the demo alike. The package refuses to know a cluster: its callers apply what
// it returns.
package crds

import (
	"embed"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Files has the YAML, one CustomResourceDefinition in each file, named
// <group>_<plural>.yaml.
//
//go:embed *.yaml
var Files embed.FS

// All returns every definition, sorted by file name. The caller owns them. An
// error means that a file holds what a CustomResourceDefinition does not have,
// which only a mistake in this repository can bring about.
func All() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(Files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list embedded definitions: %w", err)
	}
	definitions := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(names))
	for _, name := range names {
		text, err := Files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, definition); err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
		definitions = append(definitions, definition)
	}
	return definitions, nil
}
