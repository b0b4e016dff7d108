// SPDX-License-Identifier: Apache-2.0

package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
)

// Input is what a control plane has, and what happens to it. Nothing in it is changed.
type Input struct {
	// Clusters, Bindings and TaintPolicies are all of the control plane.
	Clusters      []*clusterv1alpha1.Cluster
	Bindings      []workv1alpha2.Binding
	TaintPolicies []*policyv1alpha1.ClusterTaintPolicy
	// Rules returns the placement rules for a binding, nil if there are none; a nil Rules has none.
	Rules func(workv1alpha2.Binding) (placement.Rules, error)
	// Loss is what happens to clusters.
	Loss Loss
	// PurgeMode is for bindings whose policy has no spec.failover.cluster.
	PurgeMode policyv1alpha1.PurgeMode
	// Rate is how many evictions there are in a second; 0 means that nothing is evicted.
	Rate float64
	// UnhealthyShare is the share of the clusters, from 0 to 1, above which nothing is
	// evicted while more look unhealthy.
	UnhealthyShare float64
	// Selects limits which bindings are reported; nil selects all. The others take their
	// turns and their room all the same.
	Selects func(workv1alpha2.Binding) bool
	Now     time.Time
}

// Outcome is what would become of a binding.
type Outcome string

const (
	// Moves means that another cluster gets a copy or more replicas.
	Moves Outcome = "Moves"
	// WaitsForFence means that it moves once somebody confirms that nothing runs in the
	// cluster that it leaves, or the cluster is back.
	WaitsForFence Outcome = "WaitsForFence"
	// Nowhere means that it leaves and no cluster fits: the copies stay where they are.
	Nowhere Outcome = "Nowhere"
	// Shrinks means that it leaves and goes on in the clusters that it has besides.
	Shrinks Outcome = "Shrinks"
	// Stays means that it does not leave.
	Stays Outcome = "Stays"
)

// Target is a cluster that gets a copy, or more replicas.
type Target struct {
	Cluster string `json:"cluster"`
	// Replicas is how many more there are; 0 for an object that has none.
	Replicas int32 `json:"replicas,omitempty"`
}

// Preserved is the state that goes along from one cluster.
type Preserved struct {
	From   string            `json:"from"`
	Labels map[string]string `json:"labels,omitempty"`
	Values map[string]string `json:"values,omitempty"`
}

// Move is what would become of one binding.
type Move struct {
	// Object and Binding are kind and name, as in Deployment shop/web.
	Object  string  `json:"object"`
	Binding string  `json:"binding"`
	Outcome Outcome `json:"outcome"`
	// Message is why, where it does not move.
	Message   string                   `json:"message,omitempty"`
	From      []string                 `json:"from,omitempty"`
	To        []Target                 `json:"to,omitempty"`
	PurgeMode policyv1alpha1.PurgeMode `json:"purgeMode,omitempty"`
	// Seconds is after which time it leaves.
	Seconds *float64    `json:"seconds,omitempty"`
	State   []Preserved `json:"state,omitempty"`
	// Rejected is why each cluster was rejected, where none fits, worded to follow "the
	// cluster".
	Rejected map[string]string `json:"rejected,omitempty"`
	// Attached are the bindings of what it depends on, which go along.
	Attached []string `json:"attached,omitempty"`
}

// Changed is a cluster that something happens to.
type Changed struct {
	Name string `json:"name"`
	// Taints are those that it gets, as key=value:effect.
	Taints []string `json:"taints"`
}

// Report is what would happen.
type Report struct {
	Clusters []Changed `json:"clusters"`
	// Down means that the clusters cannot be reached.
	Down bool `json:"down"`
	// Stopped is why nothing is evicted, although it should be; empty if it is.
	Stopped string `json:"stopped,omitempty"`
	// Rate is how many evictions there are in a second, and Seconds after which time the
	// last one takes place.
	Rate    float64 `json:"rate"`
	Seconds float64 `json:"seconds"`
	// Moves are the bindings with a copy in one of the clusters: those that leave in the
	// order of their turns, then those that stay by name.
	Moves []Move `json:"bindings"`
}

// Count returns how many bindings have an outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for i := range r.Moves {
		if r.Moves[i].Outcome == o {
			n++
		}
	}
	return n
}

