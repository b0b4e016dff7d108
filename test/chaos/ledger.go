// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// ledger records the copies in all members, what the control plane has stored of them, and
// what went wrong. All clusters share one store, so that the writes have one order: what it
// finds is exact, whatever was stopped or killed meanwhile. Its methods are called in the
// order of the revisions, and are safe for many goroutines.
type ledger struct {
	mu sync.Mutex
	// copies are those of each application, in the order in which they were created.
	copies map[string][]*copied
	// targets are those of the binding of each application.
	targets map[string][]string
	moves   []*move
	outages []*outage
	// problems are what went wrong, by the sort of it.
	problems map[string][]string
	// note is called with each thing that happened, for the log.
	note func(text string)
}

// The sorts of what can go wrong.
const (
	lostState   = "lost states"
	doubleCopy  = "double copies"
	lostCopy    = "lost copies"
	causeless   = "moves without a cause"
	stuck       = "failovers that did not end"
	panicked    = "panics of managers"
	unknownable = "failures of the checker"
)

// sorts are all of them, in the order of the report.
var sorts = []string{lostState, doubleCopy, lostCopy, causeless, stuck, panicked, unknownable}

const (
	// collection is how long an undisturbed control plane may take to store what a copy
	// reports: half a second by its documentation, and what a busy machine adds.
	collection = 5 * time.Second
	// settling is how long a copy must have been well before nothing may move it: a member
	// is asked before a copy is evicted, which may take this long.
	settling = 6 * time.Second
)

// moment is when something was stored, and when that was read.
type moment struct {
	revision int64
	time     time.Time
}

// sight is a version of a copy.
type sight struct {
	uid         types.UID
	state, mode string
	ok          bool
	job         string
}

// source is where the control plane has stored what it knows of a copy.
type source int

const (
	byBinding source = iota
	byWork
	sources
)

// copied is one copy of an application.
type copied struct {
	member string
	uid    types.UID
	mode   string
	// state is the label that it was created with.
	state string
	jobs  []*job
	// ok is what it reports, and since when; wasOK that it did once.
	ok, wasOK bool
	since     time.Time
	created   moment
	// left is when the binding had its member no more as a target, and gone when it was
	// removed; zero is not yet.
	left, gone moment
}

// job is a state that a copy reported.
type job struct {
	name     string
	reported time.Time
	// known is where the control plane stored it before the binding left the member, and
	// well where it did as that of a healthy copy.
	known, well [sources]bool
	// due means that it was there for so long that it must have been stored.
	due bool
}

// move is one failover.
type move struct {
	application, mode string
	from              *copied
	// broke is when the old copy reported that it failed; zero if it never was well. To is nil
	// until there is another.
	broke time.Time
	to    *copied
}

func newLedger(note func(string)) *ledger {
	return &ledger{copies: map[string][]*copied{}, targets: map[string][]string{}, problems: map[string][]string{}, note: note}
}

func (l *ledger) problem(sort, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.problems[sort] = append(l.problems[sort], text)
	l.note("PROBLEM (" + sort + ") " + text)
}

// failed records a problem that was found elsewhere.
func (l *ledger) failed(sort, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problem(sort, "%s", text)
}

// misread records that a value of the store could not be read.
func (l *ledger) misread(key string, err error) { l.failed(unknownable, key+": "+err.Error()) }

// saw records a version of a copy.
func (l *ledger) saw(at moment, member, name string, s sight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.present(name, member)
	if c != nil && c.uid != s.uid {
		l.remove(at, name, c)
		c = nil
	}
	if c == nil {
		c = &copied{member: member, uid: s.uid, mode: s.mode, state: s.state, created: at, since: at.time}
		l.arrive(at, name, c)
		l.copies[name] = append(l.copies[name], c)
	}
	l.progress(at, name, c, s)
}

// present returns the copy of an application in a member; nil if there is none.
func (l *ledger) present(name, member string) *copied {
	for _, c := range slices.Backward(l.copies[name]) {
		if c.member == member && c.isThere() {
			return c
		}
	}
	return nil
}

