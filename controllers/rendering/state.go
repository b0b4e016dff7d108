// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"maps"
	"slices"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// preserved returns the state that goes along to a target cluster: the labels to put
// on the object, and all that the script which restores it may use. Both are nil
// where nothing goes along.
//
// The last task counts. It must have been Directly, so that the old copy is gone,
// and the target must be new: a copy that ran before the failover goes on with its
// own state. Where the task does not say which clusters there were before, the state
// goes along only to a single target.
func preserved(spec *workv1alpha2.ResourceBindingSpec, cluster string) (labels, state map[string]string) {
	if len(spec.GracefulEvictionTasks) == 0 {
		return nil, nil
	}
	last := &spec.GracefulEvictionTasks[len(spec.GracefulEvictionTasks)-1]
	if last.PurgeMode.Canonical() != policyv1alpha1.PurgeModeDirectly || slices.Contains(last.ClustersBeforeFailover, cluster) {
		return nil, nil
	}
	if len(last.ClustersBeforeFailover) == 0 && len(targets(spec)) > 1 {
		return nil, nil
	}
	if len(last.PreservedLabelState) == 0 && len(last.PreservedState) == 0 {
		return nil, nil
	}
	state = maps.Clone(last.PreservedState)
	if state == nil {
		state = map[string]string{}
	}
	maps.Copy(state, last.PreservedLabelState)
	return last.PreservedLabelState, state
}
