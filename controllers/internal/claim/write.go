// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
)

// Write writes a claim into the metadata of a template or binding. It returns the
// object as it is then; the one that was passed is not changed.
func Write(ctx context.Context, c client.Client, object client.Object, claim Claim) (client.Object, error) {
	changed := object.DeepCopyObject().(client.Object)
	if !claim.Set(changed) {
		return object, nil
	}
	if err := c.Patch(ctx, changed, client.MergeFrom(object)); err != nil {
		return nil, fmt.Errorf("write the claim of %s/%s: %w", object.GetNamespace(), object.GetName(), err)
	}
	return changed, nil
}

// Release removes the claim of the policy with this id from a template and its binding,
// from the binding first so that a retry still finds it; the empty id matches any. The
// binding and its Works stay.
func Release(ctx context.Context, c client.Client, template *unstructured.Unstructured, id string) error {
	binding, exists, err := bindings.Of(ctx, c, template)
	if err != nil {
		return err
	}
	if exists && (id == "" || ID(binding) == id) {
		if _, err := Write(ctx, c, binding, Claim{}); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if id == "" || ID(template) == id {
		_, err = Write(ctx, c, template, Claim{})
	}
	return client.IgnoreNotFound(err)
}