func (c *copied) isThere() bool { return c.gone.revision == 0 }

// progress records what a copy reports.
func (l *ledger) progress(at moment, name string, c *copied, s sight) {
	if last := c.last(); s.job != "" && (last == nil || last.name != s.job) {
		l.supersede(c, at)
		c.jobs = append(c.jobs, &job{name: s.job, reported: at.time})
		l.note(fmt.Sprintf("r%d %s in %s reports %s", at.revision, name, c.member, s.job))
	}
	if s.ok == c.ok {
		return
	}
	l.supersede(c, at)
	if c.ok, c.since = s.ok, at.time; s.ok {
		c.wasOK = true
		return
	}
	l.note(fmt.Sprintf("r%d %s failed in %s", at.revision, name, c.member))
	l.moves = append(l.moves, &move{application: name, mode: c.mode, from: c, broke: at.time})
}

// supersede determines whether the last state of a copy must have been stored, now that
// another one takes its place or the copy fails.
func (l *ledger) supersede(c *copied, at moment) {
	last := c.last()
	if last == nil || !c.ok || at.time.Sub(last.reported) < collection {
		return
	}
	last.due = last.due || !l.disturbed(last.reported, at.time)
}

func (c *copied) last() *job {
	if len(c.jobs) == 0 {
		return nil
	}
	return c.jobs[len(c.jobs)-1]
}

// arrive records a new copy: whether it may be there, and whether it has the state of the
// one before it.
func (l *ledger) arrive(at moment, name string, c *copied) {
	l.note(fmt.Sprintf("r%d %s came to %s with state %q", at.revision, name, c.member, c.state))
	for _, other := range l.copies[name] {
		switch {
		case !other.isThere():
		case c.mode == directly:
			l.problem(doubleCopy, "%s came to %s at revision %d while there was a copy in %s", name, c.member, at.revision, other.member)
		case other.left.revision == 0:
			l.problem(doubleCopy, "%s came to %s at revision %d while %s was still to have one", name, c.member, at.revision, other.member)
		}
	}
	if len(l.copies[name]) == 0 {
		return
	}
	before := l.copies[name][len(l.copies[name])-1]
	m := l.open(name)
	if m == nil {
		m = &move{application: name, mode: c.mode, from: before}
		l.moves = append(l.moves, m)
	}
	m.to = c
	if c.mode != directly {
		return
	}
	if wanted := before.accepts(); !slices.Contains(wanted, c.state) {
		l.problem(lostState, "%s came to %s at revision %d with state %q, want one of %q: %s", name, c.member, at.revision, c.state, wanted, before.describe())
	}
}

// open returns the move of an application that has no new copy yet.
func (l *ledger) open(name string) *move {
	for _, m := range slices.Backward(l.moves) {
		if m.application == name {
			if m.to == nil {
				return m
			}
			return nil
		}
	}
	return nil
}

// accepts returns the states with which the copy after one may be created.
//
// What the control plane has stored of a copy, as long as it was to have one there, must not be
// lost: the newest of these states, or one that the copy reported later. A copy that was never
// stored as healthy has not taken over the state that it was created with: as long as nothing
// else must have been stored, that is as good as its own.
func (c *copied) accepts() []string {
	oldest, isTaken := 0, c.state == ""
	for i, j := range c.jobs {
		if j.due || slices.Contains(j.well[:], true) {
			oldest, isTaken = i, true
		} else if slices.Contains(j.known[:], true) && isTaken {
			oldest = i
		}
	}
	var all []string
	if !isTaken || !slices.ContainsFunc(c.jobs, (*job).isKnown) {
		all = append(all, c.state)
	}
	for _, j := range c.jobs[min(oldest, len(c.jobs)):] {
		all = append(all, j.name)
	}
	return all
}

// isKnown reports whether the control plane has stored a state, or must have.
func (j *job) isKnown() bool { return j.due || slices.Contains(j.known[:], true) }

