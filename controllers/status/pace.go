// SPDX-License-Identifier: Apache-2.0

package status

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// coalesce is how long changes of a binding's status are collected after one was
	// written. The first after a rest is written at once.
	coalesce = 250 * time.Millisecond
	// settle is how long reports that are on their way are waited for, after the binding or
	// its Works have changed. With them it is one write.
	settle = 5 * time.Second
	// patience is how long they are waited for at most, however often something changes,
	// and while there is nothing to say but that nothing was reported yet.
	patience = 30 * time.Second
	// keep is how long a status waits that would lose state, after some was kept: a state
	// that comes and goes costs no more than that. A copy whose health changes does not wait.
	keep = 10 * time.Second
	// sweep is the time after which what is not needed any more is dropped.
	sweep = 10 * time.Second
)

// reports are what the Works of a binding report, as far as it matters to when that is
// written.
type reports struct {
	// settled means that none is on its way.
	settled bool
	// behind means that the binding has changed since its status was written, and made that Works
	// were made of it since then.
	behind, made bool
	// urgent means that something failed, or works again, or that a copy that was
	// reported has another health. Users and failovers must see it.
	urgent bool
	// empty means that nothing was reported, now or before.
	empty bool
	// generation is that of the binding; works changes with the content of the Works.
	generation, works int64
}

// pace determines when the changed status of a binding is written. It is safe for many
// goroutines; the zero value is ready.
type pace struct {
	mu    sync.Mutex
	times map[types.UID]times
	swept time.Time
}

type times struct {
	// written is when the status was written last, and kept when state was kept; zero is
	// never.
	written, kept time.Time
	// waiting is since when reports are on their way, and progress when something changed
	// meanwhile: the binding or its Works. Zero is not at all.
	waiting, progress time.Time
	generation, works int64
	// rendered means that the Works changed since the reports are waited for, settled that
	// none was on its way when that was looked at last.
	rendered, settled bool
}

// wait returns how long to wait before a changed status is written; 0 is not at all. It is
// called for each reconcile, with a changed status or not.
func (p *pace) wait(id types.UID, r reports, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(now)
	t := p.times[id].observe(r, now)
	p.set(id, t)
	until := t.written.Add(coalesce)
	// A binding that changed has its Works rendered in a moment.
	complete := r.settled && (!r.behind || r.made || t.rendered)
	if late := t.late(r.empty); !complete && !r.urgent && late.After(until) {
		until = late
	}
	return max(0, until.Sub(now))
}

// observe returns the times after a look at what the Works report.
func (t times) observe(r reports, now time.Time) times {
	edited := r.generation != t.generation && t.written.After(t.waiting)
	switch {
	case r.settled && !r.behind:
		return times{written: t.written, kept: t.kept}
	case t.waiting.IsZero(), edited:
		t.waiting, t.progress, t.rendered = now, now, !r.settled
	case r.generation != t.generation || r.works != t.works:
		t.progress, t.rendered = now, true
	}
	t.rendered = t.rendered || !r.settled
	t.generation, t.works, t.settled = r.generation, r.works, r.settled
	return t
}

// late returns when reports that are on their way are not waited for any longer.
func (t times) late(empty bool) time.Time {
	late, last := t.progress.Add(settle), t.waiting.Add(patience)
	if empty || late.After(last) {
		return last
	}
	return late
}

// wrote records that a status was written.
func (p *pace) wrote(id types.UID, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.times[id]
	t.written = now
	if t.settled {
		t = times{written: now, kept: t.kept} // nothing is on its way any more
	}
	p.set(id, t)
}

// keepAfter returns how long to wait before state is kept; 0 is not at all.
func (p *pace) keepAfter(id types.UID, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.times[id].kept.Add(keep).Sub(now))
}

// kept records that state was kept.
func (p *pace) kept(id types.UID, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.times[id]
	t.kept = now
	p.set(id, t)
}

func (p *pace) forget(id types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.times, id)
}

func (p *pace) set(id types.UID, t times) {
	if p.times == nil {
		p.times = map[types.UID]times{}
	}
	p.times[id] = t
}

// drop removes the times that do not matter any more.
func (p *pace) drop(now time.Time) {
	if now.Sub(p.swept) < sweep {
		return
	}
	p.swept = now
	for id, t := range p.times {
		if t.waiting.IsZero() && now.Sub(t.written) >= coalesce && now.Sub(t.kept) >= keep {
			delete(p.times, id)
		}
	}
}
