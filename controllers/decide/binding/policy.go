// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"k8s.io/apimachinery/pkg/api/equality"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// SetPolicy writes the fields of a spec that come from a policy, with the priority that its class has.
func SetPolicy(spec *workv1alpha2.ResourceBindingSpec, from *policyv1alpha1.PropagationSpec, priority *workv1alpha2.SchedulePriority) {
	spec.PropagateDeps = from.PropagateDeps
	spec.Placement = from.Placement.DeepCopy()
	spec.SchedulerName = from.SchedulerName
	spec.Failover = from.Failover.DeepCopy()
	spec.ConflictResolution = from.ConflictResolution
	spec.PreserveResourcesOnDeletion = from.PreserveResourcesOnDeletion
	spec.Suspension = suspension(spec.Suspension, from.Suspension)
	spec.SchedulePriority = priority
}

// Follows reports whether a spec is what SetPolicy makes of it, field by field and without copies. Of its priority and its affinity groups,
// which are of other objects too, it knows nothing.
func Follows(spec *workv1alpha2.ResourceBindingSpec, policy *policyv1alpha1.PropagationSpec) bool {
	same := equality.Semantic.DeepEqual
	return spec.PropagateDeps == policy.PropagateDeps && spec.SchedulerName == policy.SchedulerName &&
		spec.ConflictResolution == policy.ConflictResolution && same(spec.PreserveResourcesOnDeletion, policy.PreserveResourcesOnDeletion) &&
		same(spec.Placement, &policy.Placement) && same(spec.Failover, policy.Failover) &&
		same(spec.Suspension, suspension(spec.Suspension, policy.Suspension))
}

// suspension returns the suspension of the policy with that of scheduling, which others
// set.
func suspension(old *workv1alpha2.Suspension, policy *policyv1alpha1.Suspension) *workv1alpha2.Suspension {
	var scheduling *bool
	if old != nil {
		scheduling = old.Scheduling
	}
	if policy == nil && scheduling == nil {
		return nil
	}
	s := &workv1alpha2.Suspension{Scheduling: scheduling}
	if policy != nil {
		s.Suspension = *policy.DeepCopy()
	}
	return s
}