// describe returns what is known of the states of a copy.
func (c *copied) describe() string {
	text := fmt.Sprintf("the copy in %s had state %q", c.member, c.state)
	for _, j := range c.jobs {
		text += ", " + j.name
		for i, where := range []string{"binding", "work"} {
			switch {
			case j.well[i]:
				text += " (healthy in the " + where + ")"
			case j.known[i]:
				text += " (in the " + where + ")"
			}
		}
		if j.due {
			text += fmt.Sprintf(" (there for %s without a fault)", collection)
		}
	}
	return text
}

// bound records the targets of the binding of an application.
func (l *ledger) bound(at moment, name string, targets []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.targets[name]
	l.targets[name] = targets
	if !slices.Equal(before, targets) {
		l.note(fmt.Sprintf("r%d the targets of %s are %q", at.revision, name, targets))
	}
	for _, c := range l.copies[name] {
		switch isTarget := slices.Contains(targets, c.member); {
		case !c.isThere():
		case isTarget:
			c.left = moment{} // it came back, or was none yet
		case c.left.revision == 0:
			c.left = at
			if c.ok && at.time.Sub(c.since) > settling {
				l.problem(causeless, "%s was to leave %s at revision %d, where it had been well for %s", name, c.member, at.revision, at.time.Sub(c.since).Round(time.Second))
			}
		}
	}
}

// reported records what the control plane stored of a copy.
func (l *ledger) reported(by source, name, member string, r report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.present(name, member)
	if c == nil || c.left.revision != 0 || r.job == "" {
		return
	}
	for _, j := range c.jobs { // jobs have their names once in a run
		if j.name == r.job {
			j.known[by] = true
			j.well[by] = j.well[by] || r.well
		}
	}
}

// gone records the end of a copy.
func (l *ledger) gone(at moment, member, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.present(name, member); c != nil {
		l.remove(at, name, c)
	}
}

// remove records that a copy is gone, and whether it could go.
func (l *ledger) remove(at moment, name string, c *copied) {
	c.gone = at
	l.note(fmt.Sprintf("r%d %s is gone from %s", at.revision, name, c.member))
	successor := slices.ContainsFunc(l.copies[name], func(o *copied) bool { return o.isThere() && o.wasOK })
	switch {
	case c.left.revision == 0:
		l.problem(lostCopy, "%s was removed from %s at revision %d, where it was to stay", name, c.member, at.revision)
	case c.mode != directly && !successor:
		l.problem(lostCopy, "%s left %s Gracefully at revision %d, while no other copy had been well", name, c.member, at.revision)
	case len(l.targets[name]) == 0 && !successor:
		l.problem(lostCopy, "%s was removed from %s at revision %d, while it had no other cluster", name, c.member, at.revision)
	}
}

// only returns the copy of an application if there is one alone and it is well.
func (l *ledger) only(name string) (c copied, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found *copied
	for _, c := range l.copies[name] {
		switch {
		case !c.isThere():
		case found != nil || !c.ok:
			return copied{}, false
		default:
			found = c
		}
	}
	if found == nil {
		return copied{}, false
	}
	return *found, true
}

// isStored reports whether a binding reports the newest state of a copy as that of a healthy
// one.
func (l *ledger) isStored(name string, uid types.UID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.copies[name], func(c *copied) bool { return c.uid == uid })
	if i < 0 {
		return false
	}
	last := l.copies[name][i].last()
	return last != nil && last.well[byBinding]
}

// isGone reports whether a copy was removed.
func (l *ledger) isGone(name string, uid types.UID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.copies[name], func(c *copied) bool { return c.uid == uid })
	return i >= 0 && !l.copies[name][i].isThere()
}

// hasMoved reports whether a copy is gone, and another one is well or was.
func (l *ledger) hasMoved(name string, uid types.UID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var isGone, isWell bool
	for _, c := range l.copies[name] {
		if c.uid == uid {
			isGone = !c.isThere()
		} else {
			isWell = isWell || c.isThere() && c.wasOK
		}
	}
	return isGone && isWell
}
