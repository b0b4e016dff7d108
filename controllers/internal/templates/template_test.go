// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
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
			if _, got := difference(before, after); got == tc.same {
				t.Errorf("%s: changed is %t, want %t", tc.reason, got, !tc.same)
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
	if cause, changed := difference(before, after); !changed || cause != Edited {
		t.Error("an object that was deleted and created again, and came as one event, is not enqueued as a new one")
	}
}

func TestAClaimIsNoEdit(t *testing.T) {
	before := fixture.Gadget("space", "one", nil)
	after := before.DeepCopy()
	after.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id"})
	after.SetAnnotations(map[string]string{policyv1alpha1.PropagationPolicyNameAnnotation: "p", claim.DeferredAnnotation: "x"})
	if cause, changed := difference(before, after); !changed || cause != Claimed {
		t.Errorf("difference = %v, %t; want that of a claim", cause, changed)
	}
	if a, b := fingerprint(t, before), fingerprint(t, after); a != b {
		t.Errorf("the claim changes the fingerprint from %s to %s", a, b)
	}
	after.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id", "app": "one"})
	if cause, changed := difference(before, after); !changed || cause != Edited {
		t.Errorf("difference = %v, %t; want an edit", cause, changed)
	}
}

func fingerprint(t *testing.T, o *unstructured.Unstructured) string {
	t.Helper()
	print, err := claim.Fingerprint(o)
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
			templates.Enqueue(Edited, key)
		}
	}()
	templates.Listen(func(k Key, _ Cause) { keys <- k })
	<-done
	templates.Enqueue(Edited, key)
	if got := <-keys; got != key {
		t.Errorf("got %v, want %v", got, key)
	}
}

func TestTheFirstListenerGetsWhatCameBefore(t *testing.T) {
	templates, one, two := New(nil), KeyOf(fixture.Gadget("space", "one", nil)), KeyOf(fixture.Gadget("space", "two", nil))
	templates.Enqueue(Listed, one, two)
	templates.Enqueue(Edited, one)
	got := map[Key][]Cause{}
	templates.Listen(func(k Key, cause Cause) { got[k] = append(got[k], cause) })
	templates.Listen(func(k Key, _ Cause) { t.Errorf("the second listener gets %v", k) })
	if diff := cmp.Diff(map[Key][]Cause{one: {Edited}, two: {Listed}}, got); diff != "" {
		t.Errorf("each template that was enqueued before, once and by its most urgent cause (-want +got):\n%s", diff)
	}
}
