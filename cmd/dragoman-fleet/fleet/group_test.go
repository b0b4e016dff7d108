// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"testing"
)

func TestGroupReturnsTheFirstError(t *testing.T) {
	first := errors.New("first")
	g, ctx := newGroup(t.Context())
	g.Go(func() error { return first })
	g.Go(func() error {
		<-ctx.Done() // the first error ends the others
		return errors.New("second")
	})
	g.Go(func() error { return nil })
	if err := g.Wait(); !errors.Is(err, first) {
		t.Errorf("got %v, want the first error", err)
	}
	if cause := context.Cause(ctx); !errors.Is(cause, first) {
		t.Errorf("the context ended with %v, want the first error", cause)
	}
}

func TestGroupWithoutAnError(t *testing.T) {
	g, ctx := newGroup(t.Context())
	g.Go(func() error { return ctx.Err() })
	if err := g.Wait(); err != nil {
		t.Errorf("got %v, want none", err)
	}
	if ctx.Err() == nil {
		t.Error("the context is not done after Wait")
	}
}

func TestGroupOfZeroValue(t *testing.T) {
	var g group
	if err := g.Wait(); err != nil {
		t.Errorf("got %v of nothing, want none", err)
	}
	want := errors.New("stopped")
	var stopping group
	for range 3 {
		stopping.Go(func() error { return want })
	}
	if err := stopping.Wait(); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
