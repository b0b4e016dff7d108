// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/install"
)

// server is an API server whose store can be made what it was at first.
type server struct {
	cluster  *fleet.Cluster
	store    store
	baseline Baseline
	// kinds are what it serves at first, sorted.
	kinds []string
}

// prepare installs the kinds of Dragoman in a hub, and records what the store has then.
func (s *server) prepare(ctx context.Context, hub bool) error {
	if hub {
		if err := install.Kinds(ctx, s.cluster.RESTConfig()); err != nil {
			return fmt.Errorf("install the kinds in %s: %w", s.cluster.Name, err)
		}
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	pairs, err := s.store.all(ctx, s.cluster.Name, false)
	if err != nil {
		return err
	}
	s.baseline = pairs
	s.kinds, err = s.served(ctx)
	return err
}

// glance is how often the store is looked at, and calm how often it must be the same.
const (
	glance = 100 * time.Millisecond
	calm   = 3
)

// settle waits until nothing is written any more: a server writes a while after its start,
// and after a kind has come or gone.
func (s *server) settle(ctx context.Context) error {
	var last []pair
	for same := 0; same < calm; {
		now, err := s.store.all(ctx, s.cluster.Name, true)
		if err != nil {
			return err
		}
		if len(Baseline(last).differing(s.cluster.Name, now)) == 0 {
			same++
		} else {
			same = 0
		}
		last = now
		if err := pause(ctx, glance); err != nil {
			return fmt.Errorf("%s is still being written to: %w", s.cluster.Name, err)
		}
	}
	return nil
}

// changed returns the keys that are not what they are in the baseline.
func (s *server) changed(ctx context.Context) ([]string, error) {
	now, err := s.store.all(ctx, s.cluster.Name, true)
	if err != nil {
		return nil, err
	}
	return s.baseline.differing(s.cluster.Name, now), nil
}

// patience is how long a server has to serve what the store has, before the store is written again:
// what it was about when the store changed under it, such as the end of a CRD, may have undone that.
const patience = 15 * time.Second

// reset makes the store the baseline again, and waits until the server serves what it
// served at first and writes nothing more.
func (s *server) reset(ctx context.Context) error {
	for {
		now, err := s.store.all(ctx, s.cluster.Name, true)
		if err != nil {
			return err
		}
		if err := s.store.write(ctx, s.baseline.changes(s.cluster.Name, now)); err != nil {
			return err
		}
		brief, cancel := context.WithTimeout(ctx, patience)
		err = s.serves(brief)
		cancel()
		if err != nil && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return err
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
		if now, err = s.store.all(ctx, s.cluster.Name, true); err != nil {
			return err
		}
		// A value that was put back has a new revision; what the server wrote meanwhile, such
		// as the registration of a group whose kinds went, is another key.
		next := s.baseline.rebased(now)
		if len(next.differing(s.cluster.Name, now)) == 0 {
			s.baseline = next
			return nil
		}
	}
}

// serves waits until the server serves the kinds that it served at first.
func (s *server) serves(ctx context.Context) error {
	for {
		kinds, err := s.served(ctx)
		if err == nil && slices.Equal(kinds, s.kinds) {
			return nil
		}
		if waited := pause(ctx, glance); waited != nil {
			return fmt.Errorf("%s does not serve what it served at first: %w", s.cluster.Name, errors.Join(waited, err))
		}
	}
}

// served returns the resources that discovery lists, sorted.
func (s *server) served(ctx context.Context) ([]string, error) {
	d, err := discovery.NewDiscoveryClientForConfig(s.cluster.RESTConfig())
	if err != nil {
		return nil, err
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, l := range lists {
		for _, r := range l.APIResources {
			kinds = append(kinds, l.GroupVersion+" "+r.Name)
		}
	}
	slices.Sort(kinds)
	return kinds, ctx.Err()
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
