// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// command changes the command of the containers with a name.
func command(object map[string]any, o *policyv1alpha1.CommandArgsOverrider) (map[string]any, error) {
	return stringsOf(object, "command", o)
}

// args changes the arguments of the containers with a name.
func args(object map[string]any, o *policyv1alpha1.CommandArgsOverrider) (map[string]any, error) {
	return stringsOf(object, "args", o)
}

// stringsOf changes a list of strings of the containers with a name. A list that is not
// there is created to add to, not to remove from.
func stringsOf(object map[string]any, field string, o *policyv1alpha1.CommandArgsOverrider) (map[string]any, error) {
	all, err := containers(object)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.fields["name"] != o.ContainerName {
			continue
		}
		path := c.path.Join(field)
		list, ok := c.fields[field].([]any)
		if value := c.fields[field]; !ok && value != nil {
			return nil, fmt.Errorf("%s is %s, not a list", path, kindOf(value))
		}
		changed, err := changeStrings(list, o)
		if err != nil {
			return nil, err
		}
		if len(changed) == len(list) {
			continue
		}
		p := patch{policyv1alpha1.OverriderOpAdd, path, changed}
		root, err := p.apply(object)
		if err != nil {
			return nil, err
		}
		object = root.(map[string]any)
	}
	return object, nil
}

// changeStrings returns the list with the values appended, or without each item that equals
// one of them.
func changeStrings(list []any, o *policyv1alpha1.CommandArgsOverrider) ([]any, error) {
	changed := make([]any, 0, len(list)+len(o.Value))
	switch o.Operator {
	case policyv1alpha1.OverriderOpAdd:
		changed = append(changed, list...)
		for _, v := range o.Value {
			changed = append(changed, v)
		}
	case policyv1alpha1.OverriderOpRemove:
		for _, item := range list {
			if text, ok := item.(string); !ok || !slices.Contains(o.Value, text) {
				changed = append(changed, item)
			}
		}
	default:
		return nil, fmt.Errorf("operator %q is not add or remove", o.Operator)
	}
	return changed, nil
}
