// SPDX-License-Identifier: Apache-2.0

package engine

import (
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
		Name: InterpretComponent, Field: "componentResource", Entry: "GetComponents", File: "components",
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{listResult("components", "name", compareComponents)},
		Doc:     "The components of the object, each with its replicas and what one replica needs.",
	},
	input: inputObject, bind: bindObject,
	forms: []compat.Form{compat.List},
	decode: func(_ *unstructured.Unstructured, rule *Rule, results []any) ([]workv1alpha2.Component, error) {
		list := at(results, 0)
		if list == nil {
			return nil, nil
		}
		components := make([]workv1alpha2.Component, 0, 2)
		ok, err := script.Items(list, func(i int, value any) error {
			c, err := decodeComponent(rule, i, value)
			if err != nil {
				return err
			}
			for k := range components {
				if components[k].Name == c.Name {
					return script.Errorf(script.Result, "components[%d].name: %q stands twice; names must be unique", i, c.Name)
				}
			}
			components = append(components, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, script.Errorf(script.Result, "components: want a list, got a %s", script.TypeName(list))
		}
		return components, nil
	},
}

func compareComponents(a, b workv1alpha2.Component) int { return strings.Compare(a.Name, b.Name) }

func decodeComponent(rule *Rule, i int, value any) (workv1alpha2.Component, error) {
	var c workv1alpha2.Component
	path := indexed("components", i)
	_, err := decodeFields(path, value, func(key string, v any) error {
		var err error
		switch key {
		case "name":
			c.Name, err = decodeString(path+".name", v)
		case "replicas":
			c.Replicas, err = decodeCount(path+".replicas", v)
		case "replicaRequirements":
			c.ReplicaRequirements, err = decodeComponentRequirements(rule, path+".replicaRequirements", v)
		default:
			err = unknownField(rule, path, key, "name", "replicas", "replicaRequirements")
		}
		return err
	})
	switch {
	case err != nil:
	case c.Name == "":
		err = script.Errorf(script.Result, "%s.name: a component must have a name", path)
	case utf8.RuneCountInString(c.Name) > maxComponentName:
		err = script.Errorf(script.Result, "%s.name: %q is longer than %d characters", path, c.Name, maxComponentName)
	}
	return c, err
}

// Components asks for the components of the object, in the order of the script;
// nil where the script returns none.
func (v Snapshot) Components(object *unstructured.Unstructured) ([]workv1alpha2.Component, error) {
	return run(v, componentOp, object, object)
}
