// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
)

// errTaken means that a Work has the name of this one and belongs to another binding.
var errTaken = errors.New("its name is taken")

// ensure writes the Work of one target if it differs from what is rendered.
func (c *Controller[B]) ensure(ctx context.Context, b B, in *renderInput, target workv1alpha2.TargetCluster, existing *workv1alpha1.Work) error {
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(target.Name), Name: reference.WorkName(b)}}
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
	cluster, err := c.clusterFor(ctx, in, target.Name)
	if err != nil {
		return err
	}
	if err := setWork(w, in, target, cluster, c.NewID); err != nil {
		return err
	}
	return c.write(ctx, b, w, existing)
}

// clusterFor reads the cluster that override policies choose by; nil if no policy selects
// the template.
func (c *Controller[B]) clusterFor(ctx context.Context, in *renderInput, name string) (*clusterv1alpha1.Cluster, error) {
	if !in.overridden() {
		return nil, nil
	}
	cluster := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, client.ObjectKey{Name: name}, cluster, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) {
		return nil, errors.New("there is no such cluster, and override policies choose by its labels")
	}
	return cluster, err
}

// write creates the Work of a binding, or updates the existing one if it differs. Only then the Work
// gets the generation of the binding, by which its reports are told from those of before.
func (c *Controller[B]) write(ctx context.Context, b B, w, existing *workv1alpha1.Work) error {
	log := ctrl.LoggerFrom(ctx).WithValues("work", client.ObjectKeyFromObject(w))
	if existing != nil && sameWork(existing, w) {
		return nil
	}
	w.Annotations = mergeMaps(w.Annotations, map[string]string{workv1alpha2.BindingGenerationAnnotation: strconv.FormatInt(b.GetGeneration(), 10)})
	if existing == nil {
		if err := (namespaces.Works{Deps: c.Deps}).EnsureFor(ctx, w); err != nil {
			return err
		}
		c.wrote(w)
		if err := c.Client.Create(ctx, w); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		log.Info("created work")
		c.notifyOverridden(b, w)
		return nil
	}
	c.wrote(w)
	switch err := c.Patch(ctx, w, existing); {
	case apierrors.IsNotFound(err):
		return nil // the event of its deletion enqueues the binding
	case err != nil:
		return fmt.Errorf("update: %w", err)
	}
	log.Info("updated work")
	c.notifyOverridden(b, w)
	return nil
}

// notifyOverridden records about a template that override policies changed its copy in a cluster.
func (c *Controller[B]) notifyOverridden(b B, w *workv1alpha1.Work) {
	for _, key := range []string{policyv1alpha1.AppliedClusterOverridesAnnotation, policyv1alpha1.AppliedOverridesAnnotation} {
		if w.Annotations[key] != "" {
			c.SucceededTemplate(b, base.Success{
				Reason: "ApplyOverridePolicySucceed", Action: "Render", Note: "Override policies changed the copy for cluster %s, as the annotation %s of work %s/%s has it.",
				Args: []any{binding.ClusterOf(w), key, w.Namespace, w.Name},
			})
		}
	}
}

// findUnlabelled returns the Work of this name that has lost the annotations of its
// binding, nil if there is none. It is an error if the Work belongs to another binding.
func (c *Controller[B]) findUnlabelled(ctx context.Context, b B, key client.ObjectKey) (*workv1alpha1.Work, error) {
	w := &workv1alpha1.Work{}
	if err := c.Client.Get(ctx, key, w); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if quota, isQuota := index.QuotaOf(w); isQuota {
		return nil, fmt.Errorf("%w: work %s belongs to FederatedResourceQuota %s", errTaken, key, quota)
	}
	if belongsToOther(w, b) {
		owner, _ := index.BindingOf(w)
		return nil, fmt.Errorf("%w: work %s belongs to binding %s", errTaken, key, owner)
	}
	return w, nil
}

