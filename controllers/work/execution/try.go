// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
)

// ErrNamespacePending is the error of a try whose namespace the control plane is about to
// create in the cluster. The Work of the namespace has the outcome.
var ErrNamespacePending = errors.New("its namespace is not there yet")

// RefusedError is why a cluster would not take an object, and what to do about it.
type RefusedError struct {
	Cluster, Object string
	// Err is the answer of the cluster.
	Err error
	// Advice is what a person can do.
	Advice string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("cluster %s refuses %s: %v; %s", e.Cluster, e.Object, e.Err, e.Advice)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Try asks a member, by a dry run, whether it would take the objects of a Work that does
// not exist yet. Nothing is changed there. It returns nil where nobody can know: an agent
// carries out the Works of the cluster, or an admission webhook does not support dry runs.
//
// The error is a *RefusedError where the cluster answered that it would not, and
// ErrNamespacePending where the namespace comes first. With any other one the cluster
// could not be asked.
func Try(ctx context.Context, d base.Deps, w *workv1alpha1.Work) error {
	c := New(d)
	cluster, ok := names.Cluster(w.Namespace)
	if !ok {
		return nil
	}
	m, err := c.ready(ctx, cluster)
	if errors.Is(err, errOfAgent) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range w.Spec.Workload.Manifests {
		object, err := decode(w, i)
		if err != nil {
			return err
		}
		if err := c.application(m, w, i, object).try(ctx); err != nil {
			return err
		}
	}
	return nil
}

// try creates the object, or updates the one that is there, without effect.
func (a *application) try(ctx context.Context) error {
	err := a.dryRun(ctx)
	if namespaceMissing(err) {
		if err = a.namespacePromised(ctx, err); err == nil {
			err = a.dryRun(ctx) // it came meanwhile
		}
	}
	refused := &RefusedError{Cluster: a.member.Name, Object: describe(a.desired), Err: err}
	switch {
	case err == nil, dryRunUnsupported(err):
		return nil
	case errors.Is(err, ErrNamespacePending), errors.As(err, new(*RefusedError)):
		return err
	case meta.IsNoMatchError(err), member.Unserved(err):
		refused.Advice = "install the CRD of its kind there, or leave the cluster out of the placement"
	case namespaceMissing(err):
		refused.Advice = "create the namespace there, or have a policy propagate it"
	case apierrors.IsForbidden(err):
		refused.Advice = "look at the admission policies and quotas there, and at the permissions of this control plane"
	case refusal(err):
		refused.Advice = "mend the template, an override policy or the preserved state by this message"
	default:
		return a.wrapped("try", err)
	}
	return refused
}

// dryRun returns what the API server answers to the object.
func (a *application) dryRun(ctx context.Context) error {
	created := a.desired.DeepCopy()
	err := a.member.Client.Create(ctx, created, client.FieldOwner(fieldManager), client.DryRunAll)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	live, err := a.live(ctx, a.desired)
	if err != nil || live == nil || live.GetDeletionTimestamp() != nil {
		return err
	}
	if err := a.mayWrite(ctx, a.desired, live, a.member.Name); err != nil {
		return &RefusedError{
			Cluster: a.member.Name, Object: describe(a.desired), Err: err, Advice: "or leave the cluster out of the placement",
		}
	}
	next, err := a.merged(a.desired, live)
	if err == nil {
		_ = a.incomplete(next)
	}
	if err != nil {
		return err
	}
	return a.member.Client.Update(ctx, next, client.FieldOwner(fieldManager), client.DryRunAll)
}

// namespacePromised returns nil if the control plane has created the namespace of the
// object in the cluster, and ErrNamespacePending if it is about to. Where it will not, or
// could not, the error is a *RefusedError.
func (a *application) namespacePromised(ctx context.Context, missing error) error {
	namespace := a.desired.GetNamespace()
	refused := &RefusedError{
		Cluster: a.member.Name, Object: describe(a.desired), Err: missing, Advice: "create the namespace there, or have a policy propagate it",
	}
	w := &workv1alpha1.Work{}
	err := a.Client.Get(ctx, namespaces.Key(a.member.Name, namespace), w, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) {
		return refused
	}
	if err != nil {
		return fmt.Errorf("read the work of namespace %s: %w", namespace, err)
	}
	applied := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
	switch {
	case w.DeletionTimestamp != nil, applied == nil:
		return fmt.Errorf("%s in cluster %s: %w", describe(a.desired), a.member.Name, ErrNamespacePending)
	case applied.Status == metav1.ConditionTrue:
		return nil
	}
	refused.Err = fmt.Errorf("namespace %s cannot be created: %s", namespace, applied.Message)
	refused.Advice = "look at the Work of the namespace"
	return refused
}

// refusal reports whether an error is the answer of an API server that an object is not
// acceptable, and not one about the state of the server or the credentials.
func refusal(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch code := status.Status().Code; code {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests:
		return false
	default:
		return code >= http.StatusBadRequest && code < http.StatusInternalServerError
	}
}

// dryRunUnsupported reports whether an admission webhook refused since it has side effects
// that it cannot leave out; the API server does not call it then.
func dryRunUnsupported(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "does not support dry run")
}
