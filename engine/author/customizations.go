// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Customizations compiles the ResourceInterpreterCustomizations of a file, those of lists
// among them, one rule set for each of their scripts, so that one broken script does not
// affect the others. Their scripts tell a recording what they do; nil records nothing. Warnings are what is probably not
// meant; see engine.Compiler.Mistakes. The error joins all that is wrong; the valid scripts are returned all
// the same. Positions in errors, also of runs, are lines of the file.
//
// The file is read as the API server reads it: unknown fields are ignored. Checker
// finds them.
func Customizations(c *engine.Compiler, file *source.File, recording *script.Recording) (sets []engine.RuleSet, warnings []source.Problem, err error) {
	r := customizationReader{compiler: c, named: true, recording: recording}
	err = r.read(file)
	return r.sets, r.warnings, err
}

// customizationReader compiles the customizations of files.
type customizationReader struct {
	compiler *engine.Compiler
	// named reports whether a file must hold nothing else.
	named bool
	// coverage reports whether the lines that run are counted.
	coverage bool
	// recording is told what the scripts do; nil records nothing.
	recording *script.Recording

	// files is the number of files so far.
	files    int
	sets     []engine.RuleSet
	scripts  []*customizedScript
	warnings []source.Problem
}

// read adds the customizations of a file.
func (r *customizationReader) read(file *source.File) error {
	documents, err := file.Documents()
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return fmt.Errorf("%s: there is no customization", file.Name)
	}
	r.files++
	lines := strings.Split(string(file.Text), "\n")
	var problems yamldoc.Problems
	for _, d := range documents {
		value, err := decodeObject(file.Name, d)
		if err != nil {
			problems.Add(err)
			continue
		}
		n := d.Node
		if n.Value == nil {
			n = yamldoc.Node{File: file.Name, Line: d.Line(), Value: value}
		}
		problems.Add(r.object(n, value, lines))
	}
	return problems.Err()
}

// decodeObject reads a document as kubectl does: of a duplicate key, the last value counts.
func decodeObject(file string, d source.Document) (map[string]any, error) {
	var data json.RawMessage
	if err := d.Decode(&data); err != nil {
		return nil, err
	}
	var m map[string]any
	if err := utiljson.Unmarshal(data, &m); err != nil {
		return nil, (yamldoc.Node{File: file, Line: d.Line()}).Errorf("%v", err)
	}
	return m, nil
}

// object adds a customization, or those of a list.
func (r *customizationReader) object(n yamldoc.Node, value map[string]any, lines []string) error {
	object := &unstructured.Unstructured{Object: value}
	switch kind := object.GetKind(); {
	case source.IsList(object):
		return n.At("items").Items(func(item yamldoc.Node) error {
			item.Path = ""
			inner, _ := item.Value.(map[string]any)
			return r.object(item, inner, lines)
		})
	case !r.named && kind != source.CustomizationKind().Kind && looksLikeObject(object):
		return nil
	case !r.named && kind == "":
		return n.Errorf("neither a customization nor another object; put cases into a file of their own")
	case object.GroupVersionKind() != source.CustomizationKind():
		return n.Errorf("want a %s of %s", source.CustomizationKind().Kind, source.CustomizationKind().GroupVersion())
	}
	return r.customization(n, value, lines)
}

// looksLikeObject reports whether a value has what every Kubernetes object has.
func looksLikeObject(o *unstructured.Unstructured) bool {
	return o.GetAPIVersion() != "" && o.GetKind() != ""
}

// customization adds the scripts of the customization at n.
func (r *customizationReader) customization(n yamldoc.Node, object map[string]any, lines []string) error {
	parts, err := splitCustomization(object)
	if err != nil {
		return n.Errorf("%v", err)
	}
	var errs []error
	for i, part := range parts {
		s := newCustomizedScript(n, part, lines)
		if r.coverage {
			s.coverage = script.NewCoverage()
		}
		set, wrong := r.compiler.CustomizationFrom(part.of, engine.CustomizationSource{Coverage: s.coverage, Recording: r.recording, Place: s.place})
		for _, err := range wrong {
			errs = append(errs, s.problem(err))
		}
		r.warnings = append(r.warnings, s.warnings(r.compiler.Mistakes(part.of))...)
		if len(wrong) > 0 {
			continue
		}
		// Names need not be unique in a file: rule sets answer in the order of their
		// names, then of the file.
		set.Name = fmt.Sprintf("%s\x00%04d.%06d.%02d", part.of.Name, r.files, n.Line, i)
		s.set = set.Name
		r.sets = append(r.sets, set)
		if part.op.Name != "" {
			r.scripts = append(r.scripts, s)
		}
	}
	return errors.Join(errs...)
}

// customizationPart is a customization with one of the scripts of an object, and its
// operation; one of an object without scripts has no operation.
type customizationPart struct {
	of *configv1alpha1.ResourceInterpreterCustomization
	op engine.Operation
}

// splitCustomization returns a customization for each script of an object; the whole one
// where it has none.
func splitCustomization(object map[string]any) ([]customizationPart, error) {
	whole, err := toCustomization(object)
	if err != nil {
		return nil, err
	}
	var parts []customizationPart
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
		parts = append(parts, customizationPart{part, op})
	}
	if len(parts) == 0 {
		parts = append(parts, customizationPart{of: whole})
	}
	return parts, nil
}

func toCustomization(object map[string]any) (*configv1alpha1.ResourceInterpreterCustomization, error) {
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, cr)
	return cr, err
}
