// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// StateFor returns the state that is carried over to a target cluster, the zero value for
// none. Its Labels are set on the object; its Values, which include the labels, are for
// the script that restores state.
//
// The last task counts. Its purge mode must be Directly, so that the old copy is gone,
// and the target must be new: a copy that ran before the failover keeps its own state.
// If the task does not name the clusters before it, only a single target gets the state.
func StateFor(spec *workv1alpha2.ResourceBindingSpec, cluster string) State {
	if len(spec.GracefulEvictionTasks) == 0 {
		return State{}
	}
	last := &spec.GracefulEvictionTasks[len(spec.GracefulEvictionTasks)-1]
	if !isDirect(last) || slices.Contains(last.ClustersBeforeFailover, cluster) {
		return State{}
	}
	if len(last.ClustersBeforeFailover) == 0 && len(Targets(spec)) > 1 {
		return State{}
	}
	if len(last.PreservedLabelState) == 0 && len(last.PreservedState) == 0 {
		return State{}
	}
	values := maps.Clone(last.PreservedState)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, last.PreservedLabelState)
	return State{Labels: last.PreservedLabelState, Values: values}
}
