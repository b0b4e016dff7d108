// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dragoman-fleet": main})
}

// The scripts run real fleets, without members to keep it short.
func TestScripts(t *testing.T) {
	binaries, err := fleet.Binaries()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DRAGOMAN_KUBE_BIN", binaries)
			env.Defer(func() { // what a failed script leaves running
				if _, err := fleet.Shutdown(context.Background(), filepath.Join(env.WorkDir, "fleet")); err != nil {
					t.Error(err)
				}
			})
			return nil
		},
	})
}
