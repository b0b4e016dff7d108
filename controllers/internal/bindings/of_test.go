// SPDX-License-Identifier: Apache-2.0

package bindings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
		{"the object itself", isFor(fixture.Binding(object), object), true},
		{"another version of the kind", isFor(fixture.Binding(object), otherVersion), true},
		{"another group", isFor(fixture.Binding(object), otherGroup), false},
		{"a name of which the binding has the same", isFor(fixture.Binding(object), otherName), false},
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

	if got, want := nameFor(object, false), "one-gadget"; got != want {
		t.Errorf("the name of a binding is %q, want %q", got, want)
	}
	if got := nameFor(other, false); got != "one-gadget" {
		t.Errorf("the group is not in the name: got %q", got)
	}
	for reason, o := range map[string]string{
		"another group": nameFor(other, true), "another name with the same letters": nameFor(namesake, true),
	} {
		if o == nameFor(object, true) || o == "one-gadget" {
			t.Errorf("the names of an object of %s and of this one must differ where one is taken: both %q", reason, o)
		}
	}
	if diff := cmp.Diff(nameFor(other, true), nameFor(other, true)); diff != "" {
		t.Errorf("the name changes from one call to the next: %s", diff)
	}
}
