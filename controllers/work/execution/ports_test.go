// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"errors"
	"fmt"
	"testing"
)

func TestWithoutPorts(t *testing.T) {
	cause := errors.New("cause")
	for text, want := range map[string]string{
		`Post "https://w.n.svc:443/": read tcp 10.0.0.1:4711->10.0.0.2:443: reset: cause`: `Post "https://w.n.svc:443/": read tcp 10.0.0.2:443: reset: cause`,
		"write tcp [fd00::1%eth0]:4711->[fd00::2]:443: cause":                             "write tcp [fd00::2]:443: cause",
		"exceeded quota: requested 5, used 8, limited 10: cause":                          "exceeded quota: requested 5, used 8, limited 10: cause",
		"dial tcp 10.0.0.2:443: connection refused: cause":                                "dial tcp 10.0.0.2:443: connection refused: cause",
	} {
		err := withoutPorts(fmt.Errorf("%s%w", text[:len(text)-len("cause")], cause))
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("of %q: got %q, which is the cause: %v; want %q", text, err, errors.Is(err, cause), want)
		}
	}
	if withoutPorts(nil) != nil {
		t.Error("no error is one")
	}
}
