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
func StateFor(b workv1alpha2.Binding, cluster string) State {
	for _, c := range CarriedStates(b) {
		if c.To == cluster {
			return c.state()
		}
	}
	return State{}
}

// StateIn is StateFor for a copy whose Work may be there and has a RestoredFromAnnotation. Once its
// cluster is no target any more, another one gets the state that it was made with; the copy that stays
// until there is another keeps it nevertheless, or it would begin without.
func StateIn(b workv1alpha2.Binding, cluster, madeWith string) State {
	if s := StateFor(b, cluster); !s.IsEmpty() || madeWith == "" || isTarget(b.GetSpec(), cluster) {
		return s
	}
	for _, c := range CarriedStates(b) {
		if c.name() == madeWith {
			return c.state()
		}
	}
	return State{}
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
