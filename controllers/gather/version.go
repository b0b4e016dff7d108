// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/explain"
)

// readVersion reads the template again in the version of its kind by which it is propagated, where
// that is another: a policy selects one version alone.
func readVersion(ctx context.Context, c client.Reader, in *explain.Input) error {
	kind := in.Template.GroupVersionKind()
	for _, version := range versions(in) {
		if version == kind.Version {
			return nil
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kind.GroupKind().WithVersion(version))
		err := c.Get(ctx, client.ObjectKeyFromObject(in.Template), object)
		switch {
		case meta.IsNoMatchError(err):
			continue // a version that is not served any more
		case err != nil:
			return fmt.Errorf("read %s %s as %s: %w", kind.Kind, in.Template.GetName(), version, err)
		case in.Binding == nil && claim.Select(in.Policies, object, false).Policy == nil:
			continue
		}
		in.Template = object
		return nil
	}
	return nil
}

// versions returns the versions to look at in their order: that of the binding, or else the template's own if a
// policy selects it, or else those that policies name.
func versions(in *explain.Input) []string {
	kind := in.Template.GroupVersionKind()
	if in.Binding != nil {
		return []string{schema.FromAPIVersionAndKind(in.Binding.GetSpec().Resource.APIVersion, kind.Kind).Version}
	}
	if claim.Select(in.Policies, in.Template, false).Policy != nil {
		return nil
	}
	var all []string
	seen := map[string]bool{kind.Version: true}
	for _, p := range in.Policies {
		for _, s := range p.GetSpec().ResourceSelectors {
			named := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
			if named.GroupKind() == kind.GroupKind() && !seen[named.Version] {
				seen[named.Version] = true
				all = append(all, named.Version)
			}
		}
	}
	return all
}
