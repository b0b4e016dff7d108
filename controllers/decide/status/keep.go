// SPDX-License-Identifier: Apache-2.0

package status

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// Kept is what becomes of the state of a binding's copies when its status is written.
type Kept struct {
	// Annotation is the value of binding.KeptStateAnnotation from then on.
	Annotation string
	// News means that a copy reports state that is not stored anywhere.
	News bool
	// Unneeded means that the annotation changes only by what no copy needs any more.
	Unneeded bool

	// left are the clusters whose state is too large to be kept.
	left []string
}

// Changes reports whether the annotation of a binding must be written.
func (k Kept) Changes(b workv1alpha2.Binding) bool {
	return k.Annotation != b.GetAnnotations()[binding.KeptStateAnnotation]
}

// keep returns what must be kept before the new status of a binding is written over the one before, and
// sets the condition StatePreserved in the new one. The rules and the script are evaluated only if a
// report changed, or if the condition may end.
func keep(b workv1alpha2.Binding, view View, now time.Time) (Kept, error) {
	if !binding.WantsState(b) || !view.Carries {
		setProblems(b, nil)
		return Kept{}, nil
	}
	same := Kept{Annotation: b.GetAnnotations()[binding.KeptStateAnnotation]}
	changed := changedReports(view.Before.GetStatus().AggregatedStatus, view.Items)
	all := mayHaveProblems(view.Before)
	if len(changed) == 0 && !all && !keepsUnneeded(b, view.Items) {
		return same, nil
	}
	observed, targets := map[string]binding.Report{}, binding.TargetNames(b.GetSpec())
	problems := binding.CarriedProblems(b)
	for i := range view.Items {
		item := &view.Items[i]
		// Without the condition no other copy has a problem.
		if !all && !slices.Contains(changed, item.ClusterName) {
			continue
		}
		r, found, err := view.Observe(item)
		if err != nil {
			return same, err
		}
		observed[item.ClusterName] = r
		if item.Applied && (item.Status != nil || len(item.State) > 0) && slices.Contains(targets, item.ClusterName) {
			problems = append(problems, found...)
		}
	}
	k, err := lose(b, view, changes{clusters: changed, observed: observed}, now)
	if err != nil {
		return same, err
	}
	left := append(k.left, binding.Oversized(slices.Collect(maps.Values(observed)))...)
	slices.Sort(left)
	setProblems(b, append(problems, binding.TooLarge(slices.Compact(left))...))
	return k, nil
}

// mayHaveProblems reports whether the condition StatePreserved may change although no report did: there
// is one, or the binding changed since its status was written.
func mayHaveProblems(before workv1alpha2.Binding) bool {
	conditions := before.GetStatus().Conditions
	fully := meta.FindStatusCondition(conditions, workv1alpha2.FullyApplied)
	return fully == nil || fully.ObservedGeneration < before.GetGeneration() || meta.FindStatusCondition(conditions, workv1alpha2.StatePreserved) != nil
}

// changes are the clusters that report something else than before, and what all report now.
type changes struct {
	clusters []string
	observed map[string]binding.Report
}

// lose returns what must be kept since the new status of a binding does not have it.
func lose(b workv1alpha2.Binding, view View, is changes, now time.Time) (Kept, error) {
	targets, evicting, kept := binding.TargetNames(b.GetSpec()), binding.Evicting(b.GetSpec()), binding.KeptStates(b)
	running := binding.RunningUnapplied(view.Works)
	var (
		k                 Kept
		reported, written []binding.Report
	)
	for _, cluster := range is.clusters {
		// Until a copy has taken over a state, its own does not count. One that is evicted may
		// stay after all.
		if _, pending := binding.PendingState(b, cluster); pending || !slices.Contains(targets, cluster) && !evicting[cluster] {
			continue
		}
		last, err := reportOf(view, cluster)
		if err != nil {
			return k, err
		}
		r, ok := is.observed[cluster]
		if !ok {
			r = binding.Report{Cluster: cluster}
		}
		// The item does not have the health of a copy whose manifest was not applied: the Work does.
		said := r
		said.Healthy = r.Healthy || running[cluster]
		k.News = k.News || binding.IsNews(kept, last, said)
		reported = append(reported, last, said)
		if stored := find(b.GetStatus().AggregatedStatus, cluster); stored != nil && sameReport(stored, find(view.Items, cluster)) {
			written = append(written, r)
		} // else nothing is reported, or it is too large to be stored
	}
	has := func(cluster string) bool { return mayHaveCopy(b, view.Items, cluster) }
	marked := view.Before.DeepCopyObject().(workv1alpha2.Binding)
	next := binding.Keep(kept, reported, written, has, now)
	left, err := binding.SetKeptStates(marked, next)
	k.Annotation, k.left = marked.GetAnnotations()[binding.KeptStateAnnotation], left
	needed := slices.DeleteFunc(slices.Clone(kept), func(k binding.Kept) bool { return !has(k.Cluster) })
	k.Unneeded = len(left) == 0 && equality.Semantic.DeepEqual(needed, next)
	return k, err
}

// mayHaveCopy reports whether a cluster has a copy, by the spec or the reports of a binding.
func mayHaveCopy(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem, cluster string) bool {
	return slices.Contains(binding.TargetNames(b.GetSpec()), cluster) || binding.Evicting(b.GetSpec())[cluster] || find(items, cluster) != nil
}

// keepsUnneeded reports whether a binding keeps the state of a cluster without a copy.
func keepsUnneeded(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem) bool {
	return slices.ContainsFunc(binding.KeptStates(b), func(k binding.Kept) bool { return !mayHaveCopy(b, items, k.Cluster) })
}

// reportOf returns the state that a copy reports in the status that is written over.
func reportOf(view View, cluster string) (binding.Report, error) {
	item := find(view.Before.GetStatus().AggregatedStatus, cluster)
	if item == nil {
		return binding.Report{Cluster: cluster}, nil
	}
	r, _, err := view.Observe(item)
	return r, err
}

func find(items []workv1alpha2.AggregatedStatusItem, cluster string) *workv1alpha2.AggregatedStatusItem {
	i := slices.IndexFunc(items, func(item workv1alpha2.AggregatedStatusItem) bool { return item.ClusterName == cluster })
	if i < 0 {
		return nil
	}
	return &items[i]
}

// changedReports returns the clusters that report another status or health than before, another copy,
// or nothing any more.
func changedReports(before, items []workv1alpha2.AggregatedStatusItem) []string {
	var changed []string
	for i := range items {
		if was := find(before, items[i].ClusterName); was == nil || !sameReport(was, &items[i]) {
			changed = append(changed, items[i].ClusterName)
		}
	}
	for i := range before {
		if find(items, before[i].ClusterName) == nil {
			changed = append(changed, before[i].ClusterName)
		}
	}
	return changed
}

func sameReport(a, b *workv1alpha2.AggregatedStatusItem) bool {
	if a.Copy != b.Copy || a.Health != b.Health || a.Applied != b.Applied || !maps.Equal(a.State, b.State) || (a.Status == nil) != (b.Status == nil) {
		return false
	}
	return a.Status == nil || bytes.Equal(a.Status.Raw, b.Status.Raw)
}

// setProblems sets the condition StatePreserved.
func setProblems(b workv1alpha2.Binding, problems []binding.Problem) {
	status := b.GetStatus()
	if len(problems) > 0 || meta.FindStatusCondition(status.Conditions, workv1alpha2.StatePreserved) != nil {
		status.Conditions = binding.SetStatePreserved(status.Conditions, problems, b.GetGeneration())
	}
}
