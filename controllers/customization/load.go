// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

// loading counts the customizations that Begin submitted and that were not tried yet.
type loading struct {
	left atomic.Int64
	// done is closed when none is left.
	done chan struct{}
}

func newLoading(n int) *loading {
	l := &loading{done: make(chan struct{})}
	l.left.Store(int64(n))
	if n == 0 {
		close(l.done)
	}
	return l
}

func (l *loading) one() {
	if l.left.Add(-1) == 0 {
		close(l.done)
	}
}

// Load is Begin, and then Wait.
func (c *Controller) Load(ctx context.Context) error {
	if err := c.Begin(ctx); err != nil {
		return err
	}
	return c.Wait(ctx)
}

// Begin has all customizations that exist activated, in another goroutine and without
// writing their status. When it returns, an operation of one that is not active yet
// answers with an error of code script.Pending, so that nobody uses an engine without
// them: a rule that retains a field must be there before the first write. It is called
// before any controller runs.
func (c *Controller) Begin(ctx context.Context) error {
	log := ctrl.LoggerFrom(ctx).WithName(c.Name())
	var list configv1alpha1.ResourceInterpreterCustomizationList
	if err := c.Reader.List(ctx, &list); err != nil {
		return fmt.Errorf("read the customizations: %w", err)
	}
	all := existing(list.Items)
	c.loading = newLoading(len(all))
	for _, cr := range all {
		if err := c.announce(cr); err != nil {
			return err
		}
	}
	later := c.later(all)
	attempts := make([]attempt, len(all))
	for i, cr := range all {
		attempts[i] = attempt{log: log.WithValues("customization", cr.Name), entry: c.ensure(cr), cr: cr, later: later[i], done: c.loading.one}
	}
	for _, a := range inOrder(attempts) {
		c.submit(a)
	}
	return nil
}

// inOrder sorts attempts as the queue would take them if it had them all: it takes the first
// that is submitted at once, and a long one would hold up those that come after it.
func inOrder(attempts []attempt) []attempt {
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.expected(), b.expected()) })
	return attempts
}

// Wait returns when all that Begin submitted is active or refused, or ctx has ended. What
// is left then stays pending.
func (c *Controller) Wait(ctx context.Context) error {
	select {
	case <-c.loading.done:
	case <-ctx.Done():
		if left := c.loading.left.Load(); left > 0 {
			ctrl.LoggerFrom(ctx).WithName(c.Name()).Info("started before all customizations were compiled; the others answer with an error until they are", "others", left)
		}
	}
	return nil
}

// existing lists the customizations that are not being deleted, the oldest first.
func existing(items []configv1alpha1.ResourceInterpreterCustomization) []*configv1alpha1.ResourceInterpreterCustomization {
	var all []*configv1alpha1.ResourceInterpreterCustomization
	for i := range items {
		if items[i].DeletionTimestamp == nil {
			all = append(all, &items[i])
		}
	}
	slices.SortFunc(all, func(a, b *configv1alpha1.ResourceInterpreterCustomization) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// announce has the operations of a customization answer that they are pending.
func (c *Controller) announce(cr *configv1alpha1.ResourceInterpreterCustomization) error {
	e := c.ensure(cr)
	e.mu.Lock()
	defer e.mu.Unlock()
	return c.announceAs(e, engine.Pending(cr))
}

// announceAs activates rules that are pending for an entry. The lock of the entry is held.
func (c *Controller) announceAs(e *entry, pending engine.RuleSet) error {
	if err := c.Activator.Announce(engine.Customizations, pending); err != nil {
		return fmt.Errorf("announce customization %s: %w", pending.Name, err)
	}
	e.outcome.source, e.outcome.pending = pending, true
	return nil
}

// reading are the operations that only report what runs: nothing that they answer is written to a
// member.
var reading = []engine.Op{engine.InterpretHealth, engine.InterpretStatus, engine.AggregateStatus, engine.InterpretState}

// appeared has a customization that is new activated, before any worker of this controller
// gets to it: a template that was applied right after it must not be propagated by what was
// known before.
func (c *Controller) appeared(ctx context.Context, cr *configv1alpha1.ResourceInterpreterCustomization) {
	if cr.DeletionTimestamp != nil {
		return
	}
	log := ctrl.LoggerFrom(ctx).WithName(c.Name()).WithValues("customization", cr.Name)
	e := c.ensure(cr)
	if err := c.announceIfNew(e, cr); err != nil {
		log.V(1).Info("did not announce the customization", "reason", err.Error()) // its compilation reports that
	}
	c.submit(attempt{log: log, entry: e, cr: cr})
}

// announceIfNew has the operations by which a customization decides what is written to members
// answer that they are pending, if none of its generations was submitted yet. Those that are
// known of the kind are answered as before until it is compiled, which may take minutes.
func (c *Controller) announceIfNew(e *entry, cr *configv1alpha1.ResourceInterpreterCustomization) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.submitted > 0 || e.removed || e.outcome.pending {
		return nil
	}
	pending, known, decides := engine.Pending(cr), c.Interpreter.Snapshot(), 0
	for kind, rules := range pending.Kinds {
		maps.DeleteFunc(rules, func(op engine.Op, _ *engine.Rule) bool {
			return slices.Contains(reading, op) || known.Knows(kind, op)
		})
		decides += len(rules)
	}
	if decides == 0 {
		return nil
	}
	return c.announceAs(e, pending)
}

// later returns how much later than by their length customizations are compiled, which
// are sorted by age. Those that may not fit into what the programs of older ones leave
// come after these, one after the other, so that whatever is compiled first, the newest
// are refused, and after each start the same.
func (c *Controller) later(all []*configv1alpha1.ResourceInterpreterCustomization) []time.Duration {
	const step = time.Hour // longer than all others together
	used, bound := c.Activator.ProgramMemory()
	later, n := make([]time.Duration, len(all)), 0
	for i, cr := range all {
		if used += c.Compiler.MaxProgramMemory(cr); used > bound {
			n++
			later[i] = time.Duration(n) * step
		}
	}
	return later
}
