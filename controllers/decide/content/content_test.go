// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// object makes a ConfigMap with a label.
func object(fields map[string]any) *unstructured.Unstructured {
	o := fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "ns", "c", fields)
	o.SetLabels(map[string]string{"a": "b"})
	return o
}

func TestOf(t *testing.T) {
	o := object(map[string]any{"data": map[string]any{"x": "1"}, "status": map[string]any{"phase": "Fine"}})
	o.SetResourceVersion("7")
	o.SetUID("u")
	o.SetGeneration(3)
	o.SetCreationTimestamp(metav1.Now())
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "m"}})
	o.SetFinalizers([]string{"f"})
	before := o.DeepCopy()
	want := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"x": "1"},
		"metadata": map[string]any{"namespace": "ns", "name": "c", "labels": map[string]any{"a": "b"}, "finalizers": []any{"f"}},
	}
	if diff := cmp.Diff(want, content.Of(o)); diff != "" {
		t.Errorf("what the API server and the status writers keep goes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, o); diff != "" {
		t.Errorf("the object is not changed (-before +after):\n%s", diff)
	}
}

func TestSame(t *testing.T) {
	base := func() *unstructured.Unstructured {
		return object(map[string]any{"data": map[string]any{"x": "1"}})
	}
	cases := map[string]struct {
		reason string
		change func(*unstructured.Unstructured)
		want   bool
	}{
		"Nothing":  {reason: "nothing changed", change: func(*unstructured.Unstructured) {}, want: true},
		"Status":   {reason: "status is not ours", change: func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"a": "b"} }, want: true},
		"Version":  {reason: "a version is no content", change: func(o *unstructured.Unstructured) { o.SetResourceVersion("8") }, want: true},
		"Deletion": {reason: "the end comes as an event of its own", change: func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(&metav1.Time{}) }, want: true},
		"Data":     {reason: "a value changed", change: func(o *unstructured.Unstructured) { o.Object["data"] = map[string]any{"x": "2"} }},
		"Label":    {reason: "labels are ours", change: func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"a": "c"}) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := base()
			tc.change(after)
			if got := content.Same(base(), after); got != tc.want {
				t.Errorf("%s: Same() = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
