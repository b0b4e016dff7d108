// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario/operator"
)

// Lab is a fleet of its own for one run of a program, with the kinds of the control plane
// installed.
type Lab struct {
	Fleet *fleet.Fleet
	// Binary is the built manager, Log a file for what it logs.
	Binary, Log string
	// Flink is that of Scenario.Storage.
	Flink *operator.Storage
}

// RunLab builds the binaries, starts a fleet of that many members by start, runs f, and
// ends the fleet. Its folder, which has the name of the program in it, is removed unless
// something failed.
func RunLab(ctx context.Context, name string, members int, start func(context.Context, fleet.Options) (*fleet.Fleet, error), f func(Lab) error) (failed error) {
	root, err := fleet.Root()
	if err != nil {
		return err
	}
	if err := fleet.Build(ctx, root, os.Stdout); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dragoman-"+name+"-")
	if err != nil {
		return err
	}
	defer func() {
		if failed == nil {
			failed = os.RemoveAll(dir)
		}
	}()
	running, err := start(ctx, fleet.Options{Dir: filepath.Join(dir, "fleet"), Members: fleet.MemberNames(members)})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, running.Stop()) }()
	if err := Install(ctx, running); err != nil {
		return err
	}
	return f(Lab{Fleet: running, Binary: filepath.Join(root, "bin", "dragoman-manager"), Log: filepath.Join(dir, "manager.log")})
}

// Demo installs the kinds of the control plane, starts a manager as a user does, without
// flags, and runs the story of the demo, which prints its steps to out. It returns the
// manager, which runs on also after an error; nil is one that could not be started.
func (l Lab) Demo(ctx context.Context, out io.Writer) (*Manager, error) {
	if err := Install(ctx, l.Fleet); err != nil {
		return nil, err
	}
	m, err := StartManager(context.WithoutCancel(ctx), l.Binary, l.Fleet.ControlPlane.Kubeconfig, l.Log)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "installed the CRDs of the control plane and started dragoman-manager")
	s := &Scenario{Fleet: l.Fleet, Out: out, Storage: l.Flink}
	return m, s.Run(ctx)
}
