// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, ".."); err != nil {
		t.Fatal(err)
	}
	if want := "Cache sessions is Healthy\nCache sessions is Unhealthy\n"; out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
