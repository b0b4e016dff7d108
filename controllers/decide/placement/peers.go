// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"maps"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Peers are where the workloads are that are in the groups of a binding. The zero value is
// for a binding without groups. Its present targets are not checked against them, unless
// all is decided afresh: what others do moves nothing.
type Peers struct {
	// Together are the clusters that all placed workloads of its affinity group have; nil if
	// none is placed.
	Together map[string]bool
	// Apart are the clusters that any workload of its anti-affinity group has.
	Apart map[string]bool
}

// Add adds another binding of the namespace with its targets, for a binding with groups. One
// that is being deleted attracts nothing any more, and runs until it is gone.
func (p *Peers) Add(b, other workv1alpha2.Binding, targets []workv1alpha2.TargetCluster) {
	own, others := b.GetSpec().WorkloadAffinityGroups, other.GetSpec().WorkloadAffinityGroups
	if other.GetName() == b.GetName() || own == nil || others == nil {
		return
	}
	groups := *others
	if other.GetDeletionTimestamp() != nil {
		groups.AffinityGroup = ""
	}
	p.add(*own, groups, targets)
}

// add adds a workload with its groups and its targets. One without targets is passed over.
func (p *Peers) add(own, others workv1alpha2.WorkloadAffinityGroups, targets []workv1alpha2.TargetCluster) {
	if len(targets) == 0 {
		return
	}
	clusters := make(map[string]bool, len(targets))
	for i := range targets {
		clusters[targets[i].Name] = true
	}
	if own.AffinityGroup != "" && own.AffinityGroup == others.AffinityGroup {
		if p.Together == nil {
			p.Together = clusters
		} else {
			common := maps.Clone(p.Together)
			maps.DeleteFunc(common, func(name string, _ bool) bool { return !clusters[name] })
			p.Together = common
		}
	}
	if own.AntiAffinityGroup != "" && own.AntiAffinityGroup == others.AntiAffinityGroup {
		if p.Apart == nil {
			p.Apart = map[string]bool{}
		}
		maps.Copy(p.Apart, clusters)
	}
}

// reject returns why a cluster may not have the binding's object, or "" if it may.
func (p Peers) reject(cluster string) string {
	switch {
	case p.Together != nil && !p.Together[cluster]:
		return reasonTogether
	case p.Apart[cluster]:
		return reasonApart
	}
	return ""
}
