// SPDX-License-Identifier: Apache-2.0

// Package index holds the field indexes of the cache and the look-ups by them, so that
// the cost of each depends on what it finds and not on what exists. Objects are found by
// their labels, owners and specs. It knows no controller.
package index

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

const (
	workBinding    = "work.binding"
	workKind       = "work.kind"
	workSpace      = "work.space"
	workQuota      = "work.quota"
	quotaCluster   = "quota.cluster"
	bindingKind    = "binding.kind"
	bindingCluster = "binding.cluster"
	bindingPolicy  = "binding.policy"
	// bindingMoved has the policy of what application failover has moved.
	bindingMoved = "binding.moved"
	// bindingTemplate has the kind and the name of the template, bindingTarget the clusters
	// that should have a copy.
	bindingTemplate  = "binding.template"
	bindingTarget    = "binding.target"
	overrideSelector = "override.selector"
	clusterSecret    = "cluster.secret"
	clusterID        = "cluster.id"
	// bindingDependency has what the template depends on, bindingParent the bindings that
	// depend on this one, and for an attached one its object.
	bindingDependency = "binding.dependency"
	bindingParent     = "binding.parent"
	// bindingGroup has the groups of workload affinity.
	bindingGroup = "binding.group"
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
		{&workv1alpha1.Work{}, workSpace, spacesOf},
		{&workv1alpha1.Work{}, workQuota, quotasOf},
		{&policyv1alpha1.FederatedResourceQuota{}, quotaCluster, assignedOf},
		{&clusterv1alpha1.Cluster{}, clusterSecret, secretsOf},
		{&clusterv1alpha1.Cluster{}, clusterID, idOf},
		{&policyv1alpha1.ClusterOverridePolicy{}, overrideSelector, overrideSelectorsOf},
		{&policyv1alpha1.OverridePolicy{}, overrideSelector, overrideSelectorsOf},
	}
	all = append(all, field{&workv1alpha2.ResourceBinding{}, bindingGroup, groupsOf})
	for _, b := range scope.Bindings() {
		all = append(all, field{b, bindingKind, resourceKind}, field{b, bindingCluster, clustersOf}, field{b, bindingPolicy, policiesOf},
			field{b, bindingTemplate, templateOf}, field{b, bindingTarget, targetsOf}, field{b, bindingConcern, concernsOf},
			field{b, bindingMoved, movedOf}, field{b, bindingDependency, dependenciesOf}, field{b, bindingParent, parentsOf})
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

// BindingOfWork returns a request for the binding of a Work, if that is of kind B; it is a
// handler.MapFunc.
func BindingOfWork[B workv1alpha2.Binding](_ context.Context, work client.Object) []reconcile.Request {
	if key, ok := BindingOf(work); ok {
		return BindingRequests[B](key)
	}
	return nil
}

// Works lists the Works of a binding; they must not be changed.
func Works(ctx context.Context, c client.Reader, binding types.NamespacedName, options ...client.ListOption) ([]workv1alpha1.Work, error) {
	var list workv1alpha1.WorkList
	options = append(options, client.MatchingFields{workBinding: binding.String()}, client.UnsafeDisableDeepCopy)
	if err := c.List(ctx, &list, options...); err != nil {
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

// HasWorkOfKind reports whether a cluster has a Work that has a manifest of a kind.
func HasWorkOfKind(ctx context.Context, c client.Reader, cluster string, kind schema.GroupVersionKind) (bool, error) {
	works, err := List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{},
		client.InNamespace(names.ExecutionSpace(cluster)), client.MatchingFields{workKind: kind.String()}, client.Limit(1))
	if err != nil {
		return false, fmt.Errorf("list the works of kind %s in cluster %s: %w", kind, cluster, err)
	}
	return len(works) > 0, nil
}

func workKeys(ctx context.Context, c client.Reader, match client.ListOption) ([]types.NamespacedName, error) {
	works, err := List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{}, match)
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

// BindingsOfCluster lists the bindings of both kinds that have, or are leaving, a copy in a
// cluster; they must not be changed.
func BindingsOfCluster(ctx context.Context, c client.Reader, cluster string) ([]workv1alpha2.Binding, error) {
	all, err := AllBindings(ctx, c, client.MatchingFields{bindingCluster: cluster})
	if err != nil {
		return nil, fmt.Errorf("list the bindings of cluster %s: %w", cluster, err)
	}
	return all, nil
}

// BindingsOfKind lists the keys of the bindings of the templates of a kind.
func BindingsOfKind(ctx context.Context, c client.Reader, kind schema.GroupVersionKind) ([]types.NamespacedName, error) {
	return bindingKeys(ctx, c, client.MatchingFields{bindingKind: kind.String()})
}

// BindingsOfPolicy lists the bindings whose claim names a policy, which has no namespace
// if it is cluster-wide; they must not be changed.
func BindingsOfPolicy(ctx context.Context, c client.Reader, policy types.NamespacedName) ([]workv1alpha2.Binding, error) {
	return AllBindings(ctx, c, client.MatchingFields{bindingPolicy: policy.String()})
}

// BindingsOfPolicyIn lists the bindings of type B whose claim names a policy and that are in a
// namespace, "" for those that are in none; they must not be changed.
func BindingsOfPolicyIn[B workv1alpha2.Binding](ctx context.Context, c client.Reader, policy types.NamespacedName, namespace string) ([]B, error) {
	return ListBindings[B](ctx, c, client.MatchingFields{bindingPolicy: policy.String()}, client.InNamespace(namespace))
}

// MovedOfPolicy lists those of them that application failover has moved.
func MovedOfPolicy[B workv1alpha2.Binding](ctx context.Context, c client.Reader, policy types.NamespacedName, namespace string) ([]B, error) {
	return ListBindings[B](ctx, c, client.MatchingFields{bindingMoved: policy.String()}, client.InNamespace(namespace))
}

// ClustersWithSecret lists the keys of the clusters whose credentials a Secret holds.
func ClustersWithSecret(ctx context.Context, c client.Reader, secret types.NamespacedName) ([]types.NamespacedName, error) {
	clusters, err := List[*clusterv1alpha1.Cluster](ctx, c, &clusterv1alpha1.ClusterList{}, client.MatchingFields{clusterSecret: secret.String()})
	return keysOf(clusters), err
}

// ClustersWithID lists the clusters that were observed to have an id; they must not be changed.
func ClustersWithID(ctx context.Context, c client.Reader, id string) ([]*clusterv1alpha1.Cluster, error) {
	return List[*clusterv1alpha1.Cluster](ctx, c, &clusterv1alpha1.ClusterList{}, client.MatchingFields{clusterID: id})
}

func bindingKeys(ctx context.Context, c client.Reader, match client.MatchingFields) ([]types.NamespacedName, error) {
	all, err := AllBindings(ctx, c, match)
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

func idOf(o client.Object) []string {
	if id := o.(*clusterv1alpha1.Cluster).Status.ID; id != "" {
		return []string{id}
	}
	return nil
}

func policiesOf(o client.Object) []string {
	if p := claim.Policy(o); p != nil {
		return []string{client.ObjectKeyFromObject(p).String()}
	}
	return nil
}

func movedOf(o client.Object) []string {
	if binding.TakesAlong(o.(workv1alpha2.Binding)) {
		return policiesOf(o)
	}
	return nil
}

func clustersOf(o client.Object) []string {
	return binding.Clusters(o.(workv1alpha2.Binding).GetSpec())
}

func targetsOf(o client.Object) []string {
	return binding.TargetNames(o.(workv1alpha2.Binding).GetSpec())
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
		gvk, ok := kindOf(manifests[i].Raw)
		if !ok {
			continue
		}
		if kind := gvk.String(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// leading matches the begin of a manifest as an API server writes it, whose fields are in
// order.
var leading = regexp.MustCompile(`^\{"apiVersion":"([^"\\]*)","kind":"([^"\\]*)"`)

// kindOf returns the kind of a manifest. It reads the whole manifest only if it must: an
// index is asked twice for each version of a Work.
func kindOf(manifest []byte) (schema.GroupVersionKind, bool) {
	if found := leading.FindSubmatch(manifest); found != nil {
		return schema.FromAPIVersionAndKind(string(found[1]), string(found[2])), true
	}
	var t metav1.TypeMeta
	if err := json.Unmarshal(manifest, &t); err != nil {
		return schema.GroupVersionKind{}, false
	}
	return t.GroupVersionKind(), true
}
