// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// removeStale deletes the binding of an earlier object of the template's name, as the garbage collector does in
// its own time. The template is read from the control plane first: the cache may have the earlier object, and
// the binding be that of the next. The end of the binding enqueues the template.
func (c *Controller) removeStale(ctx context.Context, a *applying) error {
	now := &metav1.PartialObjectMetadata{}
	now.SetGroupVersionKind(a.object.GroupVersionKind())
	if err := c.Reader.Get(ctx, client.ObjectKeyFromObject(a.object), now); err != nil {
		return fmt.Errorf("read what binding %s is of: %w", a.binding.GetName(), err)
	}
	if now.UID != a.object.GetUID() {
		return fmt.Errorf("binding %s is of another object than the cache has", a.binding.GetName())
	}
	uid, version := a.binding.GetUID(), a.binding.GetResourceVersion()
	err := c.Client.Delete(ctx, a.binding, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete binding %s of an earlier object: %w", a.binding.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted the binding of an earlier object", "binding", a.binding.GetName())
	return nil
}
