// SPDX-License-Identifier: Apache-2.0

package expect

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Policy returns a PropagationPolicy, or a ClusterPropagationPolicy where the namespace
// is empty.
func Policy(namespace, name string, selectors ...policyv1alpha1.ResourceSelector) policyv1alpha1.Policy {
	spec := policyv1alpha1.PropagationSpec{ResourceSelectors: selectors}
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	if namespace == "" {
		return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: meta, Spec: spec}
	}
	return &policyv1alpha1.PropagationPolicy{ObjectMeta: meta, Spec: spec}
}

// All selects the objects of a kind.
func All(kind schema.GroupVersionKind) policyv1alpha1.ResourceSelector {
	apiVersion, name := kind.ToAPIVersionAndKind()
	return policyv1alpha1.ResourceSelector{APIVersion: apiVersion, Kind: name}
}

// Named selects one object of a kind.
func Named(kind schema.GroupVersionKind, name string) policyv1alpha1.ResourceSelector {
	s := All(kind)
	s.Name = name
	return s
}

// Labelled selects the objects of a kind that have a label.
func Labelled(kind schema.GroupVersionKind, key, value string) policyv1alpha1.ResourceSelector {
	s := All(kind)
	s.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	return s
}

// Binding returns the binding that an object has under a policy that says nothing, a
// ClusterResourceBinding where the object has no namespace. Its id is its name.
func Binding(object *unstructured.Unstructured) workv1alpha2.Binding {
	meta := metav1.ObjectMeta{
		Namespace: object.GetNamespace(), Name: names.Binding(object.GetKind(), object.GetName()),
		Labels: map[string]string{}, Annotations: map[string]string{},
	}
	spec := workv1alpha2.ResourceBindingSpec{
		Resource: workv1alpha2.ObjectReference{
			APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
			UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
		},
		Placement: &policyv1alpha1.Placement{},
	}
	if object.GetNamespace() == "" {
		meta.Labels[policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel] = "policy"
		meta.Labels[workv1alpha2.ClusterResourceBindingPermanentIDLabel] = meta.Name
		meta.Finalizers = []string{workv1alpha2.ClusterBindingFinalizer}
		return &workv1alpha2.ClusterResourceBinding{ObjectMeta: meta, Spec: spec}
	}
	meta.Labels[policyv1alpha1.PropagationPolicyPermanentIDLabel] = "policy"
	meta.Labels[workv1alpha2.ResourceBindingPermanentIDLabel] = meta.Name
	meta.Finalizers = []string{workv1alpha2.BindingFinalizer}
	return &workv1alpha2.ResourceBinding{ObjectMeta: meta, Spec: spec}
}

// Targets returns clusters without replicas.
func Targets(clusters ...string) []workv1alpha2.TargetCluster {
	var targets []workv1alpha2.TargetCluster
	for _, name := range clusters {
		targets = append(targets, workv1alpha2.TargetCluster{Name: name})
	}
	return targets
}

// Cluster returns a member that serves some kinds. Status is a subresource: it has to be
// written by itself.
func Cluster(name string, serves ...schema.GroupVersionKind) *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       clusterv1alpha1.ClusterSpec{SyncMode: clusterv1alpha1.Push, APIEndpoint: "https://" + name},
	}
	for _, kind := range serves {
		c.Status.APIEnablements = append(c.Status.APIEnablements, clusterv1alpha1.APIEnablement{
			GroupVersion: kind.GroupVersion().String(), Resources: []clusterv1alpha1.APIResource{{Kind: kind.Kind}},
		})
	}
	return c
}
