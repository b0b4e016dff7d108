// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

// outcome is what came of the last generation of a customization that was tried.
type outcome struct {
	uid        types.UID
	generation int64
	// err reports what is wrong with that generation; nil where it is active.
	err error
	// active is the generation whose scripts answer, and hash identifies these; 0 and
	// "" where there are none.
	active int64
	hash   string
	// source are the active scripts.
	source engine.RuleSet
}

// outcomes holds the last outcome of each customization. It is what this process did,
// which after a restart is nothing, whatever the status says. It is safe for many
// goroutines; the zero value is ready.
type outcomes struct {
	mu  sync.Mutex
	all map[string]outcome
}

func (o *outcomes) get(name string) outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[name]
}

func (o *outcomes) set(name string, last outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[string]outcome{}
	}
	o.all[name] = last
}

func (o *outcomes) forget(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, name)
}

// activate compiles the scripts and returns them to the engine, all or none. A
// generation that was tried is not tried again.
func (c *Controller) activate(ctx context.Context, cr *configv1alpha1.ResourceInterpreterCustomization) outcome {
	log := ctrl.LoggerFrom(ctx)
	last := c.outcomes.get(cr.Name)
	if last.uid == cr.UID && last.generation == cr.Generation {
		return last
	}
	if last.uid != cr.UID && last.active > 0 { // deleted, and made again under its name
		c.remove(cr.Name)
		last = outcome{}
	}
	next := last
	next.uid, next.generation = cr.UID, cr.Generation
	rules, broken := c.Compiler.Customization(cr)
	if next.err = errors.Join(broken...); next.err == nil {
		next.err = c.replace(last, rules, engine.ContentHash(cr))
	}
	if next.err == nil {
		next.active, next.hash, next.source = cr.Generation, engine.ContentHash(cr), rules
		log.Info("activated customization", "customization", cr.Name, "generation", cr.Generation, "hash", next.hash)
	} else {
		c.Metrics.Refused(engine.Customizations)
		log.Info("refused customization", "customization", cr.Name, "generation", cr.Generation, "reason", next.err.Error())
	}
	c.outcomes.set(cr.Name, next)
	return next
}

// replace puts rules in the place of those that are active. Where the engine refuses
// them, which it does to rules for operations that it does not know, those stay.
func (c *Controller) replace(last outcome, rules engine.RuleSet, hash string) error {
	c.Failures.begin(rules)
	c.Metrics.Activated(engine.Customizations, rules, hash)
	if err := c.Rules.Set(engine.Customizations, rules); err != nil {
		if last.active == 0 {
			c.Failures.forget(rules.Name)
			c.Metrics.Removed(engine.Customizations, rules.Name)
			return err
		}
		c.Failures.begin(last.source)
		c.Metrics.Activated(engine.Customizations, last.source, last.hash)
		return err
	}
	c.Changes.Replaced(last.source, rules)
	return nil
}

// remove takes a customization's scripts out of the engine; one that is not there is
// fine.
func (c *Controller) remove(name string) {
	last := c.outcomes.get(name)
	c.outcomes.forget(name)
	c.Failures.forget(name)
	c.Rules.Remove(engine.Customizations, name)
	c.Metrics.Removed(engine.Customizations, name)
	c.Changes.Replaced(last.source, engine.RuleSet{})
}
