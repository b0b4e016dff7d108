// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/install"
	"github.com/dragoman-io/dragoman/test/pool"
)

// Servers are the API servers of a suite.
type Servers struct {
	ControlPlane *fleet.Cluster
	Members      []*fleet.Cluster // in the order in which they were asked for

	fleet *fleet.Fleet // nil where the servers are those of a pool
	stop  func() error
}

// share takes servers from the pool that the environment names, or starts some.
func share(ctx context.Context, members []string) (*Servers, error) {
	socket := os.Getenv(pool.Socket)
	if socket == "" {
		return own(ctx, members)
	}
	holder, err := holder()
	if err != nil {
		return nil, err
	}
	l, err := pool.Take(ctx, socket, pool.Request{Holder: holder, Members: members})
	if err != nil {
		return nil, err
	}
	return &Servers{ControlPlane: l.Hub, Members: l.Members, stop: l.Close}, nil
}

// holder returns the folder of the package that is tested, below the root.
func holder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root, err := fleet.Root()
	if err != nil {
		return "", err
	}
	return filepath.Rel(root, dir)
}

// own starts servers that end with the suite.
func own(ctx context.Context, members []string) (*Servers, error) {
	f, err := fleet.StartAPIServers(ctx, fleet.Options{Members: members})
	if err != nil {
		return nil, err
	}
	if err := install.Kinds(ctx, f.ControlPlane.RESTConfig()); err != nil {
		return nil, errors.Join(err, f.Stop())
	}
	return &Servers{ControlPlane: f.ControlPlane, Members: f.Members, fleet: f, stop: f.Stop}, nil
}

// Cut kills the API server of a cluster, whose data stays.
func (s *Servers) Cut(c *fleet.Cluster) error {
	if s.fleet == nil {
		return fmt.Errorf("cut %s: it is shared with other suites; use BeginOwn", c.Name)
	}
	return s.fleet.Cut(c)
}

// Restore starts the API server that Cut has killed, and returns when it is ready.
func (s *Servers) Restore(ctx context.Context, c *fleet.Cluster) error {
	if s.fleet == nil {
		return fmt.Errorf("restore %s: it is shared with other suites; use BeginOwn", c.Name)
	}
	return s.fleet.Restore(ctx, c)
}
