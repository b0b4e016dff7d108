// SPDX-License-Identifier: Apache-2.0

package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// departure is that a binding leaves clusters.
type departure struct {
	binding workv1alpha2.Binding
	// leaves are the clusters with their taints, the earliest due first.
	leaves   []binding.Untolerated
	priority int32
	// since is when the oldest of the taints was added.
	since time.Time
	// turn is when it is evicted.
	turn time.Time
}

// due is when the first cluster is left.
func (d *departure) due() time.Time { return d.leaves[0].Due }

// departureOf returns which clusters a binding leaves, of those in the loss; false where it
// leaves none.
func departureOf(b workv1alpha2.Binding, clusters map[string]*clusterv1alpha1.Cluster, now time.Time) (departure, bool) {
	if !binding.IsMovable(b) {
		return departure{}, false
	}
	found := binding.FindUntolerated(b.GetSpec(), func(name string) []corev1.Taint {
		if c := clusters[name]; c != nil && c.DeletionTimestamp == nil {
			return binding.TaintsOf(c)
		}
		return nil
	}, now)
	if len(found) == 0 {
		return departure{}, false
	}
	slices.SortStableFunc(found, func(a, b binding.Untolerated) int { return a.Due.Compare(b.Due) })
	d := departure{binding: b, leaves: found, since: found[0].Since}
	for i := range found {
		if found[i].Since.Before(d.since) {
			d.since = found[i].Since
		}
	}
	if p := b.GetSpec().SchedulePriority; p != nil {
		d.priority = p.Priority
	}
	return d, true
}

// whyItStays returns why a binding leaves none of the clusters that are lost.
func whyItStays(b workv1alpha2.Binding, lost []*clusterv1alpha1.Cluster) string {
	spec := b.GetSpec()
	switch {
	case b.GetDeletionTimestamp() != nil:
		return "it is being deleted"
	case spec.Suspension != nil && spec.Suspension.Scheduling != nil && *spec.Suspension.Scheduling:
		return "its scheduling is suspended, by spec.suspension.scheduling of the binding"
	case !binding.IsMovable(b):
		return "no policy has it scheduled any more"
	}
	var reasons []string
	for _, c := range lost {
		if !slices.Contains(binding.TargetNames(spec), c.Name) {
			continue
		}
		taints := noExecute(c)
		if len(taints) == 0 {
			return fmt.Sprintf("cluster %s has no NoExecute taint, and no other has anything leave", c.Name)
		}
		reasons = append(reasons, "it tolerates "+strings.Join(taints, ", "))
	}
	return strings.Join(slices.Compact(reasons), "; ")
}

// noExecute returns the NoExecute taints of a cluster as text.
func noExecute(c *clusterv1alpha1.Cluster) []string {
	var all []string
	for _, t := range c.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoExecute {
			all = append(all, t.ToString())
		}
	}
	return all
}

// compare is the order in which those that are due take their turns: by priority, by the
// age of the taint, by name.
func (d *departure) compare(other *departure) int {
	return cmp.Or(
		cmp.Compare(other.priority, d.priority), d.since.Compare(other.since),
		strings.Compare(d.binding.GetNamespace(), other.binding.GetNamespace()), strings.Compare(d.binding.GetName(), other.binding.GetName()))
}

// takeTurns sets when each departure has its turn, and returns them in that order. rate is
// how many clusters are left in a second by all bindings together, above 0. The first goes
// at once.
func takeTurns(all []departure, rate float64, now time.Time) []departure {
	waiting := slices.SortedFunc(slices.Values(all), func(a, b departure) int { return a.compare(&b) })
	interval := time.Duration(float64(time.Second) / rate)
	turns := make([]departure, 0, len(all))
	for free := now; len(waiting) > 0; {
		i := slices.IndexFunc(waiting, func(d departure) bool { return !d.due().After(free) })
		if i < 0 {
			next := slices.MinFunc(waiting, func(a, b departure) int { return a.due().Compare(b.due()) })
			free = next.due()
			continue
		}
		d := waiting[i]
		waiting = slices.Delete(waiting, i, i+1)
		d.turn = free
		turns = append(turns, d)
		free = free.Add(time.Duration(len(d.leaves)) * interval)
	}
	return turns
}
