// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestShortenedShowsWhatDiffers checks that two long values are cut around the place where
// they begin to differ.
func TestShortenedShowsWhatDiffers(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, c := range map[string]struct{ want, got, a, b string }{
		"short":         {`"a"`, `"b"`, `"a"`, `"b"`},
		"nothing":       {"", `"b"`, "nothing", `"b"`},
		"at the end":    {`"` + long + `a"`, `"` + long + `b"`, "…" + long[:40] + `a"`, "…" + long[:40] + `b"`},
		"one is longer": {`"` + long + `"`, `"` + long + `b"`, "…" + long[:40] + `"`, "…" + long[:40] + `b"`},
		"at the start":  {`"a` + long + `"`, `"b` + long + `"`, `"a` + long[:198] + "…", `"b` + long[:198] + "…"},
	} {
		var want json.RawMessage
		if c.want != "" {
			want = json.RawMessage(c.want)
		}
		if a, b := shortened(want, json.RawMessage(c.got)); a != c.a || b != c.b {
			t.Errorf("%s: got %s and %s, want %s and %s", name, a, b, c.a, c.b)
		}
	}
}
