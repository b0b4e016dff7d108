// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"errors"
	"time"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Renew collects again, by what was reported, the state of copies that run on although they were
// evicted, and writes it into a binding. It reports whether that changed anything, when there may
// be more, and the states that are too large, in whose place the ones before stay. The Works are
// all those of the binding; namesState reports whether a script names the state of its kind.
func Renew(b workv1alpha2.Binding, works []workv1alpha1.Work, namesState func() bool, now time.Time) (changed bool, again time.Duration, large []error, _ error) {
	if !binding.IsEvicting(b.GetSpec()) {
		return false, 0, nil, nil
	}
	// The state that is carried may be from a report that the binding does not have yet, or never has.
	told := b.DeepCopyObject().(workv1alpha2.Binding)
	binding.ReadHealthy(told, works, now)
	clusters, again := binding.Renewable(told, works, now)
	for _, cluster := range clusters {
		// What a script named when the eviction began is newer than what was kept from before, if
		// the copy does not report any.
		if item := binding.ItemOf(told, cluster); item.Health != workv1alpha2.ResourceHealthy && len(item.State) == 0 && namesState() {
			continue
		}
		state, err := binding.ReportedState(told, binding.PreservationOf(b.GetSpec(), cluster), cluster)
		if err != nil {
			continue // what was collected before stays; the condition StatePreserved has why
		}
		renewed, err := binding.Renew(b, cluster, state, now)
		if tooLarge := (*binding.CarriedSizeError)(nil); errors.As(err, &tooLarge) {
			large = append(large, err)
			continue
		}
		if err != nil {
			return false, 0, nil, err
		}
		changed = changed || renewed
	}
	return changed, again, large, nil
}
