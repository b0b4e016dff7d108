// SPDX-License-Identifier: Apache-2.0

// Package gather reads from a control plane what explains one template. It only reads, and
// it lists no bindings and no Works: these have published names. Its requests are those
// for the two names of the binding, the policies, the customizations, the clusters, the
// PlacementRules and the WorkloadRebalancers, one for each target cluster, one for each override policy that the
// policy waits for, and two for each object that the template depends on. For a namespace that no policy propagates
// they are one for each cluster.
package gather

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/explain"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// Input reads what explains a template.
func Input(ctx context.Context, c client.Reader, template *unstructured.Unstructured) (explain.Input, error) {
	in := explain.Input{Template: template}
	var err error
	if in.Policies, err = policiesOf(ctx, c, template.GetNamespace()); err != nil {
		return in, err
	}
	b, exists, err := index.BindingFor(ctx, c, template)
	if err != nil {
		return in, err
	}
	if exists {
		in.Binding = b
	}
	if err := readVersion(ctx, c, &in); err != nil {
		return in, err
	}
	if err := readMissing(ctx, c, &in); err != nil {
		return in, err
	}
	if in.Customizations, err = customizations(ctx, c, in.Template.GroupVersionKind()); err != nil {
		return in, err
	}
	if !exists && !in.IsNamespace() {
		return in, nil
	}
	if in.Clusters, err = index.List[*clusterv1alpha1.Cluster](ctx, c, &clusterv1alpha1.ClusterList{}); err != nil {
		return in, fmt.Errorf("list clusters: %w", err)
	}
	if !exists {
		in.Works, err = works(ctx, c, names.Work(template.GetKind(), "", template.GetName()), clusterNames(in.Clusters))
		return in, err
	}
	if in.Peers, err = peers(ctx, c, b); err != nil {
		return in, err
	}
	if in.Rules, err = rulesFor(ctx, c, b); err != nil {
		return in, err
	}
	if in.Rebalancers, err = rebalancers(ctx, c, in.NamedBy); err != nil {
		return in, err
	}
	if in.Dependencies, err = dependencies(ctx, c, b); err != nil {
		return in, err
	}
	in.Works, err = works(ctx, c, reference.WorkName(b), explain.WantedClusters(b))
	return in, err
}

// Remains reads what is left of an object that is gone, of which kind, namespace and name are known: its
// binding and its Works. Its requests are two for the binding, one for the clusters, and one for each
// of these.
func Remains(ctx context.Context, c client.Reader, gone *unstructured.Unstructured) (explain.Input, error) {
	in := explain.Input{Template: gone, Gone: true}
	b, exists, err := index.BindingFor(ctx, c, gone)
	if err != nil {
		return in, err
	}
	name := names.Work(gone.GetKind(), gone.GetNamespace(), gone.GetName())
	if exists {
		in.Binding, name = b, reference.WorkName(b)
	}
	if in.Clusters, err = index.List[*clusterv1alpha1.Cluster](ctx, c, &clusterv1alpha1.ClusterList{}); err != nil {
		return in, fmt.Errorf("list clusters: %w", err)
	}
	in.Works, err = works(ctx, c, name, clusterNames(in.Clusters))
	maps.DeleteFunc(in.Works, func(_ string, w *workv1alpha1.Work) bool { return !isOf(w, gone.GroupVersionKind().GroupKind()) })
	return in, err
}

// isOf reports whether a Work is of an object of a kind: its name does not have the group.
func isOf(w *workv1alpha1.Work, kind schema.GroupKind) bool {
	for i := range w.Spec.Workload.Manifests {
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON(w.Spec.Workload.Manifests[i].Raw); err == nil && o.GroupVersionKind().GroupKind() == kind {
			return true
		}
	}
	return false
}

// peers reads where the other bindings are that are in a group of a binding.
func peers(ctx context.Context, c client.Reader, b workv1alpha2.Binding) (peers placement.Peers, err error) {
	if b.GetSpec().WorkloadAffinityGroups == nil {
		return peers, nil
	}
	all, err := index.List[workv1alpha2.Binding](ctx, c, &workv1alpha2.ResourceBindingList{}, client.InNamespace(b.GetNamespace()))
	if err != nil {
		return peers, fmt.Errorf("list the bindings of namespace %s: %w", b.GetNamespace(), err)
	}
	for _, other := range all {
		peers.Add(b, other, other.GetSpec().Clusters)
	}
	return peers, nil
}

