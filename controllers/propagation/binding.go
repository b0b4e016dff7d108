// SPDX-License-Identifier: Apache-2.0

package propagation

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// fingerprintAnnotation holds the hash of the template's content that a binding was
// made from, so that a status write on the template does not change the binding.
const fingerprintAnnotation = "propagation.dragoman.io/template-fingerprint"

// bindingName returns the name of an object's binding: without the group, as users of
// the published control plane know it, or with a hash of group and name where an
// object of another group, or with a name of the same letters, has that name already.
func bindingName(object *unstructured.Unstructured, taken bool) string {
	name := names.Binding(object.GetKind(), object.GetName())
	if !taken {
		return name
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(object.GroupVersionKind().Group + "/" + object.GetName()))
	return name + "-" + names.SafeEncode(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// newBinding returns the empty binding for an object: namespaced or cluster-wide as
// the object is. This is the one place that knows which.
func newBinding(namespace, name string) workv1alpha2.Binding {
	if namespace == "" {
		return &workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	return &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// bindingOf reads the binding of a template. Where there is none it returns false, and
// gives an empty one with the name that it is to have.
func (c *Controller) bindingOf(ctx context.Context, object *unstructured.Unstructured) (workv1alpha2.Binding, bool, error) {
	var free workv1alpha2.Binding
	for _, taken := range []bool{true, false} {
		b := newBinding(object.GetNamespace(), bindingName(object, taken))
		err := c.Client.Get(ctx, client.ObjectKeyFromObject(b), b)
		switch {
		case apierrors.IsNotFound(err):
			free = b
		case err != nil:
			return nil, false, fmt.Errorf("read binding %s: %w", b.GetName(), err)
		case sameResource(b, object):
			return b, true, nil
		}
	}
	if free == nil {
		return nil, false, fmt.Errorf("the names of the binding are taken by other objects, also %s", bindingName(object, true))
	}
	return free, false, nil
}

// sameResource reports whether a binding is for this object and not for one that would have
// a binding of the same name.
func sameResource(b workv1alpha2.Binding, object *unstructured.Unstructured) bool {
	r := &b.GetSpec().Resource
	gvk := schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
	return gvk.GroupKind() == object.GroupVersionKind().GroupKind() && r.Name == object.GetName()
}

// bind makes the template's binding or brings it up to date. It writes the fields of
// spec that come from template and policy, and leaves all others.
func (c *Controller) bind(ctx context.Context, object *unstructured.Unstructured, policy policyv1alpha1.Policy) error {
	b, exists, err := c.bindingOf(ctx, object)
	if err != nil {
		return err
	}
	if owner := metav1.GetControllerOf(b); exists && owner != nil && owner.UID != object.GetUID() {
		return fmt.Errorf("binding %s belongs to an earlier object of this name and is being removed", b.GetName())
	}
	if b.GetDeletionTimestamp() != nil {
		return nil // its end wakes the template
	}
	base := b.DeepCopyObject().(workv1alpha2.Binding)
	if err := c.fill(b, object, policy); err != nil {
		return err
	}
	switch {
	case !exists:
		err = c.Client.Create(ctx, b)
	case equality.Semantic.DeepEqual(base, b):
		return nil
	default:
		err = c.Client.Patch(ctx, b, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
	}
	if err != nil {
		return fmt.Errorf("write binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("wrote binding", "binding", b.GetName(), "policy", policy.GetName())
	return nil
}

// fill writes what template and policy say into a binding.
func (c *Controller) fill(b workv1alpha2.Binding, object *unstructured.Unstructured, policy policyv1alpha1.Policy) error {
	spec, from := b.GetSpec(), policy.GetSpec()
	if err := c.interpret(spec, object); err != nil {
		return err
	}
	if err := refer(b, object); err != nil {
		return err
	}
	claimOf(policy).set(b)
	if label := bindings.PermanentIDLabel(b); b.GetLabels()[label] == "" {
		labels := maps.Clone(b.GetLabels())
		labels[label] = string(uuid.NewUUID())
		b.SetLabels(labels)
	}
	controllerutil.AddFinalizer(b, bindings.Finalizer(b))
	b.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(object, object.GroupVersionKind())})

	spec.PropagateDeps = from.PropagateDeps
	spec.Placement = from.Placement.DeepCopy()
	spec.SchedulerName = from.SchedulerName
	spec.Failover = from.Failover.DeepCopy()
	spec.ConflictResolution = from.ConflictResolution
	spec.PreserveResourcesOnDeletion = from.PreserveResourcesOnDeletion
	spec.Suspension = suspension(spec.Suspension, from.Suspension)
	return nil
}

// refer points the binding at the template. The version moves only when the content
// of the template did, because each move renders the Works again.
func refer(b workv1alpha2.Binding, object *unstructured.Unstructured) error {
	fingerprint, err := templates.Fingerprint(object)
	if err != nil {
		return err
	}
	r := workv1alpha2.ObjectReference{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}
	annotations := maps.Clone(b.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	if old := b.GetSpec().Resource; annotations[fingerprintAnnotation] == fingerprint && old.UID == r.UID {
		r.ResourceVersion = old.ResourceVersion
	}
	annotations[fingerprintAnnotation] = fingerprint
	b.SetAnnotations(annotations)
	b.GetSpec().Resource = r
	return nil
}

// interpret asks the engine what the template needs: its components where they must stay
// together, else its replicas where its kind has them, else nothing.
func (c *Controller) interpret(spec *workv1alpha2.ResourceBindingSpec, object *unstructured.Unstructured) error {
	rules, kind := c.Interpreter.Snapshot(), object.GroupVersionKind()
	if c.Gates.Enabled(features.MultiplePodTemplatesScheduling) && rules.Supports(kind, engine.InterpretComponent) {
		components, err := rules.Components(object)
		if err != nil {
			return err
		}
		if whole(rules, kind, components) {
			spec.Components, spec.Replicas, spec.ReplicaRequirements = components, 0, nil
			return nil
		}
	}
	spec.Components = nil
	if !rules.Supports(kind, engine.InterpretReplica) {
		spec.Replicas, spec.ReplicaRequirements = 0, nil
		return nil
	}
	replicas, err := rules.Replicas(object)
	if err != nil {
		return err
	}
	spec.Replicas, spec.ReplicaRequirements = replicas.Count, replicas.Requirements
	return nil
}

// whole reports whether an object must go to one cluster: it has several components, or one of
// several pods that no script can divide. A Deployment, which has one component, goes
// where its replicas go.
func whole(rules engine.Snapshot, kind schema.GroupVersionKind, components []workv1alpha2.Component) bool {
	if len(components) != 1 {
		return len(components) > 1
	}
	divisible := rules.Supports(kind, engine.ReviseReplica) || !rules.Supports(kind, engine.InterpretReplica)
	return components[0].Replicas > 1 && !divisible
}

// suspension takes what the policy says and keeps what others said about scheduling.
func suspension(old *workv1alpha2.Suspension, policy *policyv1alpha1.Suspension) *workv1alpha2.Suspension {
	var scheduling *bool
	if old != nil {
		scheduling = old.Scheduling
	}
	if policy == nil && scheduling == nil {
		return nil
	}
	s := &workv1alpha2.Suspension{Scheduling: scheduling}
	if policy != nil {
		s.Suspension = *policy.DeepCopy()
	}
	return s
}
