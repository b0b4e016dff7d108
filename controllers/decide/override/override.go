// SPDX-License-Identifier: Apache-2.0

// Package override decides what override policies make of an object for one cluster:
// object, cluster and policies in; the changed object and what was applied out. It knows
// no client, no cache and no clock.
package override

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Policies are the override policies that may select an object, in any order. Those of
// the whole control plane are applied first.
type Policies struct {
	ClusterWide []*policyv1alpha1.ClusterOverridePolicy
	// Namespaced are the policies of the object's namespace.
	Namespaced []*policyv1alpha1.OverridePolicy
}

// Applied is what one policy changed for a cluster, as the annotations of a Work publish
// it.
type Applied struct {
	PolicyName string                    `json:"policyName"`
	Overriders policyv1alpha1.Overriders `json:"overriders"`
}

// Result is an object for one cluster.
type Result struct {
	// Object shares what was not changed with the object that it was made from.
	Object *unstructured.Unstructured
	// ClusterWide and Namespaced are sorted by the names of the policies; an item for
	// each rule that matches.
	ClusterWide, Namespaced []Applied
}

// Error is why an override could not be applied for a cluster.
type Error struct {
	// Policy is as "OverridePolicy ns/name" or "ClusterOverridePolicy name".
	Policy string
	// Field is the overrider in the policy, such as
	// spec.overrideRules[1].overriders.plaintext[0].
	Field   string
	Cluster string
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s, for cluster %s: %v", e.Policy, e.Field, e.Cluster, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Apply returns the object as the policies that select it change it for a cluster. The
// object and the policies are shared and not changed. What all of them copy and read has one
// bound, which does not depend on time; see budget.Whole. The error is an *Error.
func Apply(object *unstructured.Unstructured, cluster *clusterv1alpha1.Cluster, p Policies) (Result, error) {
	if len(p.ClusterWide)+len(p.Namespaced) == 0 {
		return Result{Object: object}, nil
	}
	result, err := newRun(object, cluster).apply(object, p)
	if failed := (*Error)(nil); errors.As(err, &failed) {
		failed.Cluster = cluster.Name
	}
	return result, err
}

// apply is Apply; its *Error has no cluster.
func (r *run) apply(object *unstructured.Unstructured, p Policies) (Result, error) {
	clusterWide, err := inOrder(p.ClusterWide, object)
	if err != nil {
		return Result{}, err
	}
	namespaced, err := inOrder(p.Namespaced, object)
	if err != nil {
		return Result{}, err
	}
	var result Result
	if result.ClusterWide, err = r.policies(clusterWide); err != nil {
		return Result{}, err
	}
	if result.Namespaced, err = r.policies(namespaced); err != nil {
		return Result{}, err
	}
	byName := func(a, b Applied) int { return cmp.Compare(a.PolicyName, b.PolicyName) }
	slices.SortStableFunc(result.ClusterWide, byName)
	slices.SortStableFunc(result.Namespaced, byName)
	result.Object = &unstructured.Unstructured{Object: r.object}
	return result, nil
}
