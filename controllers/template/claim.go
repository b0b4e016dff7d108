// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/mergepatch"
)

// writeClaim writes a claim into the metadata of a template or binding. It returns the
// object as it is then; the one that was passed is not changed. It is a conflict if the
// object was written since.
func writeClaim(ctx context.Context, c client.Client, object client.Object, to claim.Claim) (client.Object, error) {
	changed := withOwnMetadata(object)
	if !to.Set(changed) {
		return object, nil
	}
	// A template is read through the cache of its kind, which this client does not wait
	// for: it would keep that cache for good.
	var options []client.PatchOption
	if _, template := object.(*unstructured.Unstructured); template {
		options = append(options, client.DisableReadYourWritesConsistency)
	}
	if err := c.Patch(ctx, changed, mergepatch.From(object), options...); err != nil {
		return nil, fmt.Errorf("write the claim of %s/%s: %w", object.GetNamespace(), object.GetName(), err)
	}
	return changed, nil
}

// withOwnMetadata returns a copy of an object whose metadata may be changed. That of a
// template shares the rest with it: most templates have the claim already.
func withOwnMetadata(object client.Object) client.Object {
	template, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object.DeepCopyObject().(client.Object)
	}
	content := maps.Clone(template.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		content["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: content}
}

// releaseClaim removes every claim from a template and its binding, from the binding first so
// that a retry still finds it. The binding and its Works stay.
func releaseClaim(ctx context.Context, c client.Client, template *unstructured.Unstructured) error {
	binding, exists, err := index.BindingFor(ctx, c, template)
	if err != nil {
		return err
	}
	if exists {
		if _, err := writeClaim(ctx, c, binding, claim.Claim{}); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	_, err = writeClaim(ctx, c, template, claim.Claim{})
	return client.IgnoreNotFound(err)
}
