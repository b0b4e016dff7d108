// SPDX-License-Identifier: Apache-2.0

package script

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"health", "status", "replicas"}
	for name, want := range map[string]string{
		"helth": "health", "HEALTH": "health", "replica": "replicas", "statsu": "status", "helath": "health", "h": "", "image": "", "": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q; want %q", name, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"helth", []string{"health", "status"}, `there is no operation "helth"; did you mean health?`},
		{"x", []string{"health", "status"}, `there is no operation "x"; known are health, status`},
		{"x", nil, `there is no operation "x"; there are none`},
	} {
		if got := Unknown("operation", c.name, c.known); got != c.want {
			t.Errorf("got %q; want %q", got, c.want)
		}
	}
}
