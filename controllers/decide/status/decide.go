// SPDX-License-Identifier: Apache-2.0

// Package status decides what the status of a binding is by what its Works report, and which state must
// be kept before a report that has it is written over. The controller of statuses and the model of
// failovers call it. It takes values and returns values; what time it is goes in.
//
//	decide.go  the status of a binding
//	keep.go    the state that its next status does not have any more
package status

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// View is what a decision reads beside the binding.
type View struct {
	// Before is a copy of the binding as it was read, with the status that is written over.
	Before workv1alpha2.Binding
	// Items are what the Works of the binding report, as binding.Aggregate has it.
	Items []workv1alpha2.AggregatedStatusItem
	// Works are all those of the binding.
	Works []workv1alpha1.Work
	// Carries means that failovers carry state over.
	Carries bool
	// Observe returns the state that an item reports, and what is wrong with it. The error is that of a
	// script that is not compiled yet.
	Observe func(item *workv1alpha2.AggregatedStatusItem) (binding.Report, []binding.Problem, error)
}

// TakeOver notes in a binding that copies whose health is about to be written over took over the state
// that they were made with, if they were healthy, and reports whether that changed it: then it is written
// before the status. Most often the eviction has ended that before; no manager may have run then. So it
// does of copies whose health the status does not have, since the newest manifest was not applied. Items
// are what the Works report.
func TakeOver(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem, works []workv1alpha1.Work) (bool, error) {
	changed, err := binding.TakeOver(b, changedReports(b.GetStatus().AggregatedStatus, items)...)
	if err != nil {
		return false, err
	}
	more, err := binding.TakeOverUnapplied(b, works)
	return changed || more, err
}

// Decide writes what the Works of a binding report into its status, as far as it can be stored, and
// returns what must be kept before that status is written over the one that it has.
//
// The error is that of a script that is not compiled yet: what is there would be written over before
// anybody could read the state in it.
func Decide(b workv1alpha2.Binding, view View, now time.Time) (Kept, error) {
	setStatus(b, view.Items)
	return keep(b, view, now)
}

func setStatus(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem) {
	status := b.GetStatus()
	status.AggregatedStatus = slices.Clone(items)
	left := binding.Bound(status.AggregatedStatus)
	condition := binding.FullyApplied(b, items)
	binding.ReportLeftOut(&condition, left)
	meta.SetStatusCondition(&status.Conditions, condition)
}
