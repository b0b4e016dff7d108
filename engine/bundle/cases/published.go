// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// publishedCase is a case of the published form, with the types that Karmada's runner
// reads it into (thirdparty_test.go): they make keys case-insensitive, ignore other keys,
// and determine how scalars become strings.
type publishedCase struct {
	Name          string                              `json:"name"`
	DesiredObj    *unstructured.Unstructured          `json:"desiredObj"`
	ObservedObj   *unstructured.Unstructured          `json:"observedObj"`
	StatusItems   []workv1alpha2.AggregatedStatusItem `json:"statusItems"`
	InputReplicas int64                               `json:"inputReplicas"`
	Operation     string                              `json:"operation"`
	Output        map[string]any                      `json:"output"`

	// What the published form does not have, and that would check less where it is passed over.
	ExpectSubset any `json:"expectSubset"`
	Ignore       any `json:"ignore"`
	Assert       any `json:"assert"`
	Skip         any `json:"skip"`
	MaxGas       any `json:"maxGas"`
}

// foreign returns the key that a case of the published form cannot have, "" where it has none.
func (p publishedCase) foreign() string {
	for i, value := range []any{p.ExpectSubset, p.Ignore, p.Assert, p.Skip, p.MaxGas} {
		if value != nil {
			return []string{"expectSubset", "ignore", "assert", "skip", "maxGas"}[i]
		}
	}
	return ""
}

// ReadPublished returns the cases of a file as Karmada's runner reads them: leniently. Of
// a duplicate key the last value counts, keys are case-insensitive, unknown keys are
// ignored, and a missing or empty output expects nothing. Only expectSubset, ignore, assert, skip and maxGas,
// which are not of that form, are errors. A file of which no document
// looks like a case holds none: both are nil.
//
// Such cases are compared by the rules of that runner: fields that a type does not have
// are ignored, and numbers are as exact as a float.
//
// The error is *yamldoc.Problems, with what is wrong with each document; the valid cases are
// returned all the same.
func ReadPublished(file string, data []byte) ([]*Case, error) {
	texts, err := yamldoc.Split(file, data)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(texts, looksPublished) {
		return nil, nil
	}
	var (
		all      []*Case
		problems yamldoc.Problems
	)
	for _, text := range texts {
		c, err := readPublished(yamldoc.Node{File: file, Line: text.Line}, text)
		if err != nil {
			problems.Add(err)
			continue
		}
		all = append(all, c)
	}
	return all, problems.Err()
}

// looksPublished reports whether a document has a key that makes a case, or cannot be read.
func looksPublished(text *yamldoc.Document) bool {
	var value any
	if err := text.Decode(&value); err != nil {
		return true
	}
	m, _ := value.(map[string]any)
	lower := map[string]bool{}
	for key := range m {
		lower[strings.ToLower(key)] = true
	}
	return hasCaseKey(func(key string) bool { return lower[strings.ToLower(key)] })
}

// readPublished reads the case at n.
func readPublished(n yamldoc.Node, text *yamldoc.Document) (*Case, error) {
	var p publishedCase
	if err := text.Decode(&p); err != nil {
		return nil, err
	}
	if key := p.foreign(); key != "" {
		return nil, n.Errorf("%s: a case of the published form does not have it; only the cases of a bundle do", key)
	}
	op, err := engine.ParseOperation(p.Operation)
	if err != nil {
		return nil, n.Errorf("%v", err)
	}
	d := parsedCase{desired: p.DesiredObj, observed: p.ObservedObj}
	d.Case = Case{File: n.File, Line: n.Line, Name: p.Name, Operation: op, published: true, output: map[string]yamldoc.Node{}}
	for key, value := range p.Output {
		if _, err := resultNamed(op, key); err != nil {
			return nil, n.Errorf("output: %v", err)
		}
		d.Case.output[key] = yamldoc.Node{File: n.File, Line: n.Line, Path: "output." + key, Value: value}
	}
	if err := d.objects(n); err != nil {
		return nil, err
	}
	d.Question.Replicas = p.InputReplicas
	items, err := publishedItems(p.StatusItems)
	if err != nil {
		return nil, n.Errorf("%v", err)
	}
	d.Question.Items = items
	return &d.Case, nil
}

// publishedItems returns the items of a request; a missing list stays nil, which such
// scripts see as nil, and an empty one stays empty.
func publishedItems(items []workv1alpha2.AggregatedStatusItem) ([]any, error) {
	if items == nil {
		return nil, nil
	}
	all := make([]any, 0, len(items))
	for i := range items {
		item, err := engine.StatusItem(&items[i])
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}
