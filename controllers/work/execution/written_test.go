// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

func TestWritten(t *testing.T) {
	object := func(uid types.UID, version string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		o.SetUID(uid)
		o.SetResourceVersion(version)
		return o
	}
	event := func(cluster string, old, now *unstructured.Unstructured) member.Event {
		return member.Event{Cluster: cluster, Old: old, New: now}
	}
	var w written
	w.add("one", object("a", "5"))
	for _, tc := range []struct {
		reason string
		event  member.Event
		want   bool
	}{
		{"another cluster may have an object with that id", event("two", nil, object("a", "5")), false},
		{"another object", event("one", nil, object("b", "5")), false},
		{"another version was written by somebody else", event("one", nil, object("a", "4")), false},
		{"this version was written here", event("one", nil, object("a", "5")), true},
		{"a second event is not that of the write", event("one", nil, object("a", "5")), false},
	} {
		if got := w.shows(tc.event); got != tc.want {
			t.Errorf("%s: shows is %t, want %t", tc.reason, got, tc.want)
		}
	}
	w.add("one", object("a", "6"))
	if w.shows(event("one", object("a", "6"), nil)) {
		t.Error("an object that is gone is as it was written")
	}
	w.add("one", object("b", "7"))
	w.forget("one")
	if len(w.versions) != 0 || w.shows(event("one", nil, object("b", "7"))) {
		t.Errorf("%v is held for a cluster whose watches begin anew", w.versions)
	}
}
