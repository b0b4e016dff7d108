// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/division"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/engine"
)

// renderInput is what all copies of a binding's object are rendered from.
type renderInput struct {
	// template and policies are shared and not changed.
	template *unstructured.Unstructured
	policies override.Policies
	binding  workv1alpha2.Binding
	rules    engine.Snapshot
	// shares are those of all target clusters, where replicas are divided among them.
	shares []any
	// fixed are these shares as they were when each copy was created.
	fixed []any
	// injectState makes render write preserved state into copies for new clusters.
	injectState bool
}

// overridden reports whether some override policy may select the template.
func (in *renderInput) overridden() bool {
	return len(in.policies.ClusterWide)+len(in.policies.Namespaced) > 0
}

// render returns the object for a target cluster and what override policies changed in it,
// without the labels and annotations that name its Work. It shares what it does not change
// with the template. The cluster may be nil if no policy selects the template. The error is
// that of a script or an *override.Error.
//
// The order matters: a policy may change what a script set, and preserved state is not
// for a policy to lose. madeWith is the RestoredFromAnnotation of the Work that is there.
func render(in *renderInput, target workv1alpha2.TargetCluster, cluster *clusterv1alpha1.Cluster, madeWith string) (override.Result, error) {
	m, err := in.scaled(target)
	if err != nil {
		return override.Result{}, err
	}
	result := override.Result{Object: m}
	if in.overridden() {
		if result, err = override.Apply(m, cluster, in.policies); err != nil {
			return override.Result{}, err
		}
	}
	result.Object, err = in.restored(result.Object, target.Name, madeWith)
	return result, err
}

// scaled returns the template as a cluster gets its share of it: pruned, and with the
// replicas of the target.
func (in *renderInput) scaled(target workv1alpha2.TargetCluster) (*unstructured.Unstructured, error) {
	spec, kind := in.binding.GetSpec(), in.template.GroupVersionKind()
	m := sanitize(in.template)
	var err error
	if in.rules.Supports(kind, engine.PruneTemplate) {
		if m, err = in.rules.Prune(m); err != nil {
			return nil, err
		}
	}
	if spec.IsWorkload() && len(spec.Components) == 0 && in.rules.Supports(kind, engine.ReviseReplica) {
		return in.rules.Revise(m, int64(target.Replicas), engine.Division{Cluster: target.Name, Shares: in.shares, Fixed: in.fixed})
	}
	return m, nil
}

// sharesOf returns the shares of the clusters that a binding's replicas are divided among,
// in the order in which their division resolved ties; nil where each gets a whole copy. A
// cluster that the object is only required in has none.
func sharesOf(spec *workv1alpha2.ResourceBindingSpec) []any {
	if spec.Placement == nil || placement.Copies(spec) {
		return nil
	}
	order := division.Order(spec.Resource.UID)
	return engine.Shares(slices.SortedFunc(slices.Values(spec.Clusters), func(a, b workv1alpha2.TargetCluster) int {
		return order(a.Name, b.Name)
	}))
}

// restored returns the object with the state that is carried over to a cluster, or that the copy which
// stays there was made with.
func (in *renderInput) restored(m *unstructured.Unstructured, cluster, madeWith string) (*unstructured.Unstructured, error) {
	if !in.injectState {
		return m, nil
	}
	state := binding.StateFor(in.binding, cluster, madeWith)
	if state.IsEmpty() {
		return m, nil
	}
	if in.rules.Supports(m.GroupVersionKind(), engine.RestoreState) {
		var err error
		if m, err = in.rules.Restore(m, state.Values); err != nil {
			return nil, err
		}
	}
	if len(state.Labels) > 0 {
		m = shallow(m)
		m.SetLabels(mergeMaps(m.GetLabels(), state.Labels))
	}
	return m, nil
}

// sanitize returns the object without what belongs to the control plane's copy of it.
func sanitize(object *unstructured.Unstructured) *unstructured.Unstructured {
	m := shallow(&unstructured.Unstructured{Object: content.Of(object)})
	metadata := m.Object["metadata"].(map[string]any)
	delete(metadata, "ownerReferences")
	delete(metadata, "finalizers")
	return m
}

// shallow copies the object down to its metadata, which may then be changed. The
// rest is shared.
func shallow(object *unstructured.Unstructured) *unstructured.Unstructured {
	m := &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	metadata, _ := m.Object["metadata"].(map[string]any)
	if metadata = maps.Clone(metadata); metadata == nil {
		metadata = map[string]any{}
	}
	m.Object["metadata"] = metadata
	return m
}

// setOwnership marks the manifest as rendered from a binding, in a Work: with the labels
// by which users and tools find it, and with the list of labels and annotations that are
// ours to remove.
func setOwnership(m *unstructured.Unstructured, b workv1alpha2.Binding, object *unstructured.Unstructured, workNamespace, workName, workID, resolution string) {
	m.SetLabels(mergeMaps(m.GetLabels(), map[string]string{
		scope.BindingIDLabel(b):           b.GetLabels()[scope.BindingIDLabel(b)],
		workv1alpha2.WorkPermanentIDLabel: workID,
		workv1alpha2.ManagedLabel:         workv1alpha2.ManagedLabelValue,
	}))
	annotations := mergeMaps(m.GetAnnotations(), bindingAnnotations(b))
	annotations = mergeMaps(annotations, map[string]string{
		workv1alpha2.TemplateUIDAnnotation:        string(object.GetUID()),
		workv1alpha2.WorkNamespaceAnnotation:      workNamespace,
		workv1alpha2.WorkNameAnnotation:           workName,
		workv1alpha2.ConflictResolutionAnnotation: resolution,
	})
	if g := object.GetGeneration(); g > 0 {
		annotations[workv1alpha2.TemplateGenerationAnnotation] = strconv.FormatInt(g, 10)
	}
	annotations[workv1alpha2.ManagedLabelsAnnotation] = keys(m.GetLabels())
	annotations[workv1alpha2.ManagedAnnotationsAnnotation] = ""
	annotations[workv1alpha2.ManagedAnnotationsAnnotation] = keys(annotations)
	m.SetAnnotations(annotations)
}

// bindingAnnotations name the binding.
func bindingAnnotations(b workv1alpha2.Binding) map[string]string {
	if b.GetNamespace() == "" {
		return map[string]string{workv1alpha2.ClusterResourceBindingNameAnnotation: b.GetName()}
	}
	return map[string]string{
		workv1alpha2.ResourceBindingNamespaceAnnotation: b.GetNamespace(),
		workv1alpha2.ResourceBindingNameAnnotation:      b.GetName(),
	}
}

// resolution returns what to do about an object that is in the cluster already and is not
// ours: the template's annotation decides, otherwise the policy.
func resolution(object *unstructured.Unstructured, spec *workv1alpha2.ResourceBindingSpec) string {
	switch own := object.GetAnnotations()[workv1alpha2.ConflictResolutionAnnotation]; own {
	case workv1alpha2.ConflictResolutionOverwrite, workv1alpha2.ConflictResolutionAbort:
		return own
	}
	if spec.ConflictResolution == policyv1alpha1.ConflictOverwrite {
		return workv1alpha2.ConflictResolutionOverwrite
	}
	return workv1alpha2.ConflictResolutionAbort
}

func mergeMaps(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// keys lists the keys of a map in order, separated by commas.
func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ",")
}
