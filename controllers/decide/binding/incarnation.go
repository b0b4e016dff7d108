// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// incarnation is one copy of a binding's object in a cluster.
type incarnation struct {
	// uid is that of its Work.
	uid types.UID
	// madeWith is the RestoredFromAnnotation of its Work; empty where that is unknown, as of a
	// Work that an earlier version of the manager created.
	madeWith string
}

// name returns the name of a state: the copy that it is from, when it was collected, and what
// is in it. The same copy may be evicted twice and leave the same behind, of which another one
// took over the first, and what two copies leave behind may be the same.
func (c *Carried) name() string {
	content := fnv.New64a()
	_ = json.NewEncoder(content).Encode(Carried{Labels: c.Labels, Values: c.Values}) // neither fails
	return fmt.Sprintf("%s/%d/%x", c.origin(), max(0, c.Time.Unix()), content.Sum64())
}

// origin returns the first part of the names of the states of a copy.
func (c *Carried) origin() string { return cmp.Or(string(c.Copy), c.From) }

// RestoredFrom returns the RestoredFromAnnotation of the Work of a new copy: the name of the
// state that StateFor returns.
func RestoredFrom(b workv1alpha2.Binding, cluster string) string {
	for _, c := range CarriedStates(b) {
		if c.To == cluster {
			return c.name()
		}
	}
	return workv1alpha2.RestoredFromNone
}

// NoteCopies writes into a binding what follows from its Works for the state that is carried
// over, and reports whether it changed anything: which copies were made with which, and which
// copies that one is from are there no more. The status, by which others decide, has both only
// later. The Works are all those of the binding.
func NoteCopies(b workv1alpha2.Binding, works []workv1alpha1.Work) (bool, error) {
	stored := readCarried(b)
	if len(stored) == 0 {
		return false, nil
	}
	copies, targets := copiesThere(works), TargetNames(b.GetSpec())
	noted := runOn(matchCopies(stored, copies, targets), copies, targets)
	if reflect.DeepEqual(stored, noted) {
		return false, nil
	}
	return true, SetCarriedStates(b, noted)
}

// runOn returns all, in which what a copy left behind that is there and was not asked to go is its
// own again, if its cluster is a target again, or as long as there is none: it does not wait to
// take that over.
func runOn(all []Carried, copies map[string]incarnation, targets []string) []Carried {
	for i := range all {
		c := &all[i]
		if now := copies[c.From]; c.isOf(now.uid) && (len(targets) == 0 || slices.Contains(targets, c.From)) {
			c.Gone = false
			if c.To == c.From {
				c.To = ""
			}
		}
	}
	return all
}

// mayBeIn reports whether the copy of an item was made with a state, or may have been as far
// as it is known.
func (c *Carried) mayBeIn(item *workv1alpha2.AggregatedStatusItem) bool {
	return item.RestoredFrom == "" || item.RestoredFrom == c.name()
}

// occupied returns the clusters whose copies are known to be made with a state or none: they get
// no other.
func occupied(copies map[string]incarnation) map[string]bool {
	clusters := map[string]bool{}
	for cluster, made := range copies {
		if made.madeWith != "" {
			clusters[cluster] = true
		}
	}
	return clusters
}

// isOf reports whether a state is known to be from a copy.
func (c *Carried) isOf(uid types.UID) bool { return c.Copy != "" && c.Copy == uid }

// DropGone drops from the status of a binding what is reported of copies that are gone, by its
// Works, which are all that it has, and reports whether there was any. It is for decisions, and
// not to be written: the status is that of the Works a moment later.
func DropGone(b workv1alpha2.Binding, works []workv1alpha1.Work) bool {
	copies, status := copiesThere(works), b.GetStatus()
	reported := len(status.AggregatedStatus)
	status.AggregatedStatus = slices.DeleteFunc(slices.Clone(status.AggregatedStatus), func(item workv1alpha2.AggregatedStatusItem) bool {
		return item.Copy != "" && item.Copy != copies[item.ClusterName].uid
	})
	return len(status.AggregatedStatus) < reported
}

// copiesThere returns the copies that Works stand for and that were not asked to go, by
// cluster.
func copiesThere(works []workv1alpha1.Work) map[string]incarnation {
	copies := map[string]incarnation{}
	for i := range works {
		if w := &works[i]; w.DeletionTimestamp == nil {
			copies[ClusterOf(w)] = incarnation{w.UID, w.Annotations[workv1alpha2.RestoredFromAnnotation]}
		}
	}
	return copies
}

// reportedCopies returns the copies that a status reports, by cluster.
func reportedCopies(status *workv1alpha2.ResourceBindingStatus) map[string]incarnation {
	copies := map[string]incarnation{}
	for i := range status.AggregatedStatus {
		if item := &status.AggregatedStatus[i]; item.Copy != "" {
			copies[item.ClusterName] = incarnation{item.Copy, item.RestoredFrom}
		}
	}
	return copies
}

// copyIn returns the copy that a status reports of a cluster, "" where that is unknown.
func copyIn(status *workv1alpha2.ResourceBindingStatus, cluster string) types.UID {
	if item := itemOn(status, cluster); item != nil {
		return item.Copy
	}
	return ""
}

// reportsState reports whether a Work is one of a binding whose state must survive.
func reportsState(w *workv1alpha1.Work) bool {
	return slices.Contains(strings.Split(w.Annotations[workv1alpha2.FailoverAnnotation], ","), workv1alpha2.FailoverState)
}

// matchCopies returns all by the copies that there are, by cluster: a state goes where a copy was
// made with it, and not where one was made with another. What another copy is in its place
// of is a former one.
func matchCopies(all []Carried, copies map[string]incarnation, targets []string) []Carried {
	all = slices.Clone(all)
	for i := range all {
		c := &all[i]
		if now, exists := copies[c.From]; exists && c.Copy != "" && now.uid != c.Copy {
			c.Former, c.Gone = true, true
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(copies)) {
		if copies[cluster].madeWith != "" {
			matchCopy(all, cluster, copies, slices.Contains(targets, cluster))
		}
	}
	return all
}

// matchCopy is matchCopies for the copy of one cluster, which is a target or not.
func matchCopy(all []Carried, cluster string, copies map[string]incarnation, target bool) {
	for i := range all {
		c := &all[i]
		name := c.name()
		switch made := name == copies[cluster].madeWith; {
		case made && c.To != cluster && copies[c.To].madeWith != name && (target || c.To == ""):
			c.give(cluster)
		case !made && c.To == cluster && target:
			c.takeBack(false)
		}
	}
}
