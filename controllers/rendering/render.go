// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
	"github.com/dragoman-io/dragoman/engine"
)

// renderInput is what all copies of a binding's object are rendered from.
type renderInput struct {
	// template is shared and not changed.
	template *unstructured.Unstructured
	binding  workv1alpha2.Binding
	rules    engine.Snapshot
	// injectState makes render write preserved state into copies for new clusters.
	injectState bool
}

// render returns the object for a target cluster, without the labels and annotations that
// name its Work. It shares what it does not change with the template. The error is that
// of a script.
func render(in renderInput, target workv1alpha2.TargetCluster) (*unstructured.Unstructured, error) {
	spec, kind := in.binding.GetSpec(), in.template.GroupVersionKind()
	m := sanitize(in.template)
	var err error
	if in.rules.Supports(kind, engine.PruneTemplate) {
		if m, err = in.rules.Prune(m); err != nil {
			return nil, err
		}
	}
	if spec.IsWorkload() && len(spec.Components) == 0 && in.rules.Supports(kind, engine.ReviseReplica) {
		if m, err = in.rules.Revise(m, int64(target.Replicas)); err != nil {
			return nil, err
		}
	}
	if !in.injectState {
		return m, nil
	}
	state := binding.StateFor(spec, target.Name)
	if state.IsEmpty() {
		return m, nil
	}
	if in.rules.Supports(kind, engine.RestoreState) {
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
	m := shallow(&unstructured.Unstructured{Object: objects.Of(object)})
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
		bindings.PermanentIDLabel(b):      b.GetLabels()[bindings.PermanentIDLabel(b)],
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

// workName returns the name of a binding's Works. A binding that had to carry its
// group because of a namesake has Works that carry it too.
func workName(b workv1alpha2.Binding, object *unstructured.Unstructured) string {
	kind := object.GetKind()
	if b.GetName() != names.Binding(kind, object.GetName()) {
		kind += "." + object.GroupVersionKind().Group
	}
	return names.Work(kind, object.GetNamespace(), object.GetName())
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
