// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestCompare(t *testing.T) {
	type m = map[string]any
	type l = []any
	cases := map[string]struct {
		reason     string
		want, have m
		left       []string
		found      []difference
		// result is want afterwards, if fields are left.
		result m
	}{
		"Same":      {reason: "equal in content", want: m{"spec": m{"a": "1", "n": int64(1), "l": l{"x"}}}, have: m{"spec": m{"a": "1", "n": int64(1), "l": l{"x"}}, "status": m{"phase": "Fine"}}},
		"Null":      {reason: "an API server drops null", want: m{"spec": m{"a": nil}}, have: m{"spec": m{}}},
		"Changed":   {reason: "a value", want: m{"spec": m{"a": "1"}}, have: m{"spec": m{"a": "2"}}, found: []difference{{Path: "spec.a", Want: "1", Have: "2"}}},
		"Defaulted": {reason: "a field that nobody wants", want: m{"spec": m{}}, have: m{"spec": m{"a": "2"}}, found: []difference{{Path: "spec.a", Have: "2"}}},
		"Removed":   {reason: "a field that is not there", want: m{"spec": m{"a": "1"}}, have: m{}, found: []difference{{Path: "spec", Want: m{"a": "1"}}}},
		"Keys":      {reason: "a key that is no name is in brackets", want: m{"data": m{"config.yaml": "a"}}, have: m{"data": m{"config.yaml": "b"}}, found: []difference{{Path: "data[config.yaml]", Want: "a", Have: "b"}}},
		"Named": {
			reason: "items are matched by name", want: m{"l": l{m{"name": "x", "v": "1"}}}, have: m{"l": l{m{"name": "sidecar"}, m{"name": "x", "v": "2"}}},
			found: []difference{{Path: "l[name=x].v", Want: "1", Have: "2"}, {Path: "l[name=sidecar]", Have: m{"name": "sidecar"}}},
		},
		"Order": {
			reason: "their order counts", want: m{"l": l{m{"name": "x"}, m{"name": "y"}}}, have: m{"l": l{m{"name": "y"}, m{"name": "x"}}},
			found: []difference{{Path: "l", Want: l{m{"name": "x"}, m{"name": "y"}}, Have: l{m{"name": "y"}, m{"name": "x"}}}},
		},
		"Positions": {reason: "items without names are matched by position", want: m{"l": l{"a", "b"}}, have: m{"l": l{"a", "c"}}, found: []difference{{Path: "l[1]", Want: "b", Have: "c"}}},
		"Length":    {reason: "lists of another length differ as a whole", want: m{"l": l{"a"}}, have: m{"l": l{"a", "c"}}, found: []difference{{Path: "l", Want: l{"a"}, Have: l{"a", "c"}}}},
		"Left": {
			reason: "fields that are left are as they are", left: []string{"spec.a", "spec.gone", "l[name=x].v"},
			want:   m{"spec": m{"a": "1", "gone": "1"}, "l": l{m{"name": "x"}}},
			have:   m{"spec": m{"a": "2"}, "l": l{m{"name": "x", "v": "theirs"}}},
			result: m{"spec": m{"a": "2"}, "l": l{m{"name": "x", "v": "theirs"}}},
		},
		"LeftItem": {
			reason: "an item too", left: []string{"l[name=sidecar]", "l[name=y]"},
			want:   m{"l": l{m{"name": "x"}, m{"name": "y"}}},
			have:   m{"l": l{m{"name": "x"}, m{"name": "sidecar"}}},
			result: m{"l": l{m{"name": "x"}, m{"name": "sidecar"}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, have := object(nil, nil, tc.want), object(nil, nil, tc.have)
			before := have.DeepCopy()
			found := compare(want, have, tc.left)
			if diff := cmp.Diff(tc.found, found, cmpopts.IgnoreUnexported(difference{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, have); diff != "" {
				t.Errorf("the observed object is shared and must not change (-before +after):\n%s", diff)
			}
			if tc.result == nil {
				return
			}
			if diff := cmp.Diff(object(nil, nil, tc.result).Object, want.Object); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCompareMetadata(t *testing.T) {
	want, have := object(map[string]string{"a": "1"}, nil, nil), object(map[string]string{"a": "2"}, map[string]string{"x.io/n": "1"}, nil)
	have.SetResourceVersion("7")
	have.SetGeneration(3)
	have.SetFinalizers([]string{"f"})
	got := paths(compare(want, have, nil))
	if diff := cmp.Diff([]string{"metadata.annotations", "metadata.finalizers", "metadata.labels.a"}, got); diff != "" {
		t.Errorf("what the API server keeps does not count (-want +got):\n%s", diff)
	}
}

func TestDigest(t *testing.T) {
	of := func(want, have map[string]any) string {
		return digest(compare(object(nil, nil, want), object(nil, nil, have), nil))
	}
	type m = map[string]any
	if of(m{"spec": m{"a": "1"}}, m{"spec": m{"a": "1"}}) != "" {
		t.Error("no differences have a digest")
	}
	defaulted := of(m{"spec": m{"a": "1"}}, m{"spec": m{"a": "1", "b": "default"}})
	if defaulted == "" || defaulted != of(m{"spec": m{"a": "2"}}, m{"spec": m{"a": "2", "b": "default"}}) {
		t.Error("a field that the API server fills in has another digest when another field changes")
	}
	if defaulted == of(m{"spec": m{"a": "1"}}, m{"spec": m{"a": "1", "b": "theirs"}}) {
		t.Error("another value of the field has the same digest")
	}
	if defaulted == of(m{"spec": m{"a": "1", "b": "ours"}}, m{"spec": m{"a": "1", "b": "default"}}) {
		t.Error("a field that is wanted now has the same digest")
	}
}

func TestChanged(t *testing.T) {
	before := []difference{
		{Path: "spec.fought", Want: "ours", Have: "theirs"},
		{Path: "spec.default", Have: "default"},
		{Path: "spec.dropped", Have: "theirs"}, // and has a default
		{Path: "spec.list", Have: []any{map[string]any{"n": int64(1)}}},
	}
	after := []difference{
		{Path: "spec.default", Have: "default"},
		{Path: "spec.dropped", Have: "default"},
		{Path: "spec.list", Have: []any{map[string]any{"n": int64(1)}}},
	}
	if diff := cmp.Diff([]string{"spec.fought", "spec.dropped"}, changed(before, after)); diff != "" {
		t.Errorf("what an API server fills in was not changed by a write (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(paths(before), changed(before, nil)); diff != "" {
		t.Errorf("all were changed (-want +got):\n%s", diff)
	}
}

func TestWriterOf(t *testing.T) {
	at := func(seconds int64) *metav1.Time { return &metav1.Time{Time: metav1.Unix(seconds, 0).Time} }
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{
		{Manager: fieldManager, Time: at(9), FieldsV1: metav1.NewFieldsV1(`{"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},"f:caBundle":{}}}}`)},
		{Manager: "earlier", Time: at(1), FieldsV1: metav1.NewFieldsV1(`{"f:webhooks":{"k:{\"name\":\"a\"}":{"f:caBundle":{}}}}`)},
		{Manager: "injector", Time: at(5), FieldsV1: metav1.NewFieldsV1(`{"f:webhooks":{"k:{\"name\":\"a\"}":{"f:caBundle":{}}}}`)},
		{Manager: "autoscaler", Time: at(7), Subresource: "scale", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)},
		{Manager: "reporter", Time: at(8), Subresource: "status", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:x":{}}}}`)},
		{Manager: "labeler", Time: at(7), FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:x":{}}},"f:list":{}}`)},
	})
	for path, want := range map[*place]string{
		new(place{}.key("webhooks").itemNamed("a").key("caBundle")): "injector",
		new(place{}.key("metadata").key("labels").key("x")):         "labeler",
		new(place{}.key("list").index(0).key("v")):                  "labeler",
		new(place{}.key("spec").key("replicas")):                    "autoscaler",
		new(place{}.key("status")):                                  "",
	} {
		if got := writerOf(o, path.elements()); got != want {
			t.Errorf("writerOf(%s) = %q, want %q", path.path(), got, want)
		}
	}
}
