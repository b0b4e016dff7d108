// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// ensure writes the Work of one target if it differs from what is rendered.
func (c *Controller[B]) ensure(ctx context.Context, b B, in renderInput, target workv1alpha2.TargetCluster, existing *workv1alpha1.Work) error {
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(target.Name), Name: workName(b, in.template)}}
	if existing == nil {
		var err error
		if existing, err = c.findUnlabelled(ctx, b, client.ObjectKeyFromObject(w)); err != nil {
			return err
		}
	}
	if existing != nil {
		if existing.DeletionTimestamp != nil {
			return nil // the event of its deletion enqueues the binding
		}
		w = existing.DeepCopy()
	}
	if err := setManifest(w, in, target, c.NewID); err != nil {
		return err
	}
	log := ctrl.LoggerFrom(ctx).WithValues("work", client.ObjectKeyFromObject(w))
	if existing == nil {
		if err := c.Client.Create(ctx, w); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		log.Info("created work", "cluster", target.Name)
		return nil
	}
	if sameWork(existing, w) {
		return nil
	}
	if err := c.Patch(ctx, w, existing); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	log.Info("updated work", "cluster", target.Name)
	return nil
}

// findUnlabelled returns the Work of this name that has lost the annotations of its
// binding, nil if there is none. It is an error if the Work belongs to another binding.
func (c *Controller[B]) findUnlabelled(ctx context.Context, b B, key client.ObjectKey) (*workv1alpha1.Work, error) {
	w := &workv1alpha1.Work{}
	if err := c.Client.Get(ctx, key, w); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if owner, named := index.BindingOf(w); named && owner != client.ObjectKeyFromObject(b) {
		return nil, fmt.Errorf("work %s belongs to binding %s", key, owner)
	}
	return w, nil
}

// setManifest writes the rendered manifest into a Work, with the labels and annotations
// that name its binding. newID returns the permanent id of a Work that has none.
func setManifest(w *workv1alpha1.Work, in renderInput, target workv1alpha2.TargetCluster, newID func() types.UID) error {
	m, err := render(in, target)
	if err != nil {
		return err
	}
	b, spec := in.binding, in.binding.GetSpec()
	how := resolution(in.template, spec)
	id := w.Labels[workv1alpha2.WorkPermanentIDLabel]
	if id == "" {
		id = string(newID())
	}
	m = shallow(m)
	setOwnership(m, b, in.template, w.Namespace, w.Name, id, how)
	raw, err := json.Marshal(m.Object)
	if err != nil {
		return fmt.Errorf("write the manifest as JSON: %w", err)
	}
	w.Labels = mergeMaps(w.Labels, map[string]string{
		bindings.PermanentIDLabel(b): b.GetLabels()[bindings.PermanentIDLabel(b)], workv1alpha2.WorkPermanentIDLabel: id,
	})
	w.Annotations = mergeMaps(w.Annotations, bindingAnnotations(b))
	w.Annotations[workv1alpha2.ConflictResolutionAnnotation] = how
	controllerutil.AddFinalizer(w, workv1alpha2.ExecutionFinalizer)
	suspended, preserve := suspendedOn(spec.Suspension, target.Name), spec.PreserveResourcesOnDeletion != nil && *spec.PreserveResourcesOnDeletion
	w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
	w.Spec.SuspendDispatching, w.Spec.PreserveResourcesOnDeletion = &suspended, &preserve
	return nil
}

// suspendedOn reports whether dispatching is suspended, everywhere or for this cluster.
func suspendedOn(s *workv1alpha2.Suspension, cluster string) bool {
	if s == nil {
		return false
	}
	if s.Dispatching != nil && *s.Dispatching {
		return true
	}
	return s.DispatchingOnClusters != nil && slices.Contains(s.DispatchingOnClusters.ClusterNames, cluster)
}

// sameWork reports whether two Works have the same content; manifests are compared as
// JSON values, since the API server may format them differently.
func sameWork(a, b *workv1alpha1.Work) bool {
	if !equality.Semantic.DeepEqual(a.Labels, b.Labels) || !equality.Semantic.DeepEqual(a.Annotations, b.Annotations) ||
		!equality.Semantic.DeepEqual(a.Finalizers, b.Finalizers) ||
		!equality.Semantic.DeepEqual(a.Spec.SuspendDispatching, b.Spec.SuspendDispatching) ||
		!equality.Semantic.DeepEqual(a.Spec.PreserveResourcesOnDeletion, b.Spec.PreserveResourcesOnDeletion) ||
		len(a.Spec.Workload.Manifests) != len(b.Spec.Workload.Manifests) {
		return false
	}
	for i := range a.Spec.Workload.Manifests {
		if !sameJSON(a.Spec.Workload.Manifests[i].Raw, b.Spec.Workload.Manifests[i].Raw) {
			return false
		}
	}
	return true
}

func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return utiljson.Unmarshal(a, &x) == nil && utiljson.Unmarshal(b, &y) == nil && equality.Semantic.DeepEqual(x, y)
}
