// SPDX-License-Identifier: Apache-2.0

// Package failover decides from which clusters an application that stays unhealthy is evicted, and
// with which state. The controller of application failover and the model of failovers call it. It takes
// values and returns values; what time it is goes in.
package failover

import (
	"fmt"
	"maps"
	"slices"
	"time"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// View is what a decision reads beside the binding.
type View struct {
	// Works are those of the binding, whose status may not have their last reports yet. Of a binding in
	// which nothing is unhealthy they may be left out.
	Works []workv1alpha1.Work
	// Moves means that the object of the binding is moved by itself.
	Moves bool
	// Graceful means that evictions may wait until the new copy is healthy. Without it only Directly moves.
	Graceful bool
	// Backoff is for how long a cluster is not chosen in which the application failed.
	Backoff binding.Backoff
	// State returns what the copy in a cluster leaves behind by rules, which may be nil. An error keeps
	// the copy where it is.
	State func(rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error)
	// Confirmed reports whether the copy in a cluster is known to be unhealthy now; the binding has
	// what was known last. Nil means that each is.
	Confirmed func(cluster string) bool
}

// Plan is what becomes of a binding.
type Plan struct {
	// Write means that the spec or the annotations of the binding changed.
	Write bool
	// Evicted are the clusters that the application leaves.
	Evicted []string
	// Failed are those that it should leave and cannot. They stay targets, and their time keeps running.
	Failed []Failure
	// Incomplete are states of which a part does not fit and is left behind.
	Incomplete []error
	// Wait is when to decide again without an event; 0 is not.
	Wait time.Duration
}

// Failure is why a cluster could not be left.
type Failure struct {
	Cluster string
	Why     error
}

// again is the time after which a copy is looked at again whose report was not confirmed, or is not
// in the binding yet. The report that is on its way comes as an event.
const again = 5 * time.Second

// Wants reports whether the policy of a binding moves failed applications.
func Wants(b workv1alpha2.Binding) bool {
	f := b.GetSpec().Failover
	return f != nil && f.Application != nil
}

// MayDiffer reports whether what Works report may differ from what a binding is decided by: something is
// unhealthy in its status, or was.
func MayDiffer(b workv1alpha2.Binding) bool {
	return len(binding.UnhealthySince(b)) > 0 || slices.ContainsFunc(b.GetStatus().AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool {
		return i.Health == workv1alpha2.ResourceUnhealthy
	})
}

// Decide changes the spec and the annotations of a binding to what they should be. Its status gets newer
// reports of the Works, in memory. Where the policy does not move applications, or the object is none
// that is moved by itself, what was noted for that is dropped, so that times start again.
func Decide(b workv1alpha2.Binding, view View, now time.Time) (Plan, error) {
	before := maps.Clone(b.GetAnnotations())
	if !Wants(b) || !view.Moves {
		binding.SetMoved(b, false)
		return Plan{}.finish(b, before, binding.Unhealthy{}, view.Backoff.KeepRefusals(b, now))
	}
	behavior := b.GetSpec().Failover.Application
	if mode := behavior.PurgeMode.Canonical(); mode != policyv1alpha1.PurgeModeDirectly && !view.Graceful {
		return Plan{}, fmt.Errorf("purge mode %s needs the feature gate GracefulEviction", mode)
	}
	// 1. What is known of the copies, also where the binding has not been told yet.
	unread := binding.ReadHealthy(b, view.Works, now)
	before = maps.Clone(b.GetAnnotations()) // what was kept of them is written by the controller of the status
	// 2. Where it is unhealthy, since when, and where for too long.
	d := binding.FindUnhealthy(b.GetSpec(), b.GetStatus().AggregatedStatus, binding.UnhealthySince(b), binding.ProgressSeen(b), now)
	p := Plan{Wait: d.Wait}
	if unread {
		p.lookAgain() // no event may follow: what is reported next may be what the binding has
	}
	// 3. The eviction from each of these. One that fails does not delay the others.
	// Where nothing would replace a copy it stays, and its time runs on: what ends that is an event.
	targets, failures := binding.TargetNames(b.GetSpec()), view.Backoff.FailuresNow(b, now)
	if !binding.IsMovable(b) {
		d.Evict = nil
	}
	for _, cluster := range d.Evict {
		state, err := view.State(behavior.StatePreservation, cluster)
		if err != nil {
			p.Failed = append(p.Failed, Failure{cluster, fmt.Errorf("keep the state of cluster %s: %w", cluster, err)})
			continue
		}
		if view.Confirmed != nil && !view.Confirmed(cluster) {
			p.lookAgain()
			continue
		}
		if err := binding.Evict(b, binding.Eviction{
			Cluster: cluster, Producer: scope.EvictionProducer(b), Reason: workv1alpha2.EvictionReasonApplicationFailure,
			PurgeMode: behavior.PurgeMode, GracePeriodSeconds: behavior.GracePeriodSeconds, State: state, Before: targets, Time: now,
			Since: d.Since[cluster], Message: message(behavior), Warn: func(err error) { p.Incomplete = append(p.Incomplete, err) },
		}); err != nil {
			p.Failed = append(p.Failed, Failure{cluster, err})
			continue
		}
		// 4. Where it failed it does not return for a time, and what serves it goes along from now on.
		view.Backoff.Fail(failures, b, cluster, now)
		binding.SetMoved(b, true)
		delete(d.Since, cluster)
		delete(d.Seen, cluster)
		p.Evicted = append(p.Evicted, cluster)
	}
	return p.finish(b, before, d, binding.SetFailures(b, failures))
}

// lookAgain makes the binding be decided again soon.
func (p *Plan) lookAgain() {
	if p.Wait == 0 || again < p.Wait {
		p.Wait = again
	}
}

// finish notes on the binding since when it is unhealthy where, and returns the plan with whether that
// is worth a write.
func (p Plan) finish(b workv1alpha2.Binding, before map[string]string, d binding.Unhealthy, failed error) (Plan, error) {
	if failed != nil {
		return Plan{}, failed
	}
	if err := binding.SetUnhealthySince(b, d.Since, d.Seen); err != nil {
		return Plan{}, err
	}
	p.Write = len(p.Evicted) > 0 || !maps.Equal(before, b.GetAnnotations())
	return p, nil
}

// message returns why an application is evicted, for its history.
func message(behavior *policyv1alpha1.ApplicationFailoverBehavior) string {
	tolerated := "as long as the default tolerates"
	if s := behavior.DecisionConditions.TolerationSeconds; s != nil {
		tolerated = fmt.Sprintf("the %d s that the policy tolerates", *s)
	}
	return "the application was unhealthy for " + tolerated
}
