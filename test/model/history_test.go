// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// profile is what an application and its policy are like at the beginning.
type profile int

const (
	// single runs in one cluster and moves Directly.
	single profile = iota
	// double runs in two clusters and moves Directly.
	double
	// edited runs in one cluster under a policy that is edited, in all purge modes.
	edited
	// spread runs in one or two clusters under a policy that is edited, in all purge modes.
	spread
	// divided has replicas in up to two clusters that may be full, and moves Directly.
	divided
	profiles
)

// copies returns in how many clusters the application runs at the beginning.
func (p profile) copies() int {
	if p == double || p == divided {
		return 2
	}
	return 1
}

// isEdited reports whether its policy is edited.
func (p profile) isEdited() bool { return p == edited || p == spread }

// kind is a kind of event.
type kind int

const (
	// pass has time pass: n seconds.
	pass kind = iota
	// broken has the application fail in the cluster, or not any more.
	broken
	// crash has a copy fail that is well; it recovers by itself if n is odd.
	crash
	// cut has the cluster become unreachable, or reachable again.
	cut
	// full has the cluster be full, or empty again.
	full
	// template edits the template: n of 0 breaks it.
	template
	// refuse has the cluster take no object of the kind, or take them again.
	refuse
	// suspend has people suspend dispatching or scheduling, n chooses, or end that.
	suspend
	// place edits the placement: the cluster is excluded, or none.
	place
	// fence confirms that nothing runs in an unreachable cluster.
	fence
	// leave takes the cluster from the control plane, join brings back all that left.
	leave
	join
	// taint puts a NoExecute taint on the cluster, or removes it.
	taint
	// drain is taint with one that the application tolerates for a time.
	drain
	// policy edits the policy: n chooses how.
	policy
	// confirm sets suppressDeletion to false in a task.
	confirm
	// turbulence has controllers take n steps one by one, in any order: they read, and
	// write later, what was read may be outdated then, writes are lost or repeated, and
	// the manager ends.
	turbulence
	// restart ends the manager and starts another.
	restart
	// outage ends the manager after some turns, and what is healthy then in the cluster has
	// failed before another one starts.
	outage
	// renew has the copy in a cluster begin another job while it is healthy.
	renew
	// silent is crash after which the copy does not report its job any more, which may have
	// begun right before.
	silent
)

var kindNames = map[kind]string{
	pass: "pass", broken: "broken", crash: "crash", cut: "cut", full: "full", template: "template", refuse: "refuse", suspend: "suspend", place: "place", fence: "fence", leave: "leave",
	join: "join", taint: "taint", drain: "drain", policy: "policy", confirm: "confirm", turbulence: "turbulence", restart: "restart", outage: "outage", renew: "renew", silent: "silent",
}

func (k kind) String() string { return kindNames[k] }

// event is one thing that happens. What it cannot do at that moment it does not.
type event struct {
	kind kind
	// cluster is the number of a member.
	cluster, n int
	// order seeds the order in which controllers take their turns.
	order uint64
	// rests means that all controllers come to rest after it.
	rests bool
}

// history is an application and what happens to it.
type history struct {
	profile profile
	events  []event
}

// weights are how often each kind occurs.
var weights = []struct {
	kind   kind
	weight int
}{
	{pass, 10},
	{broken, 8},
	{crash, 4},
	{cut, 5},
	{full, 3},
	{template, 3},
	{refuse, 4},
	{suspend, 4},
	{place, 3},
	{fence, 3},
	{leave, 1},
	{join, 2},
	{taint, 5},
	{drain, 3},
	{policy, 3},
	{confirm, 2},
	{turbulence, 9},
	{restart, 2},
	{outage, 4},
	{renew, 4},
	{silent, 4},
}

// passes are how long time passes, in seconds.
var passes = []int{1, 20, 40, 61, 100, 240, 1200, 7200}

// draw returns the history of a seed.
func draw(seed uint64, n int) history {
	r := rand.New(rand.NewPCG(seed, 0))
	h := history{profile: profile(seed % uint64(profiles))}
	total := 0
	for _, w := range weights {
		total += w.weight
	}
	for range n {
		e := event{cluster: r.IntN(len(memberNames)), n: r.IntN(12), order: r.Uint64() % 1000, rests: r.IntN(3) > 0}
		at := r.IntN(total)
		for _, w := range weights {
			if at -= w.weight; at < 0 {
				e.kind = w.kind
				break
			}
		}
		if e.kind == pass {
			e.n = passes[r.IntN(len(passes))]
		}
		h.events = append(h.events, e)
	}
	return h
}

// run runs the history, and returns what went wrong, or "".
func (h history) run() string { return newRun(h, false).problem() }

// story runs the history, and returns all that happened.
func (h history) story() string {
	m := newRun(h, true)
	problem := m.problem()
	return strings.Join(append(m.log, problem), "\n")
}

// reduce returns a history without events that do not matter: it fails too, though maybe
// otherwise.
func (h history) reduce() history {
	for size := len(h.events) / 2; size > 0; {
		smaller := false
		for at := 0; at+size <= len(h.events); {
			shorter := history{profile: h.profile, events: append(append([]event{}, h.events[:at]...), h.events[at+size:]...)}
			if shorter.run() == "" {
				at += size
				continue
			}
			h, smaller = shorter, true
		}
		if !smaller || size > 1 {
			size /= 2
		}
	}
	return h
}

// String returns the history as the table of cases has it.
func (h history) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "{profile: %d, events: []event{\n", h.profile)
	for _, e := range h.events {
		fmt.Fprintf(&s, "\t{%s, %d, %d, %d, %t},\n", e.kind, e.cluster, e.n, e.order, e.rests)
	}
	return s.String() + "}}"
}
