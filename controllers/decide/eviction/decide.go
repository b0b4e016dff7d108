// SPDX-License-Identifier: Apache-2.0

// Package eviction decides how evictions go on and end: which state goes along as long as the old
// copy runs, which tasks are done, and which evictions are taken back. The controller of evictions
// and the model of failovers call it. It takes values and returns values; what time it is goes in.
package eviction

import (
	"time"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// View is what a decision reads beside the binding.
type View struct {
	// Works are all those of the binding.
	Works []workv1alpha1.Work
	// Timeout is that of tasks without a grace period.
	Timeout time.Duration
	// Carries means that failovers carry state over.
	Carries bool
	// NamesState reports whether a script names the state of the kind of the binding's template.
	NamesState func() bool
	// Seen returns when phases of running failovers were seen, those included that are seen now:
	// the copies in these targets are applied.
	Seen func(applied []string) binding.Observed
}

// Plan is what becomes of a binding.
type Plan struct {
	// Write means that the spec or the annotations of the binding changed, and are worth a write.
	Write bool
	// Done are the clusters whose eviction ends, Restored those whose eviction is taken back.
	Done, Restored []string
	// TooLarge are the states that do not fit, in whose place those before stay.
	TooLarge []error
	// Wait is when to decide again without an event; 0 is not.
	Wait time.Duration
}

// lag is when a decision is made again that found reports of copies that are gone: the Works may be
// older than the status of the binding.
const lag = time.Second

// Decide changes the spec, the annotations and the status of a binding to what they should be. What
// it changes in the status, the reports of copies that are gone, is not to be written.
func Decide(b workv1alpha2.Binding, view View, now time.Time) (Plan, error) {
	var p Plan
	// 1. Reports of copies that are gone say nothing.
	if binding.DropGone(b, view.Works) {
		p.Wait = lag
	}
	// 2. Which copies were made with the state that is carried over.
	noted, err := binding.NoteCopies(b, view.Works)
	if err != nil {
		return Plan{}, err
	}
	// 3. The state of copies that run on although they were evicted.
	var renewed bool
	if view.Carries {
		var wait time.Duration
		if renewed, wait, p.TooLarge, err = Renew(b, view.Works, view.NamesState, now); err != nil {
			return Plan{}, err
		}
		p.Wait = earliest(wait, p.Wait)
	}
	// 4. Which evictions end, and which are taken back.
	v := binding.Assess(b, view.Timeout, now)
	v.Hold(b.GetSpec(), view.Works)
	p.Wait = earliest(v.Wait, p.Wait)
	// 5. What that makes of the failovers in the history.
	history, ended := v.Progress(b, view.Seen(binding.AppliedTargets(b)), now)
	changed, err := v.Apply(b)
	if err != nil {
		return Plan{}, err
	}
	p.Write = changed || ended || noted || renewed
	p.Done = v.Done
	for i := range v.Restore {
		p.Restored = append(p.Restored, v.Restore[i].Name)
	}
	// 6. Phases alone are worth no write, but go along with one.
	if p.Write && len(history) > 0 {
		err = binding.SetHistory(b, history)
	}
	return p, err
}

// earliest returns the shorter of two times to wait; 0 is none.
func earliest(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
