// SPDX-License-Identifier: Apache-2.0

// Package index holds the field indexes of the cache and the look-ups by them, so that
// the cost of each depends on what it finds and not on what exists. Objects are found by
// their labels, owners and specs. It knows no controller.
package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
	"github.com/dragoman-io/dragoman/controllers/internal/policies"
)

const (
	workBinding    = "work.binding"
	workKind       = "work.kind"
	bindingKind    = "binding.kind"
	bindingCluster = "binding.cluster"
	bindingPolicy  = "binding.policy"
	policySelector = "policy.selector"
	clusterSecret  = "cluster.secret"
)

// field is an index of one kind.
type field struct {
	object client.Object
	name   string
	keys   client.IndexerFunc
}

// fields returns all indexes.
func fields() []field {
	all := []field{
		{&workv1alpha1.Work{}, workBinding, bindingsOf},
		{&workv1alpha1.Work{}, workKind, kindsOf},
		{&clusterv1alpha1.Cluster{}, clusterSecret, secretsOf},
	}
	for _, b := range bindings.Kinds() {
		all = append(all, field{b, bindingKind, resourceKind}, field{b, bindingCluster, clustersOf}, field{b, bindingPolicy, policiesOf})
	}
	for _, p := range policies.Kinds() {
		all = append(all, field{p, policySelector, selectorsOf})
	}
	return all
}

// Register adds the indexes to a cache; it must be called before the cache starts, and
// once.
func Register(ctx context.Context, indexer client.FieldIndexer) error {
	for _, f := range fields() {
		if err := indexer.IndexField(ctx, f.object, f.name, f.keys); err != nil {
			return fmt.Errorf("add index %s: %w", f.name, err)
		}
	}
	return nil
}

// BindingOf returns the key of the binding that an object of the control plane or of a
// member was made from; the namespace is empty for a ClusterResourceBinding.
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
	works, err := objects.List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{}, match)
	if err != nil {
		return nil, fmt.Errorf("list the works: %w", err)
	}
	return keysOf(works), nil
}

// BindingsInCluster lists the keys of the bindings that have, or are leaving, a
// copy in a cluster: the namespaced ones and the cluster-wide ones, whose namespace
// is empty.
func BindingsInCluster(ctx context.Context, c client.Reader, cluster string) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingCluster: cluster})
}

// BindingsOfKind lists the keys of the bindings of the templates of a kind.
func BindingsOfKind(ctx context.Context, c client.Reader, kind schema.GroupVersionKind) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingKind: kind.String()})
}

// BindingsOfPolicy lists the bindings that carry the claim of the policy with this
// permanent id; they must not be changed.
func BindingsOfPolicy(ctx context.Context, c client.Reader, id string) ([]workv1alpha2.Binding, error) {
	return bindings.ListAll(ctx, c, client.MatchingFields{bindingPolicy: id})
}

// PoliciesFor lists the policies that have a selector of an object's kind, for its name
// or for all names; one that has both is listed twice. They must not be changed.
func PoliciesFor(ctx context.Context, c client.Reader, object *unstructured.Unstructured) ([]policyv1alpha1.Policy, error) {
	var all []policyv1alpha1.Policy
	for _, name := range []string{object.GetName(), ""} {
		match := client.MatchingFields{policySelector: selectorKey(object.GetAPIVersion(), object.GetKind(), name)}
		found, err := policies.ListFor(ctx, c, object.GetNamespace(), match)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// ClustersWithSecret lists the keys of the clusters whose credentials a Secret holds.
func ClustersWithSecret(ctx context.Context, c client.Reader, secret types.NamespacedName) ([]types.NamespacedName, error) {
	clusters, err := objects.List[*clusterv1alpha1.Cluster](ctx, c, &clusterv1alpha1.ClusterList{}, client.MatchingFields{clusterSecret: secret.String()})
	return keysOf(clusters), err
}

func bindingKeys(ctx context.Context, c client.Reader, match client.MatchingFields) ([]types.NamespacedName, error) {
	all, err := bindings.ListAll(ctx, c, match)
	return keysOf(all), err
}

func keysOf[T client.Object](all []T) []types.NamespacedName {
	keys := make([]types.NamespacedName, len(all))
	for i := range all {
		keys[i] = client.ObjectKeyFromObject(all[i])
	}
	return keys
}

func bindingsOf(o client.Object) []string {
	if key, ok := BindingOf(o); ok {
		return []string{key.String()}
	}
	return nil
}

func secretsOf(o client.Object) []string {
	if ref := o.(*clusterv1alpha1.Cluster).Spec.SecretRef; ref != nil {
		return []string{types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}.String()}
	}
	return nil
}

func policiesOf(o client.Object) []string {
	if id := claim.ID(o); id != "" {
		return []string{id}
	}
	return nil
}

func selectorsOf(o client.Object) []string {
	var keys []string
	for _, s := range o.(policyv1alpha1.Policy).GetSpec().ResourceSelectors {
		keys = append(keys, selectorKey(s.APIVersion, s.Kind, s.Name))
	}
	return keys
}

// selectorKey returns the index key of a selector; the empty name stands for all names.
func selectorKey(apiVersion, kind, name string) string { return apiVersion + "|" + kind + "|" + name }

func clustersOf(o client.Object) []string {
	return binding.Clusters(o.(workv1alpha2.Binding).GetSpec())
}

func resourceKind(o client.Object) []string {
	r := &o.(workv1alpha2.Binding).GetSpec().Resource
	return []string{schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).String()}
}

// kindsOf returns the kinds of the manifests of a Work, each once. A manifest that
// cannot be read has none.
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
