// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/source"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// startKinds are the kinds that the policies select which were there at the start. It is safe
// for many goroutines; the zero value is empty.
type startKinds struct {
	mu  sync.Mutex
	all []schema.GroupVersionKind
}

func (s *startKinds) add(kinds []schema.GroupVersionKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range kinds {
		if !slices.Contains(s.all, kind) {
			s.all = append(s.all, kind)
		}
	}
}

func (s *startKinds) get() []schema.GroupVersionKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// announcing is a source of policies. Once it has listed them, and before any of them is
// reconciled, it has the kinds of all watched that they select: other controllers, which read
// templates from then on, wait for that.
type announcing[P policyv1alpha1.Policy] struct {
	source.SyncingSource
	controller *Controller[P]
	announced  func()
}

// WaitForSync returns when the policies were listed and their kinds are being watched.
func (a announcing[P]) WaitForSync(ctx context.Context) error {
	defer a.announced()
	if err := a.SyncingSource.WaitForSync(ctx); err != nil {
		return err
	}
	c := a.controller
	if _, err := c.Templates.Want(ctx, c.startOwner(), c.atStart.get()...); err != nil {
		// The policy that selects the kind is reconciled soon, and reports it.
		ctrl.LoggerFrom(ctx).V(1).Info("could not watch all kinds at the start", "controller", c.Name(), "reason", err.Error())
	}
	c.releaseStart()
	return nil
}

// releaseStart ends what is watched because of the start, once each policy wants its kinds
// itself.
func (c *Controller[P]) releaseStart() {
	if c.listed.empty() && len(c.Templates.Wanted(c.startOwner())) > 0 {
		c.Templates.Drop(c.startOwner())
	}
}

// startOwner is the name under which the kinds of all policies of the start are wanted.
func (c *Controller[P]) startOwner() string { return c.Name() + " at the start" }
