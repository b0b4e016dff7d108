// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Keys of an index of bindings by what concerns them. Those with a slash have a value.
const (
	keyWaiting = "waiting" // not scheduled
	keyShort   = "short"   // not scheduled, and needs room
	keyAny     = "any"     // copied to any cluster
	keyName    = "name/"   // copied to clusters of this name
	keyLabel   = "label/"  // copied to clusters with this label, as key or as key=value
	keyField   = "field/"  // copied to clusters with this field, as key=value
	keyKind    = "kind/"   // copied, of this kind
)

// Keys returns the keys under which a binding is found by Change.Keys. A divided binding
// that is scheduled has none: only the loss of a target concerns it.
func Keys(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus) []string {
	switch {
	case spec.Placement == nil:
		return nil
	case !isScheduled(status) && NeedsCapacity(spec):
		return []string{keyWaiting, keyShort}
	case !isScheduled(status):
		return []string{keyWaiting}
	case !Copies(spec):
		return nil
	}
	affinity := spec.Placement.ClusterAffinity
	if g := groupInForce(spec.Placement, status); g != nil {
		affinity = &g.ClusterAffinity
	}
	return append(affinityKeys(affinity), keyKind+spec.Resource.APIVersion+"/"+spec.Resource.Kind)
}

// Keys returns the keys of the bindings that the change may concern, as Concerns decides
// for each; those that lose a target are not among them.
func (c Change) Keys() []string {
	keys := sets.New[string]()
	switch {
	case c.moved():
		keys.Insert(clusterKeys(c.Before)...)
		keys.Insert(clusterKeys(c.After)...)
		keys.Insert(keyWaiting)
	case !slices.EqualFunc(c.Before.Status.APIEnablements, c.After.Status.APIEnablements, sameAPI):
		for kind := range served(c.Before).SymmetricDifference(served(c.After)) {
			keys.Insert(keyKind+kind, keyWaiting)
		}
	}
	switch {
	case c.Ruled && c.After != nil:
		keys.Insert(keyWaiting)
	case c.hasMoreRoom() && !keys.Has(keyWaiting):
		keys.Insert(keyShort)
	}
	return sets.List(keys)
}

// affinityKeys returns keys of which each cluster that matches the affinity has one.
func affinityKeys(a *policyv1alpha1.ClusterAffinity) []string {
	switch {
	case a == nil:
		return []string{keyAny}
	case len(a.ClusterNames) > 0:
		return prefixed(keyName, a.ClusterNames)
	case a.LabelSelector != nil && len(a.LabelSelector.MatchLabels) > 0:
		key := slices.Min(slices.Collect(maps.Keys(a.LabelSelector.MatchLabels)))
		return []string{keyLabel + key + "=" + a.LabelSelector.MatchLabels[key]}
	}
	if a.LabelSelector != nil {
		for _, e := range a.LabelSelector.MatchExpressions {
			switch e.Operator {
			case metav1.LabelSelectorOpIn:
				return prefixed(keyLabel+e.Key+"=", e.Values)
			case metav1.LabelSelectorOpExists:
				return []string{keyLabel + e.Key}
			}
		}
	}
	if a.FieldSelector != nil {
		for _, e := range a.FieldSelector.MatchExpressions {
			if e.Operator == corev1.NodeSelectorOpIn {
				return prefixed(keyField+e.Key+"=", e.Values)
			}
		}
	}
	return []string{keyAny}
}

// clusterKeys returns all keys of affinities that a cluster may match.
func clusterKeys(c *clusterv1alpha1.Cluster) []string {
	if c == nil {
		return nil
	}
	keys := []string{keyAny, keyName + c.Name}
	for k, v := range c.Labels {
		keys = append(keys, keyLabel+k, keyLabel+k+"="+v)
	}
	fields := map[policyv1alpha1.SpreadFieldValue][]string{
		policyv1alpha1.SpreadByFieldProvider: {c.Spec.Provider},
		policyv1alpha1.SpreadByFieldRegion:   {c.Spec.Region},
		policyv1alpha1.SpreadByFieldZone:     c.Spec.Zones,
	}
	for field, values := range fields {
		keys = append(keys, prefixed(keyField+string(field)+"=", values)...)
	}
	return keys
}

func prefixed(prefix string, values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = prefix + v
	}
	return out
}

func sameAPI(a, b clusterv1alpha1.APIEnablement) bool {
	return a.GroupVersion == b.GroupVersion && slices.Equal(a.Resources, b.Resources)
}

// served returns the kinds that a cluster serves, as apiVersion/kind.
func served(c *clusterv1alpha1.Cluster) sets.Set[string] {
	kinds := sets.New[string]()
	for _, api := range c.Status.APIEnablements {
		for _, r := range api.Resources {
			kinds.Insert(api.GroupVersion + "/" + r.Kind)
		}
	}
	return kinds
}
