// SPDX-License-Identifier: Apache-2.0

package reference_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestIsFor(t *testing.T) {
	object := fixture.Gadget("space", "one", nil)
	otherVersion, otherGroup, otherName := object.DeepCopy(), object.DeepCopy(), object.DeepCopy()
	otherVersion.SetAPIVersion("spec.dragoman.io/v2")
	otherGroup.SetAPIVersion("other.dragoman.io/v1")
	otherName.SetName("One")
	for _, tc := range []struct {
		reason string
		got    bool
		want   bool
	}{
		{"the object itself", reference.IsFor(fixture.Binding(object), object), true},
		{"another version of the kind", reference.IsFor(fixture.Binding(object), otherVersion), true},
		{"another group", reference.IsFor(fixture.Binding(object), otherGroup), false},
		{"a name of which the binding has the same", reference.IsFor(fixture.Binding(object), otherName), false},
	} {
		if tc.got != tc.want {
			t.Errorf("the binding is for %s: %t, want %t", tc.reason, tc.got, tc.want)
		}
	}
}

func TestNameFor(t *testing.T) {
	object := fixture.Gadget("space", "one", nil)
	other := object.DeepCopy()
	other.SetGroupVersionKind(schema.GroupVersionKind{Group: "other.dragoman.io", Version: "v1", Kind: "Gadget"})
	namesake := object.DeepCopy()
	namesake.SetName("One")

	if got, want := reference.NameFor(object, false), "one-gadget"; got != want {
		t.Errorf("the name of a binding is %q, want %q", got, want)
	}
	if got := reference.NameFor(other, false); got != "one-gadget" {
		t.Errorf("the group is not in the name: got %q", got)
	}
	for reason, o := range map[string]string{
		"another group": reference.NameFor(other, true), "another name with the same letters": reference.NameFor(namesake, true),
	} {
		if o == reference.NameFor(object, true) || o == "one-gadget" {
			t.Errorf("the names of an object of %s and of this one must differ where one is taken: both %q", reason, o)
		}
	}
	if diff := cmp.Diff(reference.NameFor(other, true), reference.NameFor(other, true)); diff != "" {
		t.Errorf("the name changes from one call to the next: %s", diff)
	}
}
