// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// mostTries is how many choices of victims are tried for one binding at once: each after the first
// leaves out a victim that has nowhere to go.
const mostTries = 16

// preempts reports whether a binding may have others leave a cluster.
func (c *Controller[B]) preempts(b B) bool {
	return c.Gates != nil && c.Gates.Enabled(features.PriorityBasedPreemptiveScheduling) &&
		b.GetSpec().SchedulePriority != nil && b.GetAnnotations()[workv1alpha2.PreemptionPolicyAnnotation] != string(corev1.PreemptNever)
}

// copied is a copy of a binding in a cluster.
type copied[B workv1alpha2.Binding] struct {
	placement.Victim
	binding B
}

// preempt has copies of bindings of lower priority leave clusters, so that a binding has room there
// once they are gone. Each is evicted as its policy has it for failovers, and has its other place
// already: it is written with both, or stays. The binding itself waits for the room as before. changed
// reports that a victim was written by somebody else meanwhile. Without a shortage there is none.
func (c *Controller[B]) preempt(ctx context.Context, b B, s *placement.Shortage) (changed bool, _ error) {
	if s == nil {
		return false, nil
	}
	err := c.makeRoom(ctx, b, s)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

func (c *Controller[B]) makeRoom(ctx context.Context, b B, s *placement.Shortage) error {
	leaving, victims, err := c.victims(ctx, b, s)
	if err != nil {
		return err
	}
	for range mostTries {
		chosen, ok := s.Relieve(leaving, victimsOf(victims))
		if !ok || len(chosen) == 0 {
			return nil
		}
		moves, stuck, err := c.decideMoves(ctx, b, victims, chosen)
		if err != nil {
			return err
		}
		if stuck < 0 {
			return c.writeMoves(ctx, b, moves)
		}
		victims = slices.Delete(victims, stuck, stuck+1)
	}
	return nil
}

// victims returns the copies that leave the clusters which a binding may go to, and those of lower
// priority that could. Their bindings must not be changed.
func (c *Controller[B]) victims(ctx context.Context, b B, s *placement.Shortage) (leaving []placement.Victim, may []copied[B], _ error) {
	for _, cluster := range placement.Candidates(s.Input) {
		all, err := index.BindingsOfCluster(ctx, base.Cached{Reader: c.Client}, cluster)
		if err != nil {
			return nil, nil, fmt.Errorf("list the bindings in cluster %s: %w", cluster, err)
		}
		for _, other := range all {
			spec := other.GetSpec()
			if t := leavingTarget(spec, cluster); t != nil {
				leaving = append(leaving, placement.Victim{Cluster: cluster, Pods: placement.PodsOf(spec, t)})
			}
			if v, same := other.(B); same && valueOf(v) < valueOf(b) && isSettled(v) {
				may = append(may, c.copiesIn(v, cluster)...)
			}
		}
	}
	slices.SortStableFunc(may, func(a, b copied[B]) int {
		return strings.Compare(client.ObjectKeyFromObject(a.binding).String(), client.ObjectKeyFromObject(b.binding).String())
	})
	return leaving, may, nil
}

// copiesIn returns the copy of a binding in a cluster, if it has one with pods.
func (c *Controller[B]) copiesIn(b B, cluster string) []copied[B] {
	targets := b.GetSpec().Clusters
	at := slices.IndexFunc(targets, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	if at < 0 {
		return nil
	}
	pods := placement.PodsOf(b.GetSpec(), &targets[at])
	if len(pods) == 0 {
		return nil
	}
	return []copied[B]{{placement.Victim{Cluster: cluster, Priority: valueOf(b), Pods: pods}, b}}
}

// leavingTarget returns what a binding that is being evicted from a cluster has there; nil if it is
// not, or stays there.
func leavingTarget(spec *workv1alpha2.ResourceBindingSpec, cluster string) *workv1alpha2.TargetCluster {
	for _, d := range binding.Departures(spec) {
		if d.Cluster == cluster && !d.Unconfirmed {
			return &workv1alpha2.TargetCluster{Name: cluster, Replicas: d.Replicas}
		}
	}
	return nil
}

// isSettled reports whether a copy of a binding may be moved to another cluster: its placement asks
// for room, and not for each cluster, and nothing else moves it.
func isSettled(b workv1alpha2.Binding) bool {
	status := b.GetStatus()
	return isOurs(b) && placement.NeedsCapacity(b.GetSpec()) && !binding.IsEvicting(b.GetSpec()) &&
		meta.IsStatusConditionTrue(status.Conditions, workv1alpha2.Scheduled) && status.SchedulerObservedGeneration == b.GetGeneration()
}

func victimsOf[B workv1alpha2.Binding](all []copied[B]) []placement.Victim {
	out := make([]placement.Victim, len(all))
	for i := range all {
		out[i] = all[i].Victim
	}
	return out
}

// move is a binding that leaves a cluster for another one.
type move[B workv1alpha2.Binding] struct {
	from          string
	before, after B
	decision      schedule.Decision
	admission     *quotas.Reservation
}

// decideMoves decides where chosen victims go, and assumes it. stuck is the index of one that goes
// nowhere, or whose state cannot be collected; then nothing is assumed. It is -1 if there is none.
func (c *Controller[B]) decideMoves(ctx context.Context, b B, victims []copied[B], chosen []int) (moves []move[B], stuck int, _ error) {
	for _, i := range chosen {
		m, ok, err := c.decideMove(ctx, b, victims[i])
		if err == nil && ok {
			moves = append(moves, m)
			continue
		}
		for j := range moves {
			moves[j].drop()
		}
		return nil, i, err
	}
	return moves, -1, nil
}

func (c *Controller[B]) decideMove(ctx context.Context, b B, v copied[B]) (_ move[B], ok bool, _ error) {
	m := move[B]{from: v.Cluster, before: v.binding, after: v.binding.DeepCopyObject().(B)}
	works, err := index.Works(ctx, base.Cached{Reader: c.Client}, client.ObjectKeyFromObject(v.binding))
	if err != nil {
		return m, false, err
	}
	defer func() { m.after.GetStatus().AggregatedStatus = v.binding.GetStatus().DeepCopy().AggregatedStatus }() // another controller writes it
	now := c.Clock.Now()
	binding.ReadHealthy(m.after, works, now)
	if _, err := binding.TakeOver(m.after, v.Cluster); err != nil {
		return m, false, nil // another victim may do
	}
	mode, rules := leaveAs(m.after.GetSpec().Failover)
	if mode == policyv1alpha1.PurgeModeNever {
		return m, false, nil // it would leave no room
	}
	state, err := preservation.Collect(ctx, c.Deps, m.after, rules, v.Cluster)
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("left a binding where it is, since its state cannot be kept", "binding", binding.KeyOf(v.binding), "reason", err.Error())
		return m, false, nil
	}
	if err := binding.Evict(m.after, binding.Eviction{
		Cluster: v.Cluster, Producer: workv1alpha2.EvictionProducerScheduler, Reason: workv1alpha2.EvictionReasonPreempted,
		PurgeMode: mode, State: state, Before: binding.TargetNames(v.binding.GetSpec()), Time: now, Since: now,
		Message: fmt.Sprintf("%s of priority %d takes its room", title(b), valueOf(b)),
		Warn:    func(err error) { c.Warn(m.after, "StatePreservationIncomplete", "Failover", err) },
	}); err != nil {
		return m, false, nil // its state is too large to be carried; another victim may do
	}
	view := c.view(ctx)
	view.Shortages = false
	if m.decision, err = c.assumed.Decide(m.after, now, view); err != nil {
		return m, false, err
	}
	if !m.decision.Moves(m.after.GetSpec().Clusters) {
		m.decision.Undo()
		return m, false, nil
	}
	// A copy that leaves keeps its charge until it is gone.
	m.admission, err = c.admit(ctx, m.after, m.decision.Clusters)
	switch {
	case isExceeded(err):
		c.leave(v.binding) // it does not wait for that
		m.decision.Undo()
		return m, false, nil
	case err != nil:
		m.decision.Undo()
		return m, false, err
	}
	return m, true, nil
}

// drop gives back what a move has reserved.
func (m *move[B]) drop() {
	m.decision.Undo()
	m.admission.Drop()
}

// leaveAs returns how a binding leaves a cluster by its policy, and which state it takes along: as in
// a failover of the cluster, or else of the application.
func leaveAs(f *policyv1alpha1.FailoverBehavior) (mode policyv1alpha1.PurgeMode, rules *policyv1alpha1.StatePreservation) {
	switch {
	case f == nil:
	case f.Cluster != nil:
		mode, rules = f.Cluster.PurgeMode.Canonical(), f.Cluster.StatePreservation
	case f.Application != nil:
		mode, rules = f.Application.PurgeMode.Canonical(), f.Application.StatePreservation
	}
	if mode == "" {
		mode = policyv1alpha1.PurgeModeGracefully
	}
	return mode, rules
}

// writeMoves writes bindings that leave clusters. What changed meanwhile stays, and what it was to
// make room for is decided about once more.
func (c *Controller[B]) writeMoves(ctx context.Context, b B, moves []move[B]) error {
	var failed error
	for i := range moves {
		m := &moves[i]
		if failed != nil {
			m.drop()
			continue
		}
		c.Trail.Urgent(requeue.AboutBinding(client.ObjectKeyFromObject(m.after)))
		_, err := c.writeTargets(ctx, m.after, m.before, m.decision.Result)
		m.admission.Done(m.after, err)
		if err != nil {
			m.decision.Undo()
			failed = fmt.Errorf("move %s out of cluster %s: %w", title(m.before), m.from, err)
			continue
		}
		c.Failovers.Wrote(m.before, m.after)
		c.Events.Eventf(b, m.after, corev1.EventTypeNormal, "Preempting", "Schedule", "Moves %s of priority %d out of cluster %s", title(m.after), valueOf(m.after), m.from)
		c.Events.Eventf(m.after, b, corev1.EventTypeNormal, "Preempted", "Schedule", "Leaves cluster %s for %s of priority %d; goes to %s", m.from, title(b), valueOf(b), binding.FormatTargets(m.after.GetSpec().Clusters))
		ctrl.LoggerFrom(ctx).Info("moved a binding of lower priority", "moved", binding.KeyOf(m.after), "from", m.from)
	}
	return failed
}

// valueOf returns the priority of a binding: that of its policy's class, or 0.
func valueOf(b workv1alpha2.Binding) int32 {
	if p := b.GetSpec().SchedulePriority; p != nil {
		return p.Priority
	}
	return 0
}

// title names the object of a binding in a message.
func title(b workv1alpha2.Binding) string {
	r := &b.GetSpec().Resource
	return r.Kind + " " + strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")
}
