// SPDX-License-Identifier: Apache-2.0

package base

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func TestGenerationChanged(t *testing.T) {
	of := func(uid types.UID, generation int64) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: uid, Generation: generation}}
	}
	for _, tc := range []struct {
		reason string
		update event.UpdateEvent
		want   bool
	}{
		{"nothing changed", event.UpdateEvent{ObjectOld: of("a", 1), ObjectNew: of("a", 1)}, false},
		{"an edit", event.UpdateEvent{ObjectOld: of("a", 1), ObjectNew: of("a", 2)}, true},
		{"another object of the name", event.UpdateEvent{ObjectOld: of("a", 1), ObjectNew: of("b", 1)}, true},
		{"nothing is known", event.UpdateEvent{}, false},
	} {
		if got := (GenerationChanged{}).Update(tc.update); got != tc.want {
			t.Errorf("%s: it counts: %t, want %t", tc.reason, got, tc.want)
		}
	}
	if !(GenerationChanged{}).Create(event.CreateEvent{}) || !(GenerationChanged{}).Delete(event.DeleteEvent{}) {
		t.Error("a creation or a deletion does not count")
	}
}
