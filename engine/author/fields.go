// SPDX-License-Identifier: Apache-2.0

package author

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/api/validation"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// check is the check of one object.
type check struct {
	*Checker
	findings *Findings
	node     yamldoc.Node
	object   *unstructured.Unstructured
	schema   *validation.Kind
	// found is the number of problems so far.
	found int
}

// object checks one object. One of an unknown group is skipped.
func (c *Checker) object(f *Findings, n yamldoc.Node, object *unstructured.Unstructured) {
	o := &check{Checker: c, findings: f, node: n, object: object.DeepCopy(), schema: c.kinds[object.GroupVersionKind()]}
	if o.schema == nil {
		if message := c.unknown(object.GroupVersionKind()); message != "" {
			f.Checked++
			path, text, _ := strings.Cut(message, ": ")
			o.problem(n.At(path), path, text)
		} else {
			f.Skipped++
		}
		if object.GetKind() == "CustomResourceDefinition" {
			f.definitions = append(f.definitions, object)
		}
		return
	}
	f.Checked++
	o.unknownMetadata()
	o.unknownFields(n, o.schema.Structural)
	o.values()
	if more := o.found - maxProblems; more > 0 {
		o.findings.Problems = append(o.findings.Problems, source.Problem{File: n.File, Line: n.Line, Kind: object.GetKind(), Name: object.GetName(), Message: yamldoc.More(more).Error()})
	}
}

// counts counts a problem, and reports whether it is one of the first, which are kept.
func (o *check) counts() bool {
	o.found++
	return o.found <= maxProblems
}

// problem adds a problem at a place of the file.
func (o *check) problem(at yamldoc.Node, path, message string) {
	o.findings.Problems = append(o.findings.Problems, source.Problem{
		File: at.File, Line: at.Line, Kind: o.object.GetKind(), Name: o.object.GetName(), Field: path, Message: message,
	})
}

// unknownFields finds the fields of a value that its schema does not have.
func (o *check) unknownFields(n yamldoc.Node, s *structuralschema.Structural) {
	if s == nil || s.XPreserveUnknownFields {
		return
	}
	switch n.Value.(type) {
	case map[string]any:
		_ = n.Each(func(key string, value yamldoc.Node) error {
			property, known := s.Properties[key]
			switch {
			case n.Path == "" && key == "metadata":
			case known:
				o.unknownFields(value, &property)
			case s.AdditionalProperties != nil:
				o.unknownFields(value, s.AdditionalProperties.Structural)
			case o.counts():
				o.problem(value, value.Path, script.Unknown("field", key, slices.Sorted(maps.Keys(s.Properties))))
			}
			return nil
		})
	case []any:
		_ = n.Items(func(item yamldoc.Node) error {
			o.unknownFields(item, s.Items)
			return nil
		})
	}
}

// unknownMetadata finds the fields of the metadata that no object has.
func (o *check) unknownMetadata() {
	var known []string
	for f := range reflect.TypeFor[metav1.ObjectMeta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
	}
	_ = o.node.Get("metadata").Each(func(key string, value yamldoc.Node) error {
		if !slices.Contains(known, key) && o.counts() {
			o.problem(value, value.Path, script.Unknown("field", key, known))
		}
		return nil
	})
}

// values applies the defaults and validates the result.
func (o *check) values() {
	if o.schema.Namespaced && o.object.GetNamespace() == "" {
		o.object.SetNamespace(o.namespace)
	}
	o.schema.SetDefaults(o.object.Object)
	result := o.schema.Validate(o.object)
	errs := result.Errors()
	if result.Object != nil {
		o.findings.objects = append(o.findings.objects, checked{node: o.node, object: result.Object, name: o.object.GetName(), kind: o.object.GetKind()})
	}
	for _, e := range errs {
		if o.counts() {
			o.problem(o.node.At(e.Field), e.Field, diag.Clip(e.ErrorBody()))
		}
	}
	switch object := result.Object.(type) {
	case *configv1alpha1.ResourceInterpreterCustomization:
		_, broken := o.compiler.Customization(object)
		o.scripts(broken, errs)
		o.findings.objects[len(o.findings.objects)-1].broken = brokenFields(broken)
	case *interpreterv1alpha1.PlacementRule:
		_, broken := o.compiler.PlacementRule(object)
		o.scripts(broken, errs)
	}
}
