// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listed = `
{"ImportPath": "M/builtin", "Deps": ["fmt"]}
{"ImportPath": "M/controllers/placement", "Deps": ["fmt", "k8s.io/client-go/util/jsonpath"]}
{"ImportPath": "M/controllers/placement.test", "Deps": ["M/controllers/placement [M/controllers/placement.test]"]}
{"ImportPath": "M/controllers/placement [M/controllers/placement.test]", "ForTest": "M/controllers/placement", "Deps": ["testing"]}
{"ImportPath": "M/controllers/requeue", "Deps": ["k8s.io/client-go/tools/cache"]}
{"ImportPath": "M/controllers/status", "Deps": ["sigs.k8s.io/controller-runtime"]}
{"ImportPath": "M/controllers/status.test", "Deps": ["M/test/suite [M/controllers/status.test]", "fmt"]}
{"ImportPath": "M/engine", "Deps": ["M/builtin"]}
{"ImportPath": "M/engine.test", "Deps": ["testing"]}
{"ImportPath": "M/test/suite", "Deps": ["M/cmd/dragoman-fleet/fleet"]}
`

func TestLists(t *testing.T) {
	all, err := parse([]byte(strings.ReplaceAll(listed, "M/", module)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		list func([]pkg) []string
		want []string
	}{
		"short": {short, []string{"builtin", "controllers/placement", "controllers/requeue", "engine"}},
		"race":  {race, []string{"builtin", "controllers/placement", "engine"}},
	} {
		var got []string
		for _, path := range c.list(all) {
			got = append(got, strings.TrimPrefix(path, module))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestLoad checks what go list makes of this module.
func TestLoad(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	inShort, inRace := short(all), race(all)
	for path, want := range map[string][2]bool{
		"builtin": {true, true}, "engine": {true, true}, "engine/internal/lua": {true, true},
		"controllers/placement": {true, true}, "controllers/binding": {true, true}, "controllers/status": {false, false},
		"api": {true, false}, "cmd/dragoman": {true, false}, "test/arch": {true, false},
		"cmd/dragoman-fleet/fleet": {false, false}, "test/e2e": {false, false},
		"test/e2e/failover": {false, false}, "test/environment": {false, false},
	} {
		got := [2]bool{slices.Contains(inShort, module+path), slices.Contains(inRace, module+path)}
		if got != want {
			t.Errorf("%s: got short, race %v, want %v", path, got, want)
		}
	}
}

func TestRunRefusesOtherLists(t *testing.T) {
	for _, args := range [][]string{nil, {"long"}, {"short", "race"}} {
		if err := run(args, io.Discard); err == nil {
			t.Errorf("%q: got no error", args)
		}
	}
}
