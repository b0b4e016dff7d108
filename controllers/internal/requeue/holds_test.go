// SPDX-License-Identifier: Apache-2.0

package requeue

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

func TestHolds(t *testing.T) {
	var h Holds
	const patience = 5 * time.Second
	key, start := types.NamespacedName{Namespace: "s", Name: "b"}, time.Unix(1000, 0)
	for _, step := range []struct {
		reason string
		at     time.Duration
		want   time.Duration
	}{
		{"the first time it waits", 0, patience},
		{"it waits no longer for being asked again", 2 * time.Second, patience - 2*time.Second},
		{"after that it is reported", patience, 0},
	} {
		if got := h.Hold(key, patience, start.Add(step.at)); got != step.want {
			t.Errorf("%s: waits %s, want %s", step.reason, got, step.want)
		}
	}
	if !h.IsLate(key, patience, start.Add(patience)) || h.IsLate(key, patience, start.Add(patience-1)) {
		t.Error("it is late once its patience is over")
	}
	h.Release(key)
	if got := h.Hold(key, patience, start.Add(time.Hour)); got != patience {
		t.Errorf("the next time it waits again: %s", got)
	}
}
