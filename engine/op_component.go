// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/internal/compat"
	"github.com/dragoman-io/dragoman/engine/script"
)

// maxComponentName is the longest name of a component, as the schema of
// ResourceBinding has it.
const maxComponentName = 32

// InterpretComponent asks for the components of an object.
const InterpretComponent Op = "InterpretComponent"

var componentOp = &operation[*unstructured.Unstructured, []workv1alpha2.Component]{
	Operation: Operation{
		Name: InterpretComponent, Field: "componentResource", Entry: "GetComponents", File: "components", About: AboutTemplate,
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{listResult("components", "name", sortedComponents)},
		Doc:     "The components of the object, each with its replicas and what one replica needs.",
	},
	input: inputObject, bind: bindObject,
	forms: []compat.Form{compat.List},
	decode: func(_ *unstructured.Unstructured, r *reader, results []any) ([]workv1alpha2.Component, error) {
		list := at(results, 0)
		if list == nil {
			return nil, nil
		}
		components, err := r.components(list)
		return components, below("components", err)
	},
}

// components reads a list of components, whose names must differ.
func (r *reader) components(list any) ([]workv1alpha2.Component, error) {
	all := make([]workv1alpha2.Component, 0, 2)
	var names nameSet
	ok, err := r.items(list, func(value any) error {
		if err := r.Add(componentSteps, componentBytes); err != nil {
			return err
		}
		c, err := r.component(value)
		if err != nil {
			return err
		}
		if !names.add(c.Name, len(all), func(i int) string { return all[i].Name }) {
			return belowField("name", wrong("%q stands twice; names must be unique", c.Name))
		}
		all = append(all, c)
		return nil
	})
	if err == nil && !ok {
		err = wrong("want a list, got a %s", script.TypeName(list))
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Steps and bytes of a component beside its fields.
const (
	componentSteps = 16
	componentBytes = 256
)

// fewNames is up to how many names are compared one by one.
const fewNames = 8

// nameSet finds a name that comes twice: one by one among a few names, and by an index
// among many.
type nameSet struct{ index map[string]bool }

// add reports whether a name is none of the n names before it, which name returns.
func (s *nameSet) add(added string, n int, name func(i int) string) bool {
	if n < fewNames {
		for i := range n {
			if name(i) == added {
				return false
			}
		}
		return true
	}
	if s.index == nil {
		s.index = make(map[string]bool, 2*n)
		for i := range n {
			s.index[name(i)] = true
		}
	}
	known := s.index[added]
	s.index[added] = true
	return !known
}

func sortedComponents(all []workv1alpha2.Component) []workv1alpha2.Component {
	return slices.SortedStableFunc(slices.Values(all), func(a, b workv1alpha2.Component) int { return strings.Compare(a.Name, b.Name) })
}

// component reads one component.
func (r *reader) component(value any) (workv1alpha2.Component, error) {
	var c workv1alpha2.Component
	err := r.fields(value, func(key string, v any) error {
		var err error
		switch key {
		case "name":
			c.Name, err = r.string(v)
		case "replicas":
			c.Replicas, err = r.count(v)
		case "replicaRequirements":
			c.ReplicaRequirements, err = r.componentRequirements(v)
		default:
			return r.unknownField(key, "name", "replicas", "replicaRequirements")
		}
		return belowField(key, err)
	})
	if err == nil {
		err = belowField("name", checkComponentName(c.Name))
	}
	return c, err
}

func checkComponentName(name string) error {
	switch {
	case name == "":
		return wrong("a component must have a name")
	case len(name) > maxComponentName*utf8.UTFMax || utf8.RuneCountInString(name) > maxComponentName:
		return wrong("%q is longer than %d characters", clipped(name), maxComponentName)
	}
	return nil
}

// Components asks for the components of the object, in the order of the script;
// nil where the script returns none.
func (v Snapshot) Components(object *unstructured.Unstructured) ([]workv1alpha2.Component, error) {
	return run(v, componentOp, object, object)
}
