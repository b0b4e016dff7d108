// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestDiffer(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(o *unstructured.Unstructured)
		same   bool
	}{
		"Nothing":         {"an object is as itself", func(*unstructured.Unstructured) {}, true},
		"Status":          {"status is not content", func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"ok": true} }, true},
		"ResourceVersion": {"the version is the API server's", func(o *unstructured.Unstructured) { o.SetResourceVersion("2") }, true},
		"Generation":      {"so is the generation", func(o *unstructured.Unstructured) { o.SetGeneration(2) }, true},
		"Spec":            {"spec is content", func(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"replicas": int64(2)} }, false},
		"Label":           {"a label is content", func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "b"}) }, false},
		"Annotation":      {"an annotation is content", func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{"a": "b"}) }, false},
		"TopLevel":        {"a field beside spec is content", func(o *unstructured.Unstructured) { o.Object["data"] = map[string]any{} }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := fixture.Gadget("space", "one", map[string]any{"replicas": int64(1)})
			before.SetResourceVersion("1")
			before.SetGeneration(1)
			after := before.DeepCopy()
			tc.change(after)
			if got := differ(before, after); got == tc.same {
				t.Errorf("%s: differ = %t, want %t", tc.reason, got, !tc.same)
			}
			a, b := fingerprint(t, before), fingerprint(t, after)
			if (a == b) != tc.same {
				t.Errorf("%s: fingerprints %s and %s, want equal: %t", tc.reason, a, b, tc.same)
			}
		})
	}
}

func TestANamesakeIsNew(t *testing.T) {
	before := fixture.Gadget("space", "one", nil)
	before.SetUID("1")
	after := before.DeepCopy()
	after.SetUID("2")
	if !differ(before, after) {
		t.Error("an object that was deleted and made again, and came as one event, is not told of")
	}
}

func fingerprint(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()
	print, err := Fingerprint(o)
	if err != nil {
		t.Fatal(err)
	}
	return print
}

func TestKey(t *testing.T) {
	object := fixture.Gadget("space", "one", nil)
	want := Key{fixture.GadgetKind, types.NamespacedName{Namespace: "space", Name: "one"}}
	if got := KeyOf(object); got != want {
		t.Errorf("KeyOf = %v, want %v", got, want)
	}
	reference := &workv1alpha2.ObjectReference{APIVersion: "spec.dragoman.io/v1", Kind: "Gadget", Namespace: "space", Name: "one"}
	if got := KeyOfReference(reference); got != want {
		t.Errorf("KeyOfReference = %v, want %v", got, want)
	}
	if got := want.String(); got != "Gadget.spec.dragoman.io/space/one" {
		t.Errorf("String = %q", got)
	}
}

func TestListenWhileTold(t *testing.T) {
	templates, object := New(nil), fixture.Gadget("space", "one", nil)
	told := make(chan Key, 101)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			templates.tell(object)
		}
	}()
	templates.Listen(func(k Key) { told <- k })
	<-done
	templates.tell(object)
	if got := <-told; got != KeyOf(object) {
		t.Errorf("was told of %v, want %v", got, KeyOf(object))
	}
}