// setWork writes the rendered manifest into a Work, with the labels and annotations that
// name its binding and what override policies changed. newID returns the permanent id of a
// Work that has none.
func setWork(w *workv1alpha1.Work, in *renderInput, target workv1alpha2.TargetCluster, cluster *clusterv1alpha1.Cluster, newID func() types.UID) error {
	rendered, err := render(in, target, cluster, w.Annotations[workv1alpha2.RestoredFromAnnotation])
	if err != nil {
		return err
	}
	b, spec := in.binding, in.binding.GetSpec()
	how := resolution(in.template, spec)
	id := w.Labels[workv1alpha2.WorkPermanentIDLabel]
	if id == "" {
		id = string(newID())
	}
	m := shallow(rendered.Object)
	setOwnership(m, b, in.template, w.Namespace, w.Name, id, how)
	raw, err := json.Marshal(m.Object)
	if err != nil {
		return fmt.Errorf("write the manifest as JSON: %w", err)
	}
	w.Labels = mergeMaps(w.Labels, map[string]string{
		scope.BindingIDLabel(b): b.GetLabels()[scope.BindingIDLabel(b)], workv1alpha2.WorkPermanentIDLabel: id,
	})
	w.Annotations = mergeMaps(w.Annotations, bindingAnnotations(b))
	w.Annotations[workv1alpha2.ConflictResolutionAnnotation] = how
	controllerutil.AddFinalizer(w, workv1alpha2.ExecutionFinalizer)
	setShare(w, in.shares, target.Name, raw)
	w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
	setSettings(w, spec, target.Name)
	setFailover(w, spec.Failover, in.injectState)
	if in.injectState && w.UID == "" {
		setRestoredFrom(w, b, target.Name)
	}
	return errors.Join(
		setApplied(w.Annotations, policyv1alpha1.AppliedClusterOverridesAnnotation, rendered.ClusterWide),
		setApplied(w.Annotations, policyv1alpha1.AppliedOverridesAnnotation, rendered.Namespaced),
	)
}

// setSettings writes what a binding says about a Work beside its manifest.
func setSettings(w *workv1alpha1.Work, spec *workv1alpha2.ResourceBindingSpec, cluster string) {
	suspended, preserve := binding.Suspended(spec, cluster), preserves(spec)
	w.Spec.SuspendDispatching, w.Spec.PreserveResourcesOnDeletion = &suspended, &preserve
}

// setFailover notes on a Work what the failover of its binding needs to be reported; keepState
// is whether state is carried over at all.
func setFailover(w *workv1alpha1.Work, failover *policyv1alpha1.FailoverBehavior, keepState bool) {
	var wanted []string
	if failover != nil && failover.Application != nil {
		wanted = append(wanted, workv1alpha2.FailoverMoved)
	}
	if failover != nil && keepState {
		wanted = append(wanted, workv1alpha2.FailoverState)
	}
	delete(w.Annotations, workv1alpha2.FailoverAnnotation)
	if len(wanted) > 0 {
		w.Annotations[workv1alpha2.FailoverAnnotation] = strings.Join(wanted, ",")
	}
}

// setRestoredFrom notes on a new Work which state its copy is made with. Without any, that is
// of use only to a binding whose policy asks for state.
func setRestoredFrom(w *workv1alpha1.Work, b workv1alpha2.Binding, cluster string) {
	if name := binding.RestoredFrom(b, cluster); name != workv1alpha2.RestoredFromNone || binding.WantsState(b) {
		w.Annotations[workv1alpha2.RestoredFromAnnotation] = name
	}
}

// writeSettings writes the settings of the Works that are there, and leaves their
// manifests.
func (c *Controller[B]) writeSettings(ctx context.Context, b B, p binding.Plan) error {
	for _, target := range p.Render {
		existing := p.Existing[target.Name]
		if existing == nil || existing.DeletionTimestamp != nil {
			continue
		}
		w := existing.DeepCopy()
		setSettings(w, b.GetSpec(), target.Name)
		if err := c.write(ctx, b, w, existing); err != nil {
			return err
		}
	}
	return nil
}

// setApplied writes what override policies changed into an annotation, or removes it if
// they changed nothing. A value that says the same in other words stays, so that a Work of
// the published control plane is not written again.
func setApplied(annotations map[string]string, key string, applied []override.Applied) error {
	if len(applied) == 0 {
		delete(annotations, key)
		return nil
	}
	raw, err := json.Marshal(applied)
	if err != nil {
		return fmt.Errorf("write what was overridden as JSON: %w", err)
	}
	if !content.SameJSON([]byte(annotations[key]), raw) {
		annotations[key] = string(raw)
	}
	return nil
}

// preserves reports whether members keep the objects when the binding is deleted.
func preserves(spec *workv1alpha2.ResourceBindingSpec) bool {
	return spec.PreserveResourcesOnDeletion != nil && *spec.PreserveResourcesOnDeletion
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
		if !content.SameJSON(a.Spec.Workload.Manifests[i].Raw, b.Spec.Workload.Manifests[i].Raw) {
			return false
		}
	}
	return true
}
