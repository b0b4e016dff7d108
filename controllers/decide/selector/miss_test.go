// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestClosestMiss(t *testing.T) {
	other := kind
	other.Version = "v0"
	object := fixture.Gadget("space", "one", nil)
	object.SetLabels(map[string]string{"app": "one"})
	version, wide := fixture.Named(other, "one"), fixture.Named(fixture.WideGadgetKind, "one")
	cases := map[string]struct {
		selectors []policyv1alpha1.ResourceSelector
		want      string
		sameKind  bool
	}{
		"None":      {},
		"Kind":      {[]policyv1alpha1.ResourceSelector{wide}, "spec.resourceSelectors[0].kind is " + fixture.WideGadgetKind.Kind + ", the object is a " + kind.Kind, false},
		"Version":   {[]policyv1alpha1.ResourceSelector{wide, version}, "spec.resourceSelectors[1].apiVersion is " + version.APIVersion + ", the object has " + object.GetAPIVersion(), true},
		"Namespace": {[]policyv1alpha1.ResourceSelector{inNamespace(byAll, "elsewhere")}, `spec.resourceSelectors[0].namespace is elsewhere, the object is in "space"`, true},
		"Closest":   {[]policyv1alpha1.ResourceSelector{version, fixture.Named(kind, "two")}, "spec.resourceSelectors[1].name is two, the object is one", true},
		"Labels":    {[]policyv1alpha1.ResourceSelector{fixture.Labelled(kind, "app", "two")}, "spec.resourceSelectors[0].labelSelector is app=two, which the labels of the object do not match", true},
		"Matches":   {[]policyv1alpha1.ResourceSelector{byName}, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ClosestMiss(tc.selectors, object)
			if got.Message != tc.want || (got.Closeness >= SameKind) != tc.sameKind {
				t.Errorf("got %+v, want %q, same kind %t", got, tc.want, tc.sameKind)
			}
		})
	}
}
