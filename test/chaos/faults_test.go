// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"
)

func TestUntilStorm(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{
		0: 0, storm - 1: 0, storm: calm, storm + calm - 1: 1, storm + calm: 0, 2*storm + calm: calm,
	} {
		if got := untilStorm(after); got != want {
			t.Errorf("after %s: %s, want %s", after, got, want)
		}
	}
}
