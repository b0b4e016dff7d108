// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"strings"
	"testing"
)

func TestTake(t *testing.T) {
	b := New()
	if err := b.Take(Whole - 1); err != nil || b.Taken() != Whole-1 {
		t.Errorf("%d were taken (%v), want %d", b.Taken(), err, Whole-1)
	}
	if !b.Affords(1) || b.Affords(2) || b.Affords(-1) {
		t.Errorf("1, 2 and -1 values are left: %t, %t, %t", b.Affords(1), b.Affords(2), b.Affords(-1))
	}
	if err := b.Take(2); err == nil || !strings.Contains(err.Error(), "use fewer of them") {
		t.Errorf("2 values of the last one: %v", err)
	}
	if err := b.Take(1); err == nil {
		t.Error("what was refused leaves something")
	}
}
