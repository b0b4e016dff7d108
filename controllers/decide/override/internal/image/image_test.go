// SPDX-License-Identifier: Apache-2.0

package image

import (
	"strings"
	"testing"
)

const digest = "sha256:50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"

func TestParse(t *testing.T) {
	cases := map[string]Reference{
		"nginx":                           {Repository: "nginx"},
		"nginx:1.25":                      {Repository: "nginx", Tag: "1.25"},
		"library/nginx":                   {Repository: "library/nginx"},
		"a.io/nginx":                      {Registry: "a.io", Repository: "nginx"},
		"localhost/nginx":                 {Registry: "localhost", Repository: "nginx"},
		"host:5000/a/b/c:v1":              {Registry: "host:5000", Repository: "a/b/c", Tag: "v1"},
		"[::1]:5000/a":                    {Registry: "[::1]:5000", Repository: "a"},
		"nginx@" + digest:                 {Repository: "nginx", Digest: digest},
		"a.io/b/nginx:1.25@" + digest:     {Registry: "a.io", Repository: "b/nginx", Tag: "1.25", Digest: digest},
		"a_b/c--d__e.f":                   {Repository: "a_b/c--d__e.f"},
		"sha256@sha512:" + digest[7:7+32]: {Repository: "sha256", Digest: "sha512:" + digest[7:7+32]},
	}
	for text, want := range cases {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("Parse(%q).String() = %q", text, got.String())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "a b", "nginx:", "nginx@", ":v1", "a.io/", "a.io/:v1", "/nginx", "a//b", "nginx:a:b",
		"nginx:" + strings.Repeat("a", 129), "nginx@sha256:0123", "nginx@@" + digest, "nginx\n", "a/b:5/c",
		strings.Repeat("a", 5000),
	} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, got)
		}
	}
}

func TestVersion(t *testing.T) {
	both := Reference{Repository: "a", Tag: "v1", Digest: digest}
	cases := map[string]struct{ from, text, want string }{
		"TagToTag":       {"a:v1", "v2", "a:v2"},
		"TagToDigest":    {"a:v1", digest, "a@" + digest},
		"DigestToTag":    {"a@" + digest, "v2", "a:v2"},
		"BothToTag":      {both.String(), "v2", "a:v2"},
		"NoneToTag":      {"a", "v2", "a:v2"},
		"NotATag":        {"a:v1", ":v2", ""},
		"DigestWithAt":   {"a:v1", "@" + digest, ""},
		"DigestTooShort": {"a:v1", "sha256:0123", ""},
		"Empty":          {"a:v1", "", ""},
	}
	for name, tc := range cases {
		r, err := Parse(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.WithVersion(tc.text)
		if (err != nil) != (tc.want == "") || err == nil && got.String() != tc.want {
			t.Errorf("%s: %s with %q = %s, %v, want %q", name, tc.from, tc.text, got, err, tc.want)
		}
	}
	if got := both.WithoutVersion().String(); got != "a@"+digest {
		t.Errorf("without the tag: %s", got)
	}
	if got := both.WithoutVersion().WithoutVersion().String(); got != "a" {
		t.Errorf("without the digest: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"nginx", "a.io/b:c@" + digest, "localhost/x", "[::1]:5/x", "a:b/c:d", "::/@"} {
		f.Add(seed, "v1")
	}
	f.Fuzz(func(t *testing.T, text, version string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if r.String() != text {
			t.Fatalf("Parse(%q).String() = %q", text, r.String())
		}
		changed, err := r.WithVersion(version)
		if err != nil {
			return
		}
		again, err := Parse(changed.String())
		if err != nil || again != changed {
			t.Fatalf("%q with %q: Parse(%q) = %+v, %v", text, version, changed, again, err)
		}
	})
}
