// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
)

// maxSuperseded is how many versions of a Work are held at most: a status that changes more
// often before its binding is written loses the oldest.
const maxSuperseded = 8

// superseded holds versions of Works that reported a healthy copy and whose report was
// written over, until the binding of each has been written: its status waits a while, and
// only what it had can be carried over. It is safe for many goroutines; the zero value is
// ready.
type superseded struct {
	mu sync.Mutex
	// works are those of each binding, oldest first. They are not changed.
	works map[types.NamespacedName][]*workv1alpha1.Work
}

func (s *superseded) add(of types.NamespacedName, w *workv1alpha1.Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.works == nil {
		s.works = map[types.NamespacedName][]*workv1alpha1.Work{}
	}
	all := append(slices.Clone(s.works[of]), w)
	same := func(o *workv1alpha1.Work) bool { return o.UID == w.UID }
	var held int
	for _, o := range all {
		if same(o) {
			held++
		}
	}
	if held > maxSuperseded {
		oldest := slices.IndexFunc(all, same)
		all = slices.Delete(all, oldest, oldest+1)
	}
	s.works[of] = all
}

// of returns what is held of a binding, which must not be changed.
func (s *superseded) of(b types.NamespacedName) []*workv1alpha1.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.works[b]
}

// drop forgets some versions of the Works of a binding.
func (s *superseded) drop(of types.NamespacedName, versions []*workv1alpha1.Work) {
	if len(versions) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(s.works[of]), func(w *workv1alpha1.Work) bool { return slices.Contains(versions, w) })
	if s.works[of] = left; len(left) == 0 {
		delete(s.works, of)
	}
}

// Observe records that a version of a Work was replaced by another one, nil if it was deleted.
func (c *Controller[B]) Observe(before, after *workv1alpha1.Work) {
	of, ok := index.BindingOf(before)
	if !ok || (of.Namespace == "") != bindings.Wide[B]() {
		return // the controller of the other kind of binding observes it
	}
	if after == nil {
		gone := slices.DeleteFunc(slices.Clone(c.superseded.of(of)), func(w *workv1alpha1.Work) bool { return w.UID != before.UID })
		c.superseded.drop(of, gone)
		return
	}
	was, is := before.Status.ManifestStatuses, after.Status.ManifestStatuses
	if len(was) > 0 && was[0].Health == workv1alpha2.ResourceHealthy && before.UID == after.UID && !equality.Semantic.DeepEqual(was, is) {
		c.superseded.add(of, before)
	}
}

// missed returns the items with the reports in the place of newer ones whose state or health
// would be lost if the newer ones were written at once; versions are those that are not needed
// once the items it returns were written. before is the binding as it is stored.
func (c *Controller[B]) missed(ctx context.Context, before B, works []workv1alpha1.Work, items []workv1alpha2.AggregatedStatusItem) (shown []workv1alpha2.AggregatedStatusItem, versions []*workv1alpha1.Work, _ error) {
	versions = c.superseded.of(client.ObjectKeyFromObject(before))
	if len(versions) == 0 || !binding.WantsState(before) || !c.Gates.Enabled(features.StatefulFailoverInjection) {
		return items, versions, nil
	}
	shown = slices.Clone(items)
	looked := map[types.UID]bool{}
	for _, w := range slices.Backward(versions) {
		if looked[w.UID] || !slices.ContainsFunc(works, func(now workv1alpha1.Work) bool { return now.UID == w.UID }) {
			continue
		}
		old := binding.Aggregate([]workv1alpha1.Work{*w}, nil)
		at := slices.IndexFunc(items, func(i workv1alpha2.AggregatedStatusItem) bool {
			return len(old) == 1 && i.ClusterName == old[0].ClusterName
		})
		if at < 0 {
			continue
		}
		stored := find(before.GetStatus().AggregatedStatus, old[0].ClusterName)
		if stored != nil && sameReport(stored, &old[0]) {
			looked[w.UID] = true // older ones are older than what is stored
			continue
		}
		lost, err := c.wouldLose(ctx, before, &old[0], &items[at])
		if err != nil {
			return nil, nil, err
		}
		if lost {
			looked[w.UID], shown[at] = true, old[0]
		}
	}
	return shown, versions, nil
}

// wouldLose reports whether something of the report of a healthy copy were lost if the newer
// one of the same cluster were written without it.
func (c *Controller[B]) wouldLose(ctx context.Context, before B, old, now *workv1alpha2.AggregatedStatusItem) (bool, error) {
	if !old.Applied {
		return false, nil
	}
	was, _, err := preservation.Observe(ctx, c.Deps, before, old)
	if err != nil {
		return false, err
	}
	is, _, err := preservation.Observe(ctx, c.Deps, before, now)
	if err != nil {
		return false, err
	}
	if _, pending := binding.PendingState(before, old.ClusterName); pending {
		return was.Healthy && !is.Healthy, nil // it has taken over that state
	}
	last, err := c.reportOf(ctx, before, before, old.ClusterName)
	if err != nil {
		return false, err
	}
	return !is.Covers(&was) && binding.IsNews(binding.KeptStates(before), last, was), nil
}
