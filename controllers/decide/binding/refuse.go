// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"maps"
	"slices"
	"time"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Refusal is that a cluster would not take the new copy of a binding.
type Refusal struct {
	// Cluster is the one that refused, Why its answer.
	Cluster, Why string
	Time         time.Time
	// Stays reports whether the old copy in a cluster is there and was not asked to go.
	Stays func(cluster string) bool
}

// Refuse removes a cluster that would not take the new copy from the targets of a binding,
// and counts that as a failure there, so that the cluster is excluded for a time. State
// that the copy was to get waits for the next cluster.
func (o Backoff) Refuse(b workv1alpha2.Binding, r Refusal) error {
	failures := o.FailuresNow(b, r.Time)
	failures[r.Cluster] = o.failed(b, failures[r.Cluster], r.Why, r.Time)
	if err := SetFailures(b, failures); err != nil {
		return err
	}
	return dropTarget(b, r.Cluster, r.Stays)
}

// dropTarget removes a cluster from the targets in which no copy was created. State that
// one there was to get waits for the next cluster, and the copy that was made with it keeps
// it.
func dropTarget(b workv1alpha2.Binding, cluster string, stays func(cluster string) bool) error {
	spec, carried := b.GetSpec(), CarriedStates(b)
	for i := range carried {
		if carried[i].To == cluster {
			carried[i].takeBack(stays(carried[i].From))
		}
	}
	spec.Clusters = slices.DeleteFunc(slices.Clone(spec.Clusters), func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
	return SetCarriedStates(b, carried)
}

// Refusals returns what the clusters answered that would not take the present template,
// by cluster, if a copy waits for a cluster that does: the binding is being evicted, and
// has no target, or too few of them.
func Refusals(b workv1alpha2.Binding) map[string]string {
	if spec := b.GetSpec(); !IsEvicting(spec) || !CopiesOf(spec).Stranded() && !isRefused(b) {
		return map[string]string{}
	}
	return refusing(b)
}

// KeepRefusals removes the failures of a binding that are no refusals: those of the
// application do not count where the policy does not move it.
func (o Backoff) KeepRefusals(b workv1alpha2.Binding, now time.Time) error {
	failures := o.FailuresNow(b, now)
	maps.DeleteFunc(failures, func(_ string, f Failure) bool { return f.Refused == "" })
	return SetFailures(b, failures)
}
