// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"regexp"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// uid is the form of the UIDs that an API server gives to objects.
var uid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// RecordedID returns the id that the member must have: spec.id if it has the form of a UID,
// otherwise the one that was observed before. It is empty for a member whose id is not known.
func (c *Cluster) RecordedID() string {
	if uid.MatchString(c.Spec.ID) {
		return c.Spec.ID
	}
	return c.Status.ID
}

// OwnerConflict reports whether another control plane of the same owner writes to the member.
func (c *Cluster) OwnerConflict() bool {
	return meta.IsStatusConditionTrue(c.Status.Conditions, ClusterConditionOwnerConflict)
}

// IDConflict returns the reason of the condition IDConflict while it is True, and "" otherwise.
func (c *Cluster) IDConflict() string {
	condition := meta.FindStatusCondition(c.Status.Conditions, ClusterConditionIDConflict)
	if condition == nil || condition.Status != metav1.ConditionTrue {
		return ""
	}
	return condition.Reason
}
