// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/demand"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/engine"
)

// errNotAdmitted is why a template is not rendered although a Work could be written.
var errNotAdmitted = errors.New("the template needs other replicas or resources than its binding was admitted with; " +
	"it is rendered once its binding has been updated, which a quota or an error of the template may prevent")

// errNotPlaced is why a template is not rendered whose clusters were chosen for another number
// of replicas.
var errNotPlaced = errors.New("the clusters of the binding were chosen for another number of replicas than its template has; " +
	"it is rendered once the scheduler has decided about them, which a suspension of scheduling prevents")

// placedFor reports whether the replicas of a binding's clusters, which a script writes into
// the copies, are about the spec that the binding has.
func placedFor(b workv1alpha2.Binding, kind schema.GroupVersionKind, rules engine.Snapshot) bool {
	return !rules.Supports(kind, engine.ReviseReplica) || !placement.AwaitsReplicas(b)
}

// frozen reports whether nothing has the copies of a binding follow its template: its policy
// is gone, or does not select the template any more, or waits for override policies. again is
// when to look once more, since what ends the waiting may be an event of no binding.
//
// A policy that the cache does not have, or that is being deleted, may have gone together with
// the override policies whose deletion is why the binding is looked at.
func (c *Controller[B]) frozen(ctx context.Context, b B) (frozen bool, again time.Duration, err error) {
	policy := claim.Policy(b)
	switch {
	case b.GetSpec().Placement == nil:
		return false, 0, nil // what others depend on
	case !binding.IsGoverned(b):
		return true, 0, nil
	case policy == nil:
		return false, 0, nil // another controller has it scheduled
	}
	err = c.Client.Get(ctx, client.ObjectKeyFromObject(policy), policy, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) || err == nil && policy.GetDeletionTimestamp() != nil {
		return true, frozenFor, nil
	}
	if err != nil {
		return false, 0, fmt.Errorf("read %s: %w", scope.PolicyTitle(policy), err)
	}
	missing, err := index.MissingOverrides(ctx, c.Client, policy)
	return len(missing) > 0, frozenFor, err
}

// frozenFor is the time between two looks whether copies stay as they are still.
const frozenFor = time.Minute

// admitted reports whether a binding was written for what its template needs now. If it
// was not, what the template needs has not been scheduled or counted against a quota yet,
// or was refused. A binding without placement carries what others depend on, and is
// admitted with these.
func (c *Controller[B]) admitted(b B, template *unstructured.Unstructured, rules engine.Snapshot) (bool, error) {
	spec := b.GetSpec()
	if spec.Placement == nil || spec.Resource.ResourceVersion == template.GetResourceVersion() {
		return true, nil
	}
	// The version differs also after each write of the template's status.
	fingerprint, err := claim.Fingerprint(template)
	if err != nil || fingerprint == b.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation] {
		return err == nil, err
	}
	needed, err := demand.Of(rules, template, len(spec.Components) > 0 || c.Gates.Enabled(features.MultiplePodTemplatesScheduling))
	if err != nil {
		return false, err
	}
	return needed.Equal(demand.In(spec)), nil
}

// isPlaced reports whether a binding is placed with all replicas that its template has, where
// no script sets those of a copy: a copy has as many as the template, and a quota may have
// refused to place them.
func isPlaced(spec *workv1alpha2.ResourceBindingSpec, kind schema.GroupVersionKind, rules engine.Snapshot) bool {
	if spec.Placement == nil || len(spec.Components) > 0 || rules.Supports(kind, engine.ReviseReplica) {
		return true
	}
	placed := int64(0)
	for _, t := range spec.Clusters {
		if placement.Copies(spec) && t.Replicas < spec.Replicas {
			return false
		}
		placed += int64(t.Replicas)
	}
	return placement.Copies(spec) || placed >= int64(spec.Replicas)
}

// whyNotAdmitted returns why a template is not rendered, with what a quota has to say.
func whyNotAdmitted(b workv1alpha2.Binding, err error) error {
	status := b.GetStatus()
	if err == nil && placement.AwaitsReplicas(b) {
		return errNotPlaced
	}
	c := meta.FindStatusCondition(status.Conditions, workv1alpha2.WithinQuota)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNotAdmitted, err)
	case c != nil:
		return fmt.Errorf("%w: %s", errNotAdmitted, c.Message)
	}
	return errNotAdmitted
}

// patience is how long a template that is not admitted waits before the binding reports
// it: most are admitted within milliseconds.
const patience = rendering.Patience
