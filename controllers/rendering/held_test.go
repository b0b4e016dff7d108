// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

func TestAdmitted(t *testing.T) {
	spec := func(o *unstructured.Unstructured) map[string]any { return o.Object["spec"].(map[string]any) }
	cases := map[string]struct {
		reason string
		object func(*unstructured.Unstructured)
		bound  func(*workv1alpha2.ResourceBinding)
		want   bool
	}{
		"Same":   {reason: "nothing changed since the binding was written", want: true},
		"Status": {reason: "a write of the status changes no demand", object: func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{"ok": false} }, want: true},
		"Other":  {reason: "a change that needs nothing more is rendered", object: func(o *unstructured.Unstructured) { spec(o)["color"] = "blue" }, want: true},
		"More":   {reason: "more replicas are not rendered before they are admitted", object: func(o *unstructured.Unstructured) { spec(o)["replicas"] = int64(9) }},
		"Admitted": {
			reason: "they are once the binding has them", object: func(o *unstructured.Unstructured) { spec(o)["replicas"] = int64(9) },
			bound: func(b *workv1alpha2.ResourceBinding) { b.Spec.Replicas = 9 }, want: true,
		},
		"Attached": {
			reason: "what others depend on is admitted with them", object: func(o *unstructured.Unstructured) { spec(o)["replicas"] = int64(9) },
			bound: func(b *workv1alpha2.ResourceBinding) { b.Spec.Placement = nil }, want: true,
		},
		"Rules": {
			reason: "with the same content the controller of templates knows better what is needed", object: func(*unstructured.Unstructured) {},
			bound: func(b *workv1alpha2.ResourceBinding) { b.Spec.Replicas = 3 }, want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := stored("space")
			b := bound(object)
			fingerprint, err := claim.Fingerprint(object)
			if err != nil {
				t.Fatal(err)
			}
			b.Annotations[workv1alpha2.TemplateFingerprintAnnotation] = fingerprint
			if tc.object != nil {
				object.SetResourceVersion("8")
				tc.object(object)
			}
			if tc.bound != nil {
				tc.bound(b)
			}
			c := New[*workv1alpha2.ResourceBinding](base.Deps{Gates: features.New()})
			if got, err := c.admitted(b, object, snapshot(t)); err != nil || got != tc.want {
				t.Errorf("%s: admitted is %t, error %v; want %t", tc.reason, got, err, tc.want)
			}
		})
	}
	broken := stored("space")
	b := bound(broken)
	broken.SetResourceVersion("8")
	spec(broken)["broken"] = true
	c := New[*workv1alpha2.ResourceBinding](base.Deps{Gates: features.New()})
	if got, err := c.admitted(b, broken, snapshot(t)); err == nil || got {
		t.Errorf("what cannot be known is not admitted: %t, error %v", got, err)
	}
}
