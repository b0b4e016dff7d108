// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"testing"
	"time"
)

func TestRest(t *testing.T) {
	const quiet, most = 100 * time.Millisecond, time.Second
	for name, c := range map[string]struct{ since, want time.Duration }{
		"the first change waits for quiet":        {0, quiet},
		"a later one waits for quiet again":       {800 * time.Millisecond, quiet},
		"near the end it waits less":              {950 * time.Millisecond, 50 * time.Millisecond},
		"at the end it does not wait":             {time.Second, 0},
		"after the end it does not wait at all":   {3 * time.Second, 0},
		"just before, all of the quiet time fits": {900 * time.Millisecond, quiet},
	} {
		if got := remaining(c.since, quiet, most); got != c.want {
			t.Errorf("%s: after %s it waits %s; want %s", name, c.since, got, c.want)
		}
	}
}
