// SPDX-License-Identifier: Apache-2.0

package pointer

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	cases := map[string]struct {
		want  Pointer
		fails string
	}{
		"":            {want: nil},
		"/":           {want: Pointer{""}},
		"/a/0/-":      {want: Pointer{"a", "0", "-"}},
		"/a~1b/~0":    {want: Pointer{"a/b", "~"}},
		"/~01":        {want: Pointer{"~1"}},
		"/x y//":      {want: Pointer{"x y", "", ""}},
		"a":           {fails: "does not start with a slash"},
		"/a~":         {fails: "a tilde is written as ~0"},
		"/~2":         {fails: "a tilde is written as ~0"},
		"/~/x":        {fails: "a tilde is written as ~0"},
		"/server/ü~1": {want: Pointer{"server", "ü/"}},
	}
	for text, tc := range cases {
		got, err := Parse(text)
		if tc.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("Parse(%q): error %v, want one with %q", text, err, tc.fails)
			}
			continue
		}
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("Parse(%q) = %q, %v, want %q", text, got, err, tc.want)
		}
		if got.String() != text {
			t.Errorf("Parse(%q).String() = %q", text, got.String())
		}
	}
	if _, err := Parse(strings.Repeat("/a", maxTokens+1)); err == nil {
		t.Error("Parse of too many tokens: no error")
	}
}

func TestIndices(t *testing.T) {
	const bad = -100
	cases := map[string]struct{ item, place int }{
		"0":   {0, 0},
		"2":   {2, 2},
		"3":   {bad, 3},
		"4":   {bad, bad},
		"-":   {bad, 3},
		"-1":  {2, 3},
		"-3":  {0, 1},
		"-4":  {bad, 0},
		"-5":  {bad, bad},
		"-0":  {bad, bad},
		"--1": {bad, bad},
		"01":  {bad, bad},
		"+1":  {bad, bad},
		"--":  {bad, bad},
		"x":   {bad, bad},
		"":    {bad, bad},

		"99999999999999999999": {bad, bad},
	}
	for token, tc := range cases {
		if got, err := Item(token, 3); (err != nil) != (tc.item == bad) || err == nil && got != tc.item {
			t.Errorf("Item(%q, 3) = %d, %v, want %d", token, got, err, tc.item)
		}
		if got, err := Place(token, 3); (err != nil) != (tc.place == bad) || err == nil && got != tc.place {
			t.Errorf("Place(%q, 3) = %d, %v, want %d", token, got, err, tc.place)
		}
	}
}

func TestJoin(t *testing.T) {
	p := make(Pointer, 1, 4)
	p[0] = "a"
	one, two := p.Join("b"), p.Join("c")
	if one.String() != "/a/b" || two.String() != "/a/c" {
		t.Errorf("Join shares its tokens: %s, %s", one, two)
	}
}
