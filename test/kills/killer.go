// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/dragoman-io/dragoman/test/scenario"
)

// longest is the most time that a manager has before it is killed: some die while they
// start, or before they lead, others in the middle of their work.
const longest = 6 * time.Second

// killer runs managers, one after the other.
type killer struct {
	launcher
	site    *site
	random  *rand.Rand
	kills   int
	manager *scenario.Manager
}

func (k *killer) start(ctx context.Context) error {
	var err error
	k.manager, err = k.launch(ctx)
	return err
}

func (k *killer) stop() { k.manager.Stop() }

func (k *killer) revive(ctx context.Context) (bool, error) {
	if !hasEnded(k.manager) {
		return false, nil
	}
	return true, k.start(ctx)
}

// disturb kills the manager, each time at a random moment, and starts it again. With several
// binaries, one more kill leaves the last of them.
func (k *killer) disturb(ctx context.Context) error {
	for range k.kills {
		if err := k.kill(ctx); err != nil {
			return err
		}
	}
	if k.onlyLast() {
		return k.kill(ctx)
	}
	return nil
}

func (k *killer) kill(ctx context.Context) error {
	if err := pause(ctx, time.Duration(k.random.Int64N(int64(longest)))); err != nil {
		return err
	}
	k.manager.Kill()
	if err := scenario.ExpireLease(ctx, k.site.hub); err != nil {
		return err
	}
	return k.start(ctx)
}
