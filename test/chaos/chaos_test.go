// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/programs"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// The faults of this seed begin with etcd, the control plane, a member and both managers.
const smallSeed = 1

// Six failovers, with all that make chaos has.
func TestSmallChaos(t *testing.T) {
	ctrllog.SetLogger(logr.Discard())
	dir, err := os.MkdirTemp("", "dragoman-chaos-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Log("logs are in", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}()
	bin, err := programs.Dir(t.Context(), dir, "dragoman-manager")
	if err != nil {
		t.Fatal(err)
	}
	running, err := fleet.StartAPIServers(t.Context(), fleet.Options{Dir: filepath.Join(dir, "fleet"), Members: fleet.MemberNames(members)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := scenario.Install(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	o := options{applications: 3, failovers: 2, limit: 8 * time.Minute, seed: smallSeed, flags: []string{
		// Another manager takes over sooner.
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s", "--leader-elect-retry-period=1s",
	}}
	r, run, err := o.chaos(t.Context(), scenario.Lab{Fleet: running, Binary: filepath.Join(bin, "dragoman-manager"), Log: filepath.Join(dir, "manager.log")})
	table := &bytes.Buffer{}
	r.print(table, run)
	t.Log("\n" + table.String())
	if err != nil {
		t.Error(err)
	}
	if n := r.ended[directly] + r.ended[gradually]; n < o.applications*o.failovers {
		t.Errorf("%d failovers ended, want %d", n, o.applications*o.failovers)
	}
	if len(r.faults) == 0 {
		t.Error("no fault happened")
	}
}
