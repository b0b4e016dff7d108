// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseList(t *testing.T) {
	got, err := parseList([]byte(strings.ReplaceAll(`
{"ImportPath": "M/api", "Dir": "/m/api"}
{"ImportPath": "M/engine", "Dir": "/m/engine"}
{"ImportPath": "M/engine.test", "Deps": ["testing"]}
{"ImportPath": "M/engine [M/engine.test]", "ForTest": "M/engine", "Dir": "/m/engine"}
{"ImportPath": "M/controllers/work/status", "Dir": "/m/controllers/work/status"}
{"ImportPath": "M/controllers/work/status.test", "Deps": ["github.com/onsi/ginkgo/v2", "testing"]}
`, "M/", module)))
	if err != nil {
		t.Fatal(err)
	}
	want := []pkg{
		{path: module + "controllers/work/status", dir: "/m/controllers/work/status", ginkgo: true},
		{path: module + "engine", dir: "/m/engine"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(pkg{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := want[0].file(); got != "controllers-work-status" {
		t.Errorf("got %q for files of %s", got, want[0].path)
	}
}

// TestChoose checks what go list makes of this module.
func TestChoose(t *testing.T) {
	t.Chdir("../..")
	all := regexp.MustCompile("")
	servers, err := choose(t.Context(), nil, all)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"controllers/status": true, "cmd/dragoman-manager": true, "test/e2e": true,
		"engine": false, "controllers/decide/binding": false, "test/environment": false,
	} {
		got := slices.ContainsFunc(servers, func(p pkg) bool { return p.name() == path })
		if got != want {
			t.Errorf("%s among those that need servers: got %v, want %v", path, got, want)
		}
	}
	some, err := choose(t.Context(), []string{"./controllers/work/..."}, regexp.MustCompile("status$"))
	if err != nil {
		t.Fatal(err)
	}
	if len(some) != 1 || some[0].name() != "controllers/work/status" || !some[0].ginkgo {
		t.Errorf("got %v for controllers/work/... and status$", some)
	}
	if _, err := choose(t.Context(), []string{"./controllers/work/..."}, regexp.MustCompile("^none$")); err == nil {
		t.Error("no package: got no error")
	}
}
