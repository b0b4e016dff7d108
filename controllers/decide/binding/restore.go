// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// StateFor returns the state that the copy in a cluster gets from one that was evicted
// Directly, the zero value for none. Its Labels are set on the object, so that those which
// cannot be on one are left out; its Values, which include all labels, are for the script
// that restores state.
//
// madeWith is the RestoredFromAnnotation of the Work that is there, "" without one. Once its cluster is no
// target any more, another one gets the state that it was made with; the copy that stays until there is
// another keeps it nevertheless, or it would begin without.
func StateFor(b workv1alpha2.Binding, cluster, madeWith string) State {
	var kept State
	for _, c := range CarriedStates(b) {
		switch {
		case c.To == cluster:
			return c.state()
		case madeWith != "" && c.name() == madeWith && !isTarget(b.GetSpec(), cluster):
			kept = c.state()
		}
	}
	return kept
}

// state returns the state as a new copy gets it.
func (c *Carried) state() State {
	values := maps.Clone(c.Values)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, c.Labels)
	labels := maps.Clone(c.Labels)
	maps.DeleteFunc(labels, func(key, value string) bool { return labelProblem(key, value) != "" })
	return State{Labels: labels, Values: values}
}

// labelProblem returns why a label cannot be on an object, or "". A task of the published
// control plane may have such a label: the object would be refused for it.
func labelProblem(key, value string) string {
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		return fmt.Sprintf("%q cannot be the key of a label: %s", key, strings.Join(problems, "; "))
	}
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		return fmt.Sprintf("the value %q of %s cannot be a label: %s", clip(value, maxQuoted), key, strings.Join(problems, "; "))
	}
	return ""
}
