// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"errors"
	"testing"
)

func TestTooLargeIsSaidOnce(t *testing.T) {
	var said tooLarge
	for i, step := range []struct {
		reason string
		err    error
		want   bool
	}{
		{"nothing is too large", nil, false},
		{"it is now", errors.New("state of a has 5000 bytes"), true},
		{"it is still", errors.New("state of a has 5000 bytes"), false},
		{"it has another size", errors.New("state of a has 5001 bytes"), false},
		{"that of another cluster is", errors.New("state of b has 5001 bytes"), true},
		{"none is", nil, false},
		{"it is again", errors.New("state of b has 5001 bytes"), true},
	} {
		if got := said.isNew("one", step.err); got != step.want {
			t.Errorf("%d: %s: got %v", i, step.reason, got)
		}
	}
	said.forget("one")
	if !said.isNew("one", errors.New("state of b has 5001 bytes")) {
		t.Error("a binding that was forgotten is new")
	}
}
