// SPDX-License-Identifier: Apache-2.0

// Package index makes the look-ups that several controllers share, so that each
// costs what it finds and not what exists. Objects are found by what their labels,
// owners and specs say.
package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
)

const (
	workBinding    = "work.binding"
	workKind       = "work.kind"
	bindingKind    = "binding.kind"
	bindingCluster = "binding.cluster"
	bindingUID     = "binding.resourceUID"
	clusterSecret  = "cluster.secret"
)

// Register adds the indexes to a cache; it must be called before the cache starts.
func Register(ctx context.Context, indexer client.FieldIndexer) error {
	for _, add := range []struct {
		object client.Object
		field  string
		keys   client.IndexerFunc
	}{
		{&workv1alpha1.Work{}, workBinding, func(o client.Object) []string {
			if key, ok := BindingOf(o); ok {
				return []string{key.String()}
			}
			return nil
		}},
		{&workv1alpha1.Work{}, workKind, kindsOf},
		{&workv1alpha2.ResourceBinding{}, bindingKind, resourceKind},
		{&workv1alpha2.ClusterResourceBinding{}, bindingKind, resourceKind},
		{&workv1alpha2.ResourceBinding{}, bindingCluster, clustersOf},
		{&workv1alpha2.ClusterResourceBinding{}, bindingCluster, clustersOf},
		{&workv1alpha2.ResourceBinding{}, bindingUID, resourceUID},
		{&workv1alpha2.ClusterResourceBinding{}, bindingUID, resourceUID},
		{&clusterv1alpha1.Cluster{}, clusterSecret, func(o client.Object) []string {
			if ref := o.(*clusterv1alpha1.Cluster).Spec.SecretRef; ref != nil {
				return []string{types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}.String()}
			}
			return nil
		}},
	} {
		if err := indexer.IndexField(ctx, add.object, add.field, add.keys); err != nil {
			return fmt.Errorf("add index %s: %w", add.field, err)
		}
	}
	return nil
}

// BindingOf reports which binding an object of the control plane or of a member was
// made from; the namespace is empty for a ClusterResourceBinding.
func BindingOf(o metav1.Object) (types.NamespacedName, bool) {
	annotations := o.GetAnnotations()
	if name := annotations[workv1alpha2.ResourceBindingNameAnnotation]; name != "" {
		return types.NamespacedName{Namespace: annotations[workv1alpha2.ResourceBindingNamespaceAnnotation], Name: name}, true
	}
	if name := annotations[workv1alpha2.ClusterResourceBindingNameAnnotation]; name != "" {
		return types.NamespacedName{Name: name}, true
	}
	return types.NamespacedName{}, false
}

// Works lists the Works of a binding; they must not be changed.
func Works(ctx context.Context, c client.Reader, binding types.NamespacedName) ([]workv1alpha1.Work, error) {
	var list workv1alpha1.WorkList
	if err := c.List(ctx, &list, client.MatchingFields{workBinding: binding.String()}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list the works of binding %s: %w", binding, err)
	}
	return list.Items, nil
}

// WorksInCluster lists the keys of the Works of a cluster.
func WorksInCluster(ctx context.Context, c client.Reader, cluster string) ([]types.NamespacedName, error) {
	return workKeys(ctx, c, client.InNamespace(names.ExecutionSpace(cluster)))
}

// WorksOfKind lists the keys of the Works that have a manifest of a kind.
func WorksOfKind(ctx context.Context, c client.Reader, kind schema.GroupVersionKind) ([]types.NamespacedName, error) {
	return workKeys(ctx, c, client.MatchingFields{workKind: kind.String()})
}

func workKeys(ctx context.Context, c client.Reader, match client.ListOption) ([]types.NamespacedName, error) {
	var list workv1alpha1.WorkList
	if err := c.List(ctx, &list, match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list the works: %w", err)
	}
	keys := make([]types.NamespacedName, 0, len(list.Items))
	for i := range list.Items {
		keys = append(keys, client.ObjectKeyFromObject(&list.Items[i]))
	}
	return keys, nil
}

// BindingsInCluster lists the keys of the bindings that have, or are leaving, a
// copy in a cluster: the namespaced ones and the cluster-wide ones, whose namespace
// is empty.
func BindingsInCluster(ctx context.Context, c client.Reader, cluster string) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingCluster: cluster})
}

// BindingsOfResource lists the keys of the bindings of the template with this UID.
func BindingsOfResource(ctx context.Context, c client.Reader, uid types.UID) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingUID: string(uid)})
}

// BindingsOfKind lists the keys of the bindings of the templates of a kind.
func BindingsOfKind(ctx context.Context, c client.Reader, kind schema.GroupVersionKind) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingKind: kind.String()})
}

// ClustersWithSecret lists the names of the clusters whose credentials a Secret holds.
func ClustersWithSecret(ctx context.Context, c client.Reader, secret types.NamespacedName) ([]string, error) {
	var list clusterv1alpha1.ClusterList
	if err := c.List(ctx, &list, client.MatchingFields{clusterSecret: secret.String()}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	clusters := make([]string, 0, len(list.Items))
	for i := range list.Items {
		clusters = append(clusters, list.Items[i].Name)
	}
	return clusters, nil
}

func bindingKeys(ctx context.Context, c client.Reader, match client.MatchingFields) ([]types.NamespacedName, error) {
	var (
		keys    []types.NamespacedName
		spaced  workv1alpha2.ResourceBindingList
		cluster workv1alpha2.ClusterResourceBindingList
	)
	if err := c.List(ctx, &spaced, match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range spaced.Items {
		keys = append(keys, client.ObjectKeyFromObject(&spaced.Items[i]))
	}
	if err := c.List(ctx, &cluster, match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range cluster.Items {
		keys = append(keys, client.ObjectKeyFromObject(&cluster.Items[i]))
	}
	return keys, nil
}

func clustersOf(o client.Object) []string {
	return binding.Clusters(o.(workv1alpha2.Binding).GetSpec())
}

func resourceUID(o client.Object) []string {
	return []string{string(o.(workv1alpha2.Binding).GetSpec().Resource.UID)}
}

func resourceKind(o client.Object) []string {
	r := &o.(workv1alpha2.Binding).GetSpec().Resource
	return []string{schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).String()}
}

// kindsOf returns the kinds of the manifests of a Work, each once. A manifest that can
// not be read has none.
func kindsOf(o client.Object) []string {
	manifests := o.(*workv1alpha1.Work).Spec.Workload.Manifests
	var kinds []string
	for i := range manifests {
		var t metav1.TypeMeta
		if err := json.Unmarshal(manifests[i].Raw, &t); err != nil {
			continue
		}
		if kind := t.GroupVersionKind().String(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
