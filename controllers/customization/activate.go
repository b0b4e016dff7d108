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

// outcome is the result of the last generation of a customization that was compiled.
type outcome struct {
	uid        types.UID
	generation int64
	// err is why that generation is not active; nil if it is.
	err error
	// active is the generation whose scripts are active, and hash identifies these; 0
	// and "" if there are none.
	active int64
	hash   string
	// source are the active scripts.
	source engine.RuleSet
}

// outcomes holds the last outcome of each customization in this process; after a
// restart it is empty, whatever the status is. It is safe for many goroutines; the zero
// value is ready.
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

// activate compiles the scripts and puts them into the engine, all or none. A generation
// that was tried is not tried again.
func (c *Controller) activate(ctx context.Context, cr *configv1alpha1.ResourceInterpreterCustomization) outcome {
	log := ctrl.LoggerFrom(ctx)
	last := c.outcomes.get(cr.Name)
	if last.uid == cr.UID && last.generation == cr.Generation {
		return last
	}
	if last.uid != cr.UID && last.active > 0 { // deleted and created again
		c.remove(cr.Name)
		last = outcome{}
	}
	next := last
	next.uid, next.generation = cr.UID, cr.Generation
	rules, broken := c.Compiler.Customization(cr)
	if next.err = errors.Join(broken...); next.err == nil {
		next.err = c.Activator.Replace(engine.Customizations, last.source, rules, contentHash(cr))
	}
	if next.err == nil {
		next.active, next.hash, next.source = cr.Generation, contentHash(cr), rules
		log.Info("activated customization", "customization", cr.Name, "generation", cr.Generation, "hash", next.hash)
	} else {
		c.Activator.Refused(engine.Customizations)
		log.Info("refused customization", "customization", cr.Name, "generation", cr.Generation, "reason", next.err.Error())
	}
	c.outcomes.set(cr.Name, next)
	return next
}

// remove deactivates a customization; one that is not active is fine.
func (c *Controller) remove(name string) {
	last := c.outcomes.get(name)
	c.outcomes.forget(name)
	if last.active > 0 {
		c.Activator.Remove(engine.Customizations, last.source)
	}
}
