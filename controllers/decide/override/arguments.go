// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// command changes the command of the containers with a name.
func command(d *draft, o *policyv1alpha1.CommandArgsOverrider) error {
	return stringsOf(d, "command", o)
}

// args changes the arguments of the containers with a name.
func args(d *draft, o *policyv1alpha1.CommandArgsOverrider) error {
	return stringsOf(d, "args", o)
}

// stringsOf changes a list of strings of the containers with a name. A list that is not
// there is created to add to, not to remove from.
func stringsOf(d *draft, field string, o *policyv1alpha1.CommandArgsOverrider) error {
	all, err := containers(d)
	if err != nil {
		return err
	}
	var change func([]any) ([]any, error) // made for the first container with the name
	for i := range all.items {
		if all.fields(i)["name"] != o.ContainerName {
			continue
		}
		path := all.path(i).Join(field)
		value := all.fields(i)[field]
		list, ok := value.([]any)
		if !ok && value != nil {
			return fmt.Errorf("%s is %s, not a list", path, kindOf(value))
		}
		if change == nil {
			if change, err = changeOf(d, o); err != nil {
				return err
			}
		}
		changed, err := change(list)
		if err != nil {
			return err
		}
		if len(changed) == len(list) {
			continue
		}
		if err := d.do(patch{policyv1alpha1.OverriderOpAdd, path, changed}); err != nil {
			return err
		}
	}
	return nil
}

// changeOf returns what an overrider does with a list of strings: it appends the values, or
// leaves out each item that equals one of them. A list of the draft may be changed as it is.
func changeOf(d *draft, o *policyv1alpha1.CommandArgsOverrider) (func([]any) ([]any, error), error) {
	for _, v := range o.Value {
		if err := d.takeText(len(v)); err != nil {
			return nil, err
		}
	}
	switch o.Operator {
	case policyv1alpha1.OverriderOpAdd:
		added := make([]any, len(o.Value))
		for i, v := range o.Value {
			added[i] = v
		}
		return func(list []any) ([]any, error) { return d.insert(list, len(list), added...) }, nil
	case policyv1alpha1.OverriderOpRemove:
		removed := sets.New(o.Value...)
		return func(list []any) ([]any, error) { return withoutTexts(d, list, removed) }, nil
	}
	return nil, fmt.Errorf("operator %q is not add or remove", o.Operator)
}

// withoutTexts returns a list without some texts; the list itself if it has none of them.
func withoutTexts(d *draft, list []any, texts sets.Set[string]) ([]any, error) {
	var kept []any // of those before i, once one was left out
	for i, item := range list {
		text, ok := item.(string)
		if err := d.takeText(len(text)); err != nil {
			return nil, err
		}
		removed := ok && texts.Has(text)
		if removed && kept == nil {
			kept = append(make([]any, 0, len(list)-1), list[:i]...)
		} else if !removed && kept != nil {
			kept = append(kept, item)
		}
	}
	if kept == nil {
		return list, nil
	}
	return d.owned(kept), nil
}