// isUnserved reports whether a control plane does not serve a kind, so that there is nothing of it.
func isUnserved(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

// rebalancers lists the WorkloadRebalancers that name the template. To who may not list them
// there are none: the binding has what they asked for.
func rebalancers(ctx context.Context, c client.Reader, named func(*appsv1alpha1.WorkloadRebalancer) bool) ([]*appsv1alpha1.WorkloadRebalancer, error) {
	all, err := index.List[*appsv1alpha1.WorkloadRebalancer](ctx, c, &appsv1alpha1.WorkloadRebalancerList{})
	if apierrors.IsForbidden(err) || isUnserved(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list WorkloadRebalancers: %w", err)
	}
	return slices.DeleteFunc(all, func(r *appsv1alpha1.WorkloadRebalancer) bool { return !named(r) }), nil
}

func clusterNames(clusters []*clusterv1alpha1.Cluster) []string {
	all := make([]string, len(clusters))
	for i := range clusters {
		all[i] = clusters[i].Name
	}
	return all
}

// dependencies reads the bindings of what a binding's object depends on.
func dependencies(ctx context.Context, c client.Reader, b workv1alpha2.Binding) ([]explain.Dependency, error) {
	references := binding.Dependencies(b)
	all := make([]explain.Dependency, len(references))
	for i := range references {
		all[i].Reference = references[i]
		if references[i].Name == "" {
			continue
		}
		for _, namespace := range binding.NamespacesOf(b, &references[i]) {
			object := &unstructured.Unstructured{}
			object.SetGroupVersionKind(schema.FromAPIVersionAndKind(references[i].APIVersion, references[i].Kind))
			object.SetNamespace(namespace)
			object.SetName(references[i].Name)
			attached, exists, err := index.BindingFor(ctx, c, object)
			if err != nil {
				return nil, err
			}
			if exists {
				all[i].Attached = attached
			}
		}
	}
	return all, nil
}

// policiesOf lists the policies of a namespace, unless it is empty, and the cluster-wide
// ones.
func policiesOf(ctx context.Context, c client.Reader, namespace string) ([]policyv1alpha1.Policy, error) {
	all, err := index.List[policyv1alpha1.Policy](ctx, c, &policyv1alpha1.ClusterPropagationPolicyList{})
	if err != nil {
		return nil, fmt.Errorf("list ClusterPropagationPolicies: %w", err)
	}
	if namespace == "" {
		return all, nil
	}
	own, err := index.List[policyv1alpha1.Policy](ctx, c, &policyv1alpha1.PropagationPolicyList{}, client.InNamespace(namespace))
	if err != nil {
		return nil, fmt.Errorf("list PropagationPolicies of %s: %w", namespace, err)
	}
	return append(own, all...), nil
}

// readMissing reads which override policies the policy waits for that applies.
func readMissing(ctx context.Context, c client.Reader, in *explain.Input) error {
	chosen := claim.Select(in.Policies, in.Template, false).Policy
	if chosen == nil {
		return nil
	}
	missing, err := index.MissingOverrides(ctx, c, chosen)
	in.Missing = map[policyv1alpha1.Policy][]string{chosen: missing}
	return err
}

// customizations lists those for a kind; of a control plane without them there are none.
func customizations(ctx context.Context, c client.Reader, kind schema.GroupVersionKind) ([]*configv1alpha1.ResourceInterpreterCustomization, error) {
	all, err := index.List[*configv1alpha1.ResourceInterpreterCustomization](ctx, c, &configv1alpha1.ResourceInterpreterCustomizationList{})
	if isUnserved(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list customizations: %w", err)
	}
	var found []*configv1alpha1.ResourceInterpreterCustomization
	for _, cr := range all {
		if t := cr.Spec.Target; schema.FromAPIVersionAndKind(t.APIVersion, t.Kind) == kind {
			found = append(found, cr)
		}
	}
	return found, nil
}

// works reads the Works of a name in some clusters, by cluster.
func works(ctx context.Context, c client.Reader, name string, clusters []string) (map[string]*workv1alpha1.Work, error) {
	all := map[string]*workv1alpha1.Work{}
	for _, cluster := range clusters {
		w := &workv1alpha1.Work{}
		key := client.ObjectKey{Namespace: names.ExecutionSpace(cluster), Name: name}
		switch err := c.Get(ctx, key, w); {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, fmt.Errorf("read work %s: %w", key, err)
		default:
			all[cluster] = w
		}
	}
	return all, nil
}
