// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Preview returns the rules as they would be with another rule set in a layer, in the place of the
// one with its name and without that called before; a nil set only takes out. The interpreter does
// not change. observe is called after every run of the snapshot, in place of the observer of the
// interpreter. It returns also the kinds of the two rule sets, in no order. The costs are those of
// the rule sets of one layer, and of these kinds.
func (i *Interpreter) Preview(l Layer, before string, set *RuleSet, observe func(Run)) (Snapshot, []schema.GroupVersionKind, error) {
	settings := i.settings
	settings.Observe = observe
	if set != nil {
		if err := set.validate(l); err != nil {
			return Snapshot{}, nil, err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	all := i.layers
	all[l] = all[l].clone()
	touched := all[l].replace(before, nil)
	if set != nil {
		maps.Copy(touched, all[l].replace(set.Name, set))
	}
	next := *i.snapshot.Load()
	next.rebuild(&all, touched, settings.Limits)
	return Snapshot{settings: &settings, rules: &next}, slices.Collect(maps.Keys(touched)), nil
}
