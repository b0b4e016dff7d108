// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// errMissing is the error of an object whose kind or namespace its cluster does not have.
var errMissing = errors.New("not there yet")

// pausedError is how long to wait before an object is written again.
type pausedError time.Duration

func (e pausedError) Error() string {
	return fmt.Sprintf("someone in the cluster undoes what is written; it is written again in %s", time.Duration(e))
}

// missing returns the error of a request to the member, and if that is about a namespace
// or a kind that the cluster does not have, has the Work announced when it comes.
func (a *application) missing(err error) error {
	switch {
	case err == nil:
		a.member.StopAwaiting(a.key())
		return nil
	case meta.IsNoMatchError(err), member.Unserved(err):
		a.member.AwaitKind(a.key(), a.kind().Group)
	case namespaceMissing(err):
		a.member.AwaitNamespace(a.key(), a.desired.GetNamespace())
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", err, errMissing)
}

// namespaceMissing reports whether an object was refused since its namespace is not there,
// or is being deleted.
func namespaceMissing(err error) bool {
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return true
	}
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Kind == "namespaces" && details.Group == ""
}
