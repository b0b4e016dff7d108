// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Affinity is a ClusterAffinity, compiled for matching many clusters. The zero value
// matches all. It is safe for many goroutines.
type Affinity struct {
	excluded sets.Set[string]
	selector labels.Selector                  // nil matches all
	fields   []corev1.NodeSelectorRequirement // each must hold
	names    sets.Set[string]                 // empty matches all
}

// NewAffinity reads a ClusterAffinity; nil matches all. It fails when a label
// selector is malformed, or when a field selector has another key than
// provider, region and zone or another operator than In and NotIn.
func NewAffinity(a *policyv1alpha1.ClusterAffinity) (Affinity, error) {
	if a == nil {
		return Affinity{}, nil
	}
	out := Affinity{excluded: sets.New(a.ExcludeClusters...), names: sets.New(a.ClusterNames...)}
	if a.LabelSelector != nil {
		s, err := metav1.LabelSelectorAsSelector(a.LabelSelector)
		if err != nil {
			return Affinity{}, fmt.Errorf("read label selector: %w", err)
		}
		out.selector = s
	}
	if a.FieldSelector != nil {
		out.fields = a.FieldSelector.MatchExpressions
	}
	for _, f := range out.fields {
		if f.Operator != corev1.NodeSelectorOpIn && f.Operator != corev1.NodeSelectorOpNotIn {
			return Affinity{}, fmt.Errorf("read field selector: operator %q is not In or NotIn", f.Operator)
		}
		if !slices.Contains([]string{fieldProvider, fieldRegion, fieldZone}, f.Key) {
			return Affinity{}, fmt.Errorf("read field selector: key %q is not provider, region or zone", f.Key)
		}
	}
	return out, nil
}

// Matches reports whether the cluster matches: it is not excluded, and the label
// selector, the field selector and the names, if set, all match.
func (a Affinity) Matches(c *clusterv1alpha1.Cluster) bool {
	if a.excluded.Has(c.Name) {
		return false
	}
	if a.names.Len() > 0 && !a.names.Has(c.Name) {
		return false
	}
	if a.selector != nil && !a.selector.Matches(labels.Set(c.Labels)) {
		return false
	}
	for i := range a.fields {
		if !matchesField(c, &a.fields[i]) {
			return false
		}
	}
	return true
}

// Keys of field selectors.
const (
	fieldProvider = string(policyv1alpha1.SpreadByFieldProvider)
	fieldRegion   = string(policyv1alpha1.SpreadByFieldRegion)
	fieldZone     = string(policyv1alpha1.SpreadByFieldZone)
)

// matchesField reports whether one requirement holds: In when the cluster has one
// of the values at least, NotIn when it has none of them. A field that is not
// set has no value.
func matchesField(c *clusterv1alpha1.Cluster, f *corev1.NodeSelectorRequirement) bool {
	has := false
	switch f.Key {
	case fieldProvider:
		has = c.Spec.Provider != "" && slices.Contains(f.Values, c.Spec.Provider)
	case fieldRegion:
		has = c.Spec.Region != "" && slices.Contains(f.Values, c.Spec.Region)
	case fieldZone:
		has = slices.ContainsFunc(c.Spec.Zones, func(z string) bool { return slices.Contains(f.Values, z) })
	}
	return has == (f.Operator == corev1.NodeSelectorOpIn)
}
