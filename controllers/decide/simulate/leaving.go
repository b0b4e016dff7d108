// SPDX-License-Identifier: Apache-2.0

package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/leave"
)

// departure returns which clusters a binding leaves; false where it leaves none.
func (s *simulation) departure(b workv1alpha2.Binding, now time.Time) (leave.Departure, bool) {
	return leave.Of(b, func(name string) []corev1.Taint { return leave.Taints(s.byName[name]) }, now)
}

// whyItStays returns why a binding leaves none of the clusters that are lost.
func whyItStays(b workv1alpha2.Binding, lost []*clusterv1alpha1.Cluster) string {
	spec := b.GetSpec()
	switch {
	case b.GetDeletionTimestamp() != nil:
		return "it is being deleted"
	case binding.SchedulingSuspended(spec):
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

// takeTurns makes the bindings of a queue leave, each in its turn, and calls moved with what becomes
// of each. The first goes at once. A binding that leaves one cluster later than another has a turn
// for each.
func (s *simulation) takeTurns(q *leave.Queue, bindings map[types.NamespacedName]workv1alpha2.Binding, moved func(workv1alpha2.Binding, ...Move)) error {
	pace := leave.NewPace(s.in.Rate, s.in.Now)
	for now := s.in.Now; ; {
		turn, found, wait := q.Next(now)
		if !found && wait == 0 {
			return nil
		}
		if found {
			wait = pace.Wait(now)
		}
		if wait > 0 { // others may be due then
			now = now.Add(wait)
			continue
		}
		b := bindings[turn.Key]
		after, left, moves, err := s.move(&turn, b, now)
		if err != nil {
			return err
		}
		moved(b, moves...)
		pace.Spend(left, now)
		if left > 0 {
			q.Took(turn.Key)
		}
		q.Remove(turn.Key)
		bindings[turn.Key] = after
		if d, leaves := s.departure(after, now); leaves && d.Due().After(now) {
			q.Set(d)
		}
	}
}
