// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestChanged(t *testing.T) {
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
			if got := changed(before, after); got == tc.same {
				t.Errorf("%s: changed = %t, want %t", tc.reason, got, !tc.same)
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
	if !changed(before, after) {
		t.Error("an object that was deleted and made again, and came as one event, is not enqueued")
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

func TestListenWhileTemplatesChange(t *testing.T) {
	templates, key := New(nil), KeyOf(fixture.Gadget("space", "one", nil))
	keys := make(chan Key, 102)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			templates.Enqueue(key)
		}
	}()
	templates.Listen(func(k Key) { keys <- k })
	<-done
	templates.Enqueue(key)
	if got := <-keys; got != key {
		t.Errorf("got %v, want %v", got, key)
	}
}

func TestTheFirstListenerGetsWhatCameBefore(t *testing.T) {
	templates, one, two := New(nil), KeyOf(fixture.Gadget("space", "one", nil)), KeyOf(fixture.Gadget("space", "two", nil))
	templates.Enqueue(one, two, one)
	got := map[Key]int{}
	templates.Listen(func(k Key) { got[k]++ })
	templates.Listen(func(k Key) { t.Errorf("the second listener gets %v", k) })
	if diff := cmp.Diff(map[Key]int{one: 1, two: 1}, got); diff != "" {
		t.Errorf("each template that was enqueued before, once (-want +got):\n%s", diff)
	}
}
