// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"sync"
)

// group runs functions at the same time and keeps the first error. The zero value is
// ready to use.
type group struct {
	all    sync.WaitGroup
	once   sync.Once
	first  error
	cancel context.CancelCauseFunc
}

// newGroup returns a group, and a context that ends with the first error or when Wait
// returns.
func newGroup(ctx context.Context) (*group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &group{cancel: cancel}, ctx
}

// Go calls f in a goroutine of its own.
func (g *group) Go(f func() error) {
	g.all.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.end(err) })
		}
	})
}

// Wait returns the first error once all functions have returned.
func (g *group) Wait() error {
	g.all.Wait()
	g.once.Do(func() { g.end(nil) })
	return g.first
}

func (g *group) end(err error) {
	g.first = err
	if g.cancel != nil {
		g.cancel(err)
	}
}
