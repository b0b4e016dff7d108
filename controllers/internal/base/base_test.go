// SPDX-License-Identifier: Apache-2.0

package base

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestWarn(t *testing.T) {
	events := &fixture.Events{}
	d := Deps{Events: events}
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c"}}
	for _, message := range []string{"short", "50% of %s", strings.Repeat("x", 5000), strings.Repeat("é", 5000)} {
		d.Warn(about, "Failed", "Try", errors.New(message))
	}
	got := events.About("ns", "c")
	want := []string{
		"Warning Failed: short", "Warning Failed: 50% of %s", "Warning Failed: " + strings.Repeat("x", 1000), "Warning Failed: " + strings.Repeat("é", 500),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages are cut to what the API server takes, in bytes (-want +got):\n%s", diff)
	}
}

func TestClip(t *testing.T) {
	for _, tc := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aé", 2, "a"}, {"aé", 3, "aé"}, {"", 0, ""},
	} {
		if got := Clip(tc.text, tc.n); got != tc.want || !utf8.ValidString(got) {
			t.Errorf("Clip(%q, %d) = %q, want %q", tc.text, tc.n, got, tc.want)
		}
	}
}

func TestMetadata(t *testing.T) {
	shared := map[string]string{"kept": "yes"}
	bare, full := &metav1.ObjectMeta{}, &metav1.ObjectMeta{Labels: shared, Annotations: shared}
	for _, o := range []*metav1.ObjectMeta{bare, full} {
		SetLabel(o, "l", "1")
		SetAnnotation(o, "a", "1")
		SetAnnotation(o, "a", "2")
	}
	want := []*metav1.ObjectMeta{
		{Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"}},
		{Labels: map[string]string{"kept": "yes", "l": "1"}, Annotations: map[string]string{"kept": "yes", "a": "2"}},
	}
	if diff := cmp.Diff(want, []*metav1.ObjectMeta{bare, full}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"kept": "yes"}, shared); diff != "" {
		t.Errorf("a map that others may share must not change (-before +after):\n%s", diff)
	}
}

func TestNewID(t *testing.T) {
	var d Deps
	if a, b := d.NewID(), d.NewID(); a == b || len(a) != 36 {
		t.Errorf("got %q and %q, want two random UUIDs", a, b)
	}
	d.UID = func() types.UID { return "1" }
	if got := d.NewID(); got != "1" {
		t.Errorf("got %q, want that of UID", got)
	}
}

func TestWritesOfTemplatesAreNotWaitedFor(t *testing.T) {
	template, typed := &unstructured.Unstructured{}, &corev1.ConfigMap{}
	if len(unwatched[client.PatchOption](template)) != 1 || len(unwatched[client.SubResourcePatchOption](template)) != 1 {
		t.Error("the client would watch the kind of a template for good")
	}
	if len(unwatched[client.PatchOption](typed)) != 0 || len(unwatched[client.SubResourcePatchOption](typed)) != 0 {
		t.Error("a controller that reconciles an object after its write would read the version before")
	}
}