// simulation is an Input, prepared for look-ups.
type simulation struct {
	in Input
	// clusters are those after the loss, sorted by name.
	clusters []*clusterv1alpha1.Cluster
	byName   map[string]*clusterv1alpha1.Cluster
	lost     []*clusterv1alpha1.Cluster
	assumed  *schedule.Assumptions
	// attached are the names of the bindings that depend on each.
	attached map[types.NamespacedName][]string
}

// Simulate decides what would become of the bindings with a copy in the clusters that are
// lost. It fails if there is no such cluster, or if a binding holds what cannot be read.
func Simulate(in Input) (*Report, error) {
	s, err := begin(in)
	if err != nil {
		return nil, err
	}
	r := &Report{Down: in.Loss.Down, Rate: in.Rate, Moves: []Move{}}
	for _, c := range s.lost {
		i := slices.IndexFunc(in.Clusters, func(was *clusterv1alpha1.Cluster) bool { return was.Name == c.Name })
		r.Clusters = append(r.Clusters, Changed{Name: c.Name, Taints: added(in.Clusters[i], c)})
	}
	r.Stopped = s.stopped()
	var queue leave.Queue
	leaving := map[types.NamespacedName]workv1alpha2.Binding{}
	var stay []Move
	for _, b := range in.Bindings {
		if b.GetSpec().Placement == nil || !s.isConcerned(b) {
			continue
		}
		d, leaves := s.departure(b, in.Now)
		if leaves && r.Stopped == "" {
			queue.Set(d)
			leaving[d.Key] = b
			continue
		}
		m := s.newMove(b)
		m.Outcome, m.Message = Stays, r.Stopped
		if !leaves {
			m.Message = whyItStays(b, s.lost)
		}
		if in.selects(b) {
			stay = append(stay, m)
		}
	}
	err = s.takeTurns(&queue, leaving, func(b workv1alpha2.Binding, moves ...Move) {
		for i := range moves {
			if in.selects(b) {
				r.Moves = append(r.Moves, moves[i])
				r.Seconds = max(r.Seconds, *moves[i].Seconds)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(stay, func(a, b Move) int { return strings.Compare(a.Binding, b.Binding) })
	r.Moves = append(r.Moves, stay...)
	return r, nil
}

func (in *Input) selects(b workv1alpha2.Binding) bool { return in.Selects == nil || in.Selects(b) }

func begin(in Input) (*simulation, error) {
	s := &simulation{in: in, byName: map[string]*clusterv1alpha1.Cluster{}, assumed: &schedule.Assumptions{}, attached: map[types.NamespacedName][]string{}}
	var err error
	if s.clusters, err = in.Loss.apply(in.Clusters, in.TaintPolicies, in.Now); err != nil {
		return nil, err
	}
	for _, c := range s.clusters {
		s.byName[c.Name] = c
		if slices.Contains(in.Loss.Clusters, c.Name) {
			s.lost = append(s.lost, c)
		}
	}
	for _, b := range in.Bindings {
		for _, by := range binding.Dependents(b.GetSpec()) {
			key := types.NamespacedName{Namespace: by.Namespace, Name: by.Name}
			s.attached[key] = append(s.attached[key], s.newMove(b).Binding)
		}
	}
	return s, nil
}

// isConcerned reports whether a binding has a copy in one of the clusters that are lost.
func (s *simulation) isConcerned(b workv1alpha2.Binding) bool {
	return slices.ContainsFunc(b.GetSpec().Clusters, func(t workv1alpha2.TargetCluster) bool { return slices.Contains(s.in.Loss.Clusters, t.Name) })
}

// stopped returns why nothing is evicted.
func (s *simulation) stopped() string {
	if s.in.Rate == 0 {
		return "the rate of evictions is 0: nothing is evicted"
	}
	o := leave.OutlookOf(s.clusters, s.in.TaintPolicies)
	if !o.Exceeds(s.in.UnhealthyShare) {
		return ""
	}
	return fmt.Sprintf("%d of %d clusters look unhealthy, more than %.0f%%: the control plane is likelier at fault, and nothing is evicted",
		o.Unhealthy, o.All, 100*s.in.UnhealthyShare)
}
