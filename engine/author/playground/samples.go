// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Catalog is what there is to choose from.
type Catalog struct {
	// Operations are all of them, in the order of the documents.
	Operations []CatalogOperation `json:"operations"`
	// Samples are by bundles.
	Samples []SampleKind `json:"samples"`
}

// CatalogOperation is an operation, and a sentence about it.
type CatalogOperation struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// SampleKind is a kind of a bundle, and the operations that the bundle answers for it.
type SampleKind struct {
	Bundle     string   `json:"bundle"`
	Kind       string   `json:"kind"`
	Operations []string `json:"operations"`
}

// Sample is the script that answers an operation of a kind, and its cases.
type Sample struct {
	Bundle string `json:"bundle"`
	// File is the path of the script in the bundle.
	File     string       `json:"file"`
	Language Language     `json:"language"`
	Script   string       `json:"script"`
	Cases    []SampleCase `json:"cases"`
}

// SampleCase is the input of a case.
type SampleCase struct {
	Name      string `json:"name"`
	Object    string `json:"object"`
	Arguments string `json:"arguments"`
}

// SampleRequest names a sample.
type SampleRequest struct {
	Bundle    string `json:"bundle"`
	Kind      string `json:"kind"`
	Operation string `json:"operation"`
}

// ModulesRequest names a bundle.
type ModulesRequest struct {
	Bundle string `json:"bundle"`
}

// Module is what scripts of a bundle can require.
type Module struct {
	// File is its path in the bundle.
	File   string `json:"file"`
	Script string `json:"script"`
}

// Modules returns the modules of a bundle, sorted by file.
func (p *Playground) Modules(r ModulesRequest) ([]Module, error) {
	if err := p.isFile(r.Bundle, bundle.ManifestFile); err != nil {
		return nil, err
	}
	found, err := fs.Glob(p.bundles, path.Join(r.Bundle, "lib", "*.lua"))
	if err != nil {
		return nil, err
	}
	all := []Module{}
	for _, name := range found {
		text, err := fs.ReadFile(p.bundles, name)
		if err != nil {
			return nil, err
		}
		all = append(all, Module{File: strings.TrimPrefix(name, r.Bundle+"/"), Script: string(text)})
	}
	return all, nil
}

// Catalog lists the operations, and what there are samples of.
func (p *Playground) Catalog() (Catalog, error) {
	all := Catalog{Samples: []SampleKind{}}
	for _, op := range engine.Operations() {
		all.Operations = append(all.Operations, CatalogOperation{Name: string(op.Name), Doc: op.Doc})
	}
	entries, err := fs.ReadDir(p.bundles, ".")
	if err != nil {
		return all, err
	}
	for _, e := range entries {
		if !e.IsDir() || bundle.Hidden(e.Name()) {
			continue
		}
		outline, err := bundle.ReadOutline(p.bundles, e.Name())
		if err != nil {
			return all, err
		}
		all.Samples = append(all.Samples, sampleKinds(outline)...)
	}
	return all, nil
}

// sampleKinds lists the kinds of a bundle, each once for all of its groups and versions.
func sampleKinds(outline bundle.Outline) []SampleKind {
	var all []SampleKind
	for _, kind := range outline.Kinds {
		if slices.ContainsFunc(all, func(k SampleKind) bool { return k.Kind == kind.Kind }) {
			continue
		}
		k := SampleKind{Bundle: outline.Name, Kind: kind.Kind}
		for _, op := range engine.Operations() {
			if _, has := scriptOf(outline, kind.Kind, op); has {
				k.Operations = append(k.Operations, string(op.Name))
			}
		}
		all = append(all, k)
	}
	return all
}

// scriptOf returns the path of the script that answers an operation of a kind.
func scriptOf(outline bundle.Outline, kind string, op engine.Operation) (string, bool) {
	for _, a := range outline.Answers {
		if a.Operation == op.File && slices.Contains(a.Kinds, kind) {
			return a.File, true
		}
	}
	return "", false
}

// Sample returns a sample. It is an error if there is none.
func (p *Playground) Sample(r SampleRequest) (Sample, error) {
	op, err := engine.ParseOperation(r.Operation)
	if err != nil {
		return Sample{}, err
	}
	if err := p.isFile(r.Bundle, bundle.ManifestFile); err != nil {
		return Sample{}, err
	}
	outline, err := bundle.ReadOutline(p.bundles, r.Bundle)
	if err != nil {
		return Sample{}, err
	}
	file, has := scriptOf(outline, r.Kind, op)
	if !has {
		return Sample{}, fmt.Errorf("the bundle %s has no script for %s of %s", r.Bundle, op.Name, r.Kind)
	}
	text, err := fs.ReadFile(p.bundles, path.Join(r.Bundle, file))
	if err != nil {
		return Sample{}, err
	}
	s := Sample{Bundle: r.Bundle, File: file, Language: Language(strings.TrimPrefix(path.Ext(file), ".")), Script: string(text)}
	s.Cases, err = p.sampleCases(outline, r, op)
	return s, err
}

// sampleCases returns the cases of an operation of a kind.
func (p *Playground) sampleCases(outline bundle.Outline, r SampleRequest, op engine.Operation) ([]SampleCase, error) {
	b := &bundle.Bundle{Manifest: outline.Manifest, Dir: r.Bundle}
	b.Kinds = nil
	for _, kind := range outline.Kinds {
		if kind.Kind == r.Kind {
			b.Kinds = append(b.Kinds, kind)
		}
	}
	found, err := cases.InBundle(p.bundles, b)
	if err != nil {
		return nil, err
	}
	all := []SampleCase{}
	for _, c := range found {
		if c.Operation.Name != op.Name {
			continue
		}
		object, err := yaml.Marshal(c.Question.Object.Object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Where(), err)
		}
		arguments, err := argumentsText(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Where(), err)
		}
		all = append(all, SampleCase{Name: c.Name, Object: string(object), Arguments: arguments})
	}
	return all, nil
}

// argumentsText returns the arguments of a case, as readArguments reads them.
func argumentsText(c *cases.Case) (string, error) {
	q, op, all := c.Question, c.Operation, map[string]any{}
	if op.Takes(engine.ObservedParam) {
		all["observedObj"] = q.Observed.Object
	}
	if op.Takes(engine.ItemsParam) {
		all["statusItems"] = append([]any{}, q.Items...)
	}
	if op.Takes(engine.CountParam) {
		all["inputReplicas"] = q.Replicas
	}
	if len(q.Division.Shares) > 0 {
		division := map[string]any{"cluster": q.Division.Cluster, "shares": q.Division.Shares}
		if len(q.Division.Fixed) > 0 {
			division["fixed"] = q.Division.Fixed
		}
		all["division"] = division
	}
	if op.Takes(engine.StateParam) && len(q.State) > 0 {
		all["state"] = q.State
	}
	if q.Failover {
		all["failover"] = true
	}
	if len(q.Related) > 0 {
		related := make([]any, 0, len(q.Related))
		for _, o := range q.Related {
			related = append(related, o.Object)
		}
		all["related"] = related
	}
	if len(c.Parameters) > 0 {
		all["parameters"] = c.Parameters
	}
	if len(all) == 0 {
		return "", nil
	}
	text, err := yaml.Marshal(all)
	return string(text), err
}
