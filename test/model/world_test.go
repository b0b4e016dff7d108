// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"maps"
	"slices"
)

// memberNames are the members that there can be.
var memberNames = []string{"a", "b", "c", "d"}

// world is what the control plane cannot know but by asking: the members.
type world struct {
	// cut members cannot be reached, in broken ones the application does not become
	// healthy, full ones have no room, those that refuse take no write of the object.
	cut, broken, full, refuses map[string]bool

	copies map[string]*copied
	jobs   int
	// taken are the states that some copy was made with and was healthy.
	taken map[string]bool
}

// copied is a copy of the application in a member.
type copied struct {
	// madeWith is the state that it was created with, "" for none.
	madeWith string
	// job is the state that it reports: the job that runs since it became healthy last.
	job string
	// jobs are all states that it had.
	jobs []string
	// wasHealthy means that it was healthy at some time.
	wasHealthy bool
	// crashed means that it failed by itself.
	crashed bool
	// template is the version that it runs, bad one that cannot become healthy.
	template int
	bad      bool
	// deleting means that it is being deleted and still runs.
	deleting bool
	// off means that a person confirmed that it does not run any more; excepted that it does
	// not count until it is wanted again.
	off, excepted bool
}

func newWorld() world {
	return world{cut: map[string]bool{}, broken: map[string]bool{}, full: map[string]bool{}, refuses: map[string]bool{}, copies: map[string]*copied{}, taken: map[string]bool{}}
}

func (w *world) isHealthy(cluster string) bool {
	c := w.copies[cluster]
	return c != nil && !w.broken[cluster] && !c.crashed && !c.bad && !c.off
}

// evolve has copies become healthy: each begins a new job then.
func (w *world) evolve() {
	for _, cluster := range slices.Sorted(maps.Keys(w.copies)) {
		c := w.copies[cluster]
		if w.isHealthy(cluster) && (!c.wasHealthy || c.job == "") {
			w.begin(c)
			c.wasHealthy, w.taken[c.madeWith] = true, true
		}
	}
}

func (w *world) begin(c *copied) {
	w.jobs++
	c.job = fmt.Sprint(w.jobs)
	c.jobs = append(c.jobs, c.job)
}

// running returns the clusters in which copies run, as far as nobody confirmed that they
// do not.
func (w *world) running() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.copies)), func(cluster string) bool { return w.copies[cluster].excepted })
}
