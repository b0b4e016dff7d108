// SPDX-License-Identifier: Apache-2.0

package simulate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
)

// move makes a binding leave the clusters that it must leave now, and decides where it goes. It
// returns the binding as it is then, how many clusters it left, and what to report: the move, and why
// it stays where its state cannot be preserved.
func (s *simulation) move(d *leave.Departure, b workv1alpha2.Binding, now time.Time) (after workv1alpha2.Binding, left int, moves []Move, _ error) {
	after = b.DeepCopyObject().(workv1alpha2.Binding)
	m := s.newMove(after)
	m.PurgeMode = binding.ClusterPurgeMode(after.GetSpec(), s.in.PurgeMode)
	m.Seconds = new(now.Sub(s.in.Now).Seconds())
	states := map[string]binding.State{}
	evicted, failed := d.Evict(after, leave.Terms{
		PurgeMode: s.in.PurgeMode,
		// What the script of the kind would name in the control plane is not among it.
		State: func(rules *policyv1alpha1.StatePreservation, cluster string) (state binding.State, err error) {
			states[cluster], err = binding.ReportedState(after, rules, cluster)
			return states[cluster], err
		},
	}, now)
	if len(evicted) > 0 {
		m.From = evicted
		for _, from := range evicted {
			if state := states[from]; !state.IsEmpty() {
				m.State = append(m.State, Preserved{From: from, Labels: state.Labels, Values: state.Values})
			}
		}
		moved, err := s.placed(m, after, b.GetSpec().Clusters, now)
		if err != nil {
			return nil, 0, nil, err
		}
		moves = append(moves, moved)
	}
	if failed != nil {
		stays := s.newMove(b)
		stays.Outcome, stays.PurgeMode, stays.Seconds = Stays, m.PurgeMode, m.Seconds
		stays.Message = "it cannot be evicted: " + strings.ReplaceAll(failed.Error(), "\n", "; ")
		moves = append(moves, stays)
	}
	return after, len(evicted), moves, nil
}

// placed decides where a binding goes that has left clusters, with the targets that it had
// before, and writes its targets.
func (s *simulation) placed(m Move, b workv1alpha2.Binding, before []workv1alpha2.TargetCluster, now time.Time) (Move, error) {
	spec := b.GetSpec()
	if name := spec.SchedulerName; name != "" && name != policyv1alpha1.DefaultScheduler {
		m.Outcome, m.Message = Nowhere, fmt.Sprintf("the scheduler %s decides where it goes, which is not simulated", name)
		return m, nil
	}
	decided, err := s.assumed.Decide(b, now, s.view())
	if err != nil {
		return m, fmt.Errorf("place %s: %w", m.Object, err)
	}
	after := spec.Clusters
	if decided.Cause != placement.NotNeeded && decided.Problem == nil {
		after = decided.Clusters
	}
	spec.Clusters = slices.Clone(after)
	m.To = gained(before, after)
	switch {
	case decided.Problem != nil && len(after) == 0:
		m.Outcome, m.Message, m.Rejected = Nowhere, decided.Problem.Error(), rejectedBy(decided.Problem)
		if m.Rejected != nil {
			m.Message = ""
		}
	case decided.Problem != nil:
		m.Outcome, m.Message = Shrinks, fmt.Sprintf("it goes on in %s: %v", listed(targetNames(after)), decided.Problem)
	case len(m.To) == 0:
		m.Outcome, m.Message = Shrinks, "it goes on in "+listed(targetNames(after))
	case m.PurgeMode == policyv1alpha1.PurgeModeDirectly && len(s.unconfirmed(m.From)) > 0:
		m.Outcome = WaitsForFence
		m.Message = "nobody knows whether the copy in " + listed(s.unconfirmed(m.From)) + " runs on"
	default:
		m.Outcome = Moves
	}
	return m, nil
}

// view returns what decisions read: the clusters after the loss, and the bindings before it.
func (s *simulation) view() schedule.View {
	return schedule.View{
		Rules:    s.in.Rules,
		Clusters: func() ([]*clusterv1alpha1.Cluster, error) { return s.clusters, nil },
		Peers: func(b workv1alpha2.Binding) ([]workv1alpha2.Binding, error) {
			return slices.DeleteFunc(slices.Clone(s.in.Bindings), func(o workv1alpha2.Binding) bool { return o.GetNamespace() != b.GetNamespace() }), nil
		},
	}
}

// rejectedBy returns why each cluster was rejected, where the problem has that, worded to
// follow "the cluster".
func rejectedBy(problem error) map[string]string {
	var fit *placement.FitError
	if !errors.As(problem, &fit) {
		return nil
	}
	reasons := maps.Clone(fit.Reasons)
	for cluster, reason := range reasons {
		reason = strings.TrimPrefix(reason, "cluster(s) ")
		reasons[cluster] = strings.Replace(reason, "were ", "was ", 1)
	}
	return reasons
}

// unconfirmed returns those of the clusters that are down and not fenced: a copy that is
// evicted Directly is not known to be gone there.
func (s *simulation) unconfirmed(clusters []string) []string {
	if !s.in.Loss.Down {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(clusters), func(name string) bool {
		return !slices.Contains(s.in.Loss.Clusters, name) || binding.IsFenced(s.byName[name])
	})
}

// gained returns the targets that are new, or have more replicas than before.
func gained(before, after []workv1alpha2.TargetCluster) []Target {
	had := map[string]int32{}
	for _, t := range before {
		had[t.Name] = t.Replicas
	}
	var all []Target
	for _, t := range after {
		if replicas, target := had[t.Name]; !target || t.Replicas > replicas {
			all = append(all, Target{Cluster: t.Name, Replicas: t.Replicas - replicas})
		}
	}
	return all
}

func targetNames(targets []workv1alpha2.TargetCluster) []string {
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = targets[i].Name
	}
	return names
}

// newMove returns the move of a binding without a decision.
func (s *simulation) newMove(b workv1alpha2.Binding) Move {
	r := &b.GetSpec().Resource
	m := Move{Object: titleOf(r.Kind, r.Namespace, r.Name), Attached: s.attached[binding.KeyOf(b)]}
	if b.GetNamespace() == "" {
		m.Binding = titleOf("ClusterResourceBinding", "", b.GetName())
	} else {
		m.Binding = titleOf("ResourceBinding", b.GetNamespace(), b.GetName())
	}
	return m
}

// titleOf returns kind and name, as in Deployment shop/web.
func titleOf(kind, namespace, name string) string {
	return kind + " " + strings.TrimPrefix(namespace+"/"+name, "/")
}
