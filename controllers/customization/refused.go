// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

// refusal is a customization whose programs did not fit.
type refusal struct {
	name    string
	created metav1.Time
	// need is how much more than now would be in use with it, in bytes.
	need int64
	// room reports that it is to be tried again.
	room bool
}

// refusals are the customizations that wait for room. They are safe for many goroutines;
// the zero value is ready.
type refusals struct {
	mu  sync.Mutex
	all map[string]*refusal
	// least is at most what any of them needs.
	least int64
}

// record notes a customization that was refused because it does not fit, and forgets one
// with any other outcome.
func (r *refusals) record(cr *configv1alpha1.ResourceInterpreterCustomization, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var over *engine.OverBudgetError
	if !errors.As(err, &over) {
		delete(r.all, cr.Name)
		return
	}
	if len(r.all) == 0 {
		r.all, r.least = map[string]*refusal{}, math.MaxInt64
	}
	one := &refusal{name: cr.Name, created: cr.CreationTimestamp, need: over.Size - over.Replaced}
	r.all[cr.Name], r.least = one, min(r.least, one.need)
}

func (r *refusals) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, name)
}

// offer assigns the room that is left to those that fit, the oldest first, and returns the
// names of those that are to be tried again. It costs nothing if none fits, which it is
// mostly called for.
func (r *refusals) offer(used, bound int64) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == 0 || r.least > bound-used {
		return nil
	}
	var fitting []string
	r.least = math.MaxInt64
	for _, one := range slices.SortedFunc(maps.Values(r.all), byAge) {
		r.least = min(r.least, one.need)
		if used+one.need > bound {
			continue
		}
		used += one.need
		if !one.room {
			one.room = true
			fitting = append(fitting, one.name)
		}
	}
	return fitting
}

// takeRoom reports whether a customization is to be tried again, once.
func (r *refusals) takeRoom(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.all[name]
	if one == nil || !one.room {
		return false
	}
	delete(r.all, name)
	return true
}

// byAge orders the oldest first, and those of one second by name.
func byAge(a, b *refusal) int {
	return cmp.Or(a.created.Compare(b.created.Time), cmp.Compare(a.name, b.name))
}

// offerRoom reconciles the customizations again for which there is room now. It takes
// none of the locks that are held when rules are replaced.
func (c *Controller) offerRoom() {
	for _, name := range c.refused.offer(c.Activator.ProgramMemory()) {
		c.notify(name)
	}
}
