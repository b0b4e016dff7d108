// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Delete deletes an orphan that was found, if it is one still. It returns false for one that is
// none any more: it is wanted again, is gone, or another object has its name.
func (f *Finder) Delete(ctx context.Context, o Orphan) (bool, error) {
	objects := f.member.Metadata.Resource(o.Resource).Namespace(o.Namespace)
	now, err := objects.Get(ctx, o.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", o, err)
	}
	if reason, err := f.reason(ctx, now); err != nil || reason == "" || now.UID != o.UID {
		return false, err
	}
	err = objects.Delete(ctx, o.Name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(o.UID)), PropagationPolicy: new(metav1.DeletePropagationBackground),
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("delete %s: %w", o, err)
	}
	return true, nil
}
