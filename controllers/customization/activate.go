// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"errors"
	"time"

	"github.com/go-logr/logr"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// attempt is one generation of a customization on its way into the engine.
type attempt struct {
	log   logr.Logger // names the customization
	entry *entry
	// cr must not change: it is read in another goroutine.
	cr *configv1alpha1.ResourceInterpreterCustomization
	// later has it wait for those with less, beside what its scripts are expected to take.
	later time.Duration
	// done, which may be nil, is called when the generation was tried. It is not if it was
	// replaced by another one, or dropped, before that.
	done func()
}

// ensure returns the entry of a customization. One that was deleted and created again is
// another one: what its namesake had active goes.
func (c *Controller) ensure(cr *configv1alpha1.ResourceInterpreterCustomization) *entry {
	e := c.entries.get(cr.Name)
	if e != nil && e.uid != cr.UID {
		c.remove(cr.Name)
		e = nil
	}
	if e == nil {
		e = c.entries.create(cr.Name, cr.UID)
	}
	return e
}

// submit has a generation activated soon, in another goroutine, in place of the one
// before that waits. A generation that waits, or was tried, is not tried again, other
// than one that was refused for want of room, once there is room.
func (c *Controller) submit(a attempt) {
	room := c.refused.takeRoom(a.cr.Name)
	a.entry.mu.Lock()
	defer a.entry.mu.Unlock()
	if a.entry.submitted == a.cr.Generation && !room {
		return
	}
	a.entry.submitted, a.entry.since = a.cr.Generation, c.now()
	c.Activator.See(a.entry.uid)
	if room {
		a.entry.outcome.generation = 0
	}
	c.Activator.Submit(queueKey(a.cr.Name), a.expected(), func() {
		c.activate(a)
		if a.done != nil {
			a.done()
		}
	})
}

// expected returns what the queue is told about how long the attempt takes.
func (a attempt) expected() time.Duration { return expected(a.cr) + a.later }

// queueKey is the name of a customization in the queue.
func queueKey(name string) string { return "customization/" + name }

// expected returns about how long the scripts of a customization take to be compiled, by
// their length: before it is known, short ones go first.
func expected(cr *configv1alpha1.ResourceInterpreterCustomization) time.Duration {
	sum := 100 * time.Microsecond
	for _, s := range cr.Spec.Customizations.Scripts() {
		if s != nil {
			sum += time.Duration(len(s.LuaScript)+len(s.CELExpression)) * time.Microsecond
		}
	}
	return sum
}

// activate compiles the scripts and puts them into the engine, all or none, unless the
// customization is gone meanwhile.
func (c *Controller) activate(a attempt) {
	rules, err := c.rules(a)
	if before, replaced := c.replace(a, rules, err); replaced {
		c.notifyOthers(a.cr.Name, before, rules)
	}
}

// replace is activate for scripts that were compiled. It returns those that were active before.
func (c *Controller) replace(a attempt, rules engine.RuleSet, err error) (before engine.RuleSet, replaced bool) {
	a.entry.mu.Lock()
	defer a.entry.mu.Unlock()
	if a.entry.removed {
		return before, false
	}
	before = a.entry.outcome.source
	hash := contentHash(a.cr)
	if err == nil {
		err = c.Activator.Replace(engine.Customizations, a.entry.outcome.source, rules, hash)
	}
	log := a.log.WithValues("generation", a.cr.Generation)
	if err == nil {
		a.entry.outcome = outcome{generation: a.cr.Generation, active: a.cr.Generation, hash: hash, source: rules}
		log.Info("activated customization", "hash", hash)
	} else {
		c.refuse(a, err)
		log.Info("refused customization", "reason", base.Clip(err.Error(), maxMessage))
	}
	c.refused.record(a.cr, err)
	c.offerRoom() // there may be some since the engine looked
	c.notify(a.cr.Name)
	return before, err == nil
}

// refuse records why a generation is not active. The one before stays; rules that are
// pending have nothing to wait for any more. The lock of the entry is held.
func (c *Controller) refuse(a attempt, err error) {
	c.Activator.Refused(engine.Customizations)
	o := &a.entry.outcome
	o.generation, o.err = a.cr.Generation, err
	if o.pending {
		c.Activator.Remove(engine.Customizations, o.source)
		o.source, o.pending = engine.RuleSet{}, false
	}
}

// rules compiles the scripts, unless what they may take in memory does not fit. A defect
// of the compiler is an error of this customization, and does not end the process.
func (c *Controller) rules(a attempt) (rules engine.RuleSet, err error) {
	if err := c.Activator.Fits(engine.Customizations, a.cr.Name, c.Compiler.MaxProgramMemory(a.cr)); err != nil {
		return engine.RuleSet{}, err
	}
	rules, err = c.compiled(a.cr)
	if stack := base.Stack(err); stack != nil {
		a.log.Error(err, "the compiler failed", stack...)
	}
	return rules, err
}

func (c *Controller) compiled(cr *configv1alpha1.ResourceInterpreterCustomization) (rules engine.RuleSet, err error) {
	defer script.Recover(&err, script.Position{}, "the compilation")
	rules, broken := c.compile(cr)
	return rules, errors.Join(broken...)
}

// remove deactivates a customization; one that is not active is fine. What is being
// compiled for it is dropped.
func (c *Controller) remove(name string) {
	c.Activator.Drop(queueKey(name))
	e := c.entries.take(name)
	if e == nil {
		return
	}
	c.Activator.Forget(e.uid)
	c.notifyOthers(name, c.deactivate(name, e))
}

// deactivate takes the scripts of an entry out of the engine, and returns them.
func (c *Controller) deactivate(name string, e *entry) engine.RuleSet {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.removed = true
	c.refused.forget(name) // no more is recorded of it
	if e.outcome.active > 0 || e.outcome.pending {
		c.Activator.Remove(engine.Customizations, e.outcome.source)
	}
	return e.outcome.source
}

// now returns the time.
func (c *Controller) now() time.Time {
	if c.Clock == nil {
		return time.Now()
	}
	return c.Clock.Now()
}
