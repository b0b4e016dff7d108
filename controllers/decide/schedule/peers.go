// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// placed is where a binding with groups was placed by a decision about a generation of it. A
// later generation shows the targets that were written.
type placed struct {
	generation int64
	clusters   []workv1alpha2.TargetCluster
	until      time.Time
}

// peers returns where the other bindings are that are in a group of this one, those that
// were placed a moment ago included. The assumptions must be locked.
func (a *Assumptions) peers(b workv1alpha2.Binding, now time.Time, view View) (placement.Peers, error) {
	maps.DeleteFunc(a.placed, func(_ types.NamespacedName, p placed) bool { return !p.until.After(now) })
	peers := placement.Peers{}
	all, err := view.Peers(b)
	if err != nil {
		return peers, fmt.Errorf("list the bindings in the groups of %s/%s: %w", b.GetNamespace(), b.GetName(), err)
	}
	for _, other := range all {
		targets := other.GetSpec().Clusters
		if p, ok := a.placed[binding.KeyOf(other)]; ok && other.GetGeneration() <= p.generation {
			targets = p.clusters
		}
		peers.Add(b, other, targets)
	}
	return peers, nil
}

// assumePlaced has other decisions see the targets of a binding before they are written. It
// returns a function that takes that back, and then something else. The assumptions must be
// locked.
func (a *Assumptions) assumePlaced(b workv1alpha2.Binding, targets []workv1alpha2.TargetCluster, now time.Time, undo func()) func() {
	key := binding.KeyOf(b)
	if a.placed == nil {
		a.placed = map[types.NamespacedName]placed{}
	}
	a.placed[key] = placed{generation: b.GetGeneration(), clusters: targets, until: now.Add(assumedFor)}
	return func() {
		undo()
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.placed, key)
	}
}
