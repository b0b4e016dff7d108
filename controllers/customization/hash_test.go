// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"testing"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

func TestContentHash(t *testing.T) {
	withHealth := func(source string) *configv1alpha1.ResourceInterpreterCustomization {
		cr := &configv1alpha1.ResourceInterpreterCustomization{}
		cr.Spec.Target = configv1alpha1.CustomizationTarget{APIVersion: "apps/v1", Kind: "Deployment"}
		cr.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{LuaScript: source}
		return cr
	}
	a, b := withHealth("return 1"), withHealth("return 1")
	b.Labels, b.Status.ContentHash = map[string]string{"a": "b"}, "old"
	if contentHash(a) != contentHash(b) {
		t.Error("the hash depends on metadata or status; want only the spec")
	}
	if contentHash(a) == contentHash(withHealth("return 2")) {
		t.Error("two scripts have one hash")
	}
}
