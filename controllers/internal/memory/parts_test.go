// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"testing"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

func TestParts(t *testing.T) {
	var m memory.Parts[string, int, string]
	m.Forget("nobody", 1)
	if v, ok := m.Get("nobody", 1); ok || v != "" || m.Owners() != 0 {
		t.Errorf("an empty memory has %q, %v", v, ok)
	}
	m.Set("a", 1, "x")
	m.Set("a", 2, "y")
	m.Set("b", 1, "z")
	m.Set("a", 1, "X")
	for _, tc := range []struct {
		owner string
		part  int
		want  string
	}{{"a", 1, "X"}, {"a", 2, "y"}, {"b", 1, "z"}} {
		if v, ok := m.Get(tc.owner, tc.part); v != tc.want || !ok {
			t.Errorf("%s %d is %q, %v, want %q", tc.owner, tc.part, v, ok, tc.want)
		}
	}
	m.Update("a", 1, func(v string, ok bool) (string, bool) { return v, ok && v != "X" })
	if _, ok := m.Get("a", 1); ok {
		t.Error("a 1 was not forgotten")
	}
	m.Forget("a", 2)
	if m.Owners() != 1 {
		t.Errorf("%d owners are remembered, want b: the last part of a was forgotten", m.Owners())
	}
	m.Set("b", 2, "y")
	m.ForgetAll("b")
	if _, ok := m.Get("b", 1); ok || m.Owners() != 0 {
		t.Error("b was not forgotten")
	}
}
