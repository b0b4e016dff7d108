// SPDX-License-Identifier: Apache-2.0

package kinds

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestServes(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(*apiextensionsv1.CustomResourceDefinition)
		want   bool
	}{
		{"an established CRD serves its kind", func(*apiextensionsv1.CustomResourceDefinition) {}, true},
		{"one that is not established does not", func(c *apiextensionsv1.CustomResourceDefinition) { c.Status.Conditions = nil }, false},
		{"nor does one that is being deleted", func(c *apiextensionsv1.CustomResourceDefinition) { c.DeletionTimestamp = &metav1.Time{} }, false},
		{"nor one of another kind", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Names.Kind = "Other" }, false},
		{"nor one of another group", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Group = "other" }, false},
		{"nor one of another version", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[0].Name = "v2" }, false},
		{"nor one that does not serve the version", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[0].Served = false }, false},
	} {
		crd := fixture.Definition(fixture.GadgetKind, apiextensionsv1.NamespaceScoped)
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{
			Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue,
		}}
		tc.change(crd)
		if got := serves(crd, fixture.GadgetKind); got != tc.want {
			t.Errorf("%s: serves is %t, want %t", tc.reason, got, tc.want)
		}
	}
}
