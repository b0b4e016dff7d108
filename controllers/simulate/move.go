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
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
)

// move decides where a binding goes that leaves clusters.
func (s *simulation) move(d *departure) (Move, error) {
	b := d.binding.DeepCopyObject().(workv1alpha2.Binding)
	spec := b.GetSpec()
	m := s.newMove(b)
	m.PurgeMode = binding.ClusterPurgeMode(spec, s.in.PurgeMode)
	m.Seconds = new(d.turn.Sub(s.in.Now).Seconds())
	state, problem := stateOf(b, d.leaves)
	if problem != nil {
		m.Outcome, m.Message = Stays, "its state cannot be preserved: "+problem.Error()
		return m, nil //nolint:nilerr // an answer: what becomes of the binding
	}
	before := slices.Clone(spec.Clusters)
	names := binding.TargetNames(spec)
	for _, u := range d.leaves {
		m.From = append(m.From, u.Cluster)
		if !state[u.Cluster].IsEmpty() {
			m.State = append(m.State, Preserved{From: u.Cluster, Labels: state[u.Cluster].Labels, Values: state[u.Cluster].Values})
		}
		if err := binding.Evict(b, binding.Eviction{
			Cluster: u.Cluster, Producer: workv1alpha2.EvictionProducerTaintManager, Reason: workv1alpha2.EvictionReasonTaintUntolerated,
			PurgeMode: m.PurgeMode, State: state[u.Cluster], Before: names, Time: d.turn,
		}); err != nil {
			return m, fmt.Errorf("evict %s from cluster %s: %w", m.Object, u.Cluster, err)
		}
	}
	return s.placed(m, b, before, d.turn)
}

// placed decides where a binding goes that has left clusters, with the targets that it had
// before.
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
func (s *simulation) view() scheduling.View {
	return scheduling.View{
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

// stateOf returns the state that the copies in clusters leave behind, by cluster: what they
// were to take over and have not, or what they reported and what is kept. What the script of
// the kind would name in the control plane is not among it. Like the controllers, it fails
// where a rule cannot be evaluated.
func stateOf(b workv1alpha2.Binding, leaves []binding.Untolerated) (map[string]binding.State, error) {
	f := b.GetSpec().Failover
	if f == nil || f.Cluster == nil {
		return nil, nil
	}
	all := map[string]binding.State{}
	for _, u := range leaves {
		state, err := preservation.Reported(b, f.Cluster.StatePreservation, u.Cluster)
		if err != nil {
			return nil, err
		}
		all[u.Cluster] = state
	}
	return all, nil
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
	m := Move{Object: titleOf(r.Kind, r.Namespace, r.Name), Attached: s.attached[keyOf(b)]}
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
