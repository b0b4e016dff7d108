// SPDX-License-Identifier: Apache-2.0

package status

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
)

// preserved is what becomes of the state of a binding's copies when its status is written.
type preserved struct {
	// annotation is the value of binding.KeptStateAnnotation from then on.
	annotation string
	// left are the clusters whose state is too large to be kept.
	left []string
	// news means that a copy reports state that is not stored anywhere.
	news bool
	// unneeded means that the annotation changes only by what no copy needs any more.
	unneeded bool
	// after is how long to wait before the status is written, and keepAfter before the
	// annotation is; 0 is not at all.
	after, keepAfter time.Duration
}

// changes reports whether the annotation must be written.
func (p preserved) changes(b workv1alpha2.Binding) bool {
	return p.annotation != b.GetAnnotations()[binding.KeptStateAnnotation]
}

// preserve returns what must be kept before the new status of a binding is written over
// the one that it has, and sets the condition StatePreserved in the new one. The rules and
// the script are evaluated only if a report changed, or if the condition may end.
//
// The error is that of a script that is not compiled yet: what is there would be written
// over before anybody could read the state in it.
func (c *Controller[B]) preserve(ctx context.Context, b, before B, items []workv1alpha2.AggregatedStatusItem) (preserved, error) {
	if !binding.WantsState(b) || !c.Gates.Enabled(features.StatefulFailoverInjection) {
		setProblems(b, nil)
		return preserved{}, nil
	}
	same := preserved{annotation: b.GetAnnotations()[binding.KeptStateAnnotation]}
	changed := changedReports(before.GetStatus().AggregatedStatus, items)
	all := mayHaveProblems(before)
	if len(changed) == 0 && !all && !keepsUnneeded(b, items) {
		return same, nil
	}
	observed, targets := map[string]binding.Report{}, binding.TargetNames(b.GetSpec())
	problems := binding.CarriedProblems(b)
	for i := range items {
		item := &items[i]
		// Without the condition no other copy has a problem.
		if !all && !slices.Contains(changed, item.ClusterName) {
			continue
		}
		r, found, err := preservation.Observe(ctx, c.Deps, b, item)
		if err != nil {
			return same, err
		}
		observed[item.ClusterName] = r
		if item.Applied && (item.Status != nil || len(item.State) > 0) && slices.Contains(targets, item.ClusterName) {
			problems = append(problems, found...)
		}
	}
	p, err := c.lose(ctx, b, before, changes{clusters: changed, observed: observed, items: items})
	if err != nil {
		return same, err
	}
	left := append(p.left, binding.Oversized(slices.Collect(maps.Values(observed)))...)
	slices.Sort(left)
	setProblems(b, append(problems, binding.TooLarge(slices.Compact(left))...))
	return p, nil
}

// mayHaveProblems reports whether the condition StatePreserved may change although no
// report did: there is one, or the binding changed since its status was written.
func mayHaveProblems(before workv1alpha2.Binding) bool {
	conditions := before.GetStatus().Conditions
	fully := meta.FindStatusCondition(conditions, workv1alpha2.FullyApplied)
	return fully == nil || fully.ObservedGeneration < before.GetGeneration() || meta.FindStatusCondition(conditions, workv1alpha2.StatePreserved) != nil
}

// changes are the clusters that report something else than before, and what all report now.
type changes struct {
	clusters []string
	items    []workv1alpha2.AggregatedStatusItem
	observed map[string]binding.Report
}

// lose returns what must be kept since the new status of a binding does not have it.
func (c *Controller[B]) lose(ctx context.Context, b, before B, now changes) (preserved, error) {
	targets, evicting, kept := binding.TargetNames(b.GetSpec()), binding.Evicting(b.GetSpec()), binding.KeptStates(b)
	var (
		p                 preserved
		reported, written []binding.Report
	)
	for _, cluster := range now.clusters {
		// Until a copy has taken over a state, its own does not count. One that is evicted may
		// stay after all.
		if _, pending := binding.PendingState(b, cluster); pending || !slices.Contains(targets, cluster) && !evicting[cluster] {
			continue
		}
		last, err := c.reportOf(ctx, b, before, cluster)
		if err != nil {
			return p, err
		}
		r, ok := now.observed[cluster]
		if !ok {
			r = binding.Report{Cluster: cluster}
		}
		p.news = p.news || binding.IsNews(kept, last, r)
		reported = append(reported, last, r)
		if stored := find(b.GetStatus().AggregatedStatus, cluster); stored != nil && sameReport(stored, find(now.items, cluster)) {
			written = append(written, r)
		} // else nothing is reported, or it is too large to be stored
	}
	has := func(cluster string) bool { return mayHaveCopy(b, now.items, cluster) }
	marked := before.DeepCopyObject().(B)
	next := binding.Keep(kept, reported, written, has, c.Clock.Now())
	left, err := binding.SetKeptStates(marked, next)
	p.annotation, p.left = marked.GetAnnotations()[binding.KeptStateAnnotation], left
	needed := slices.DeleteFunc(slices.Clone(kept), func(k binding.Kept) bool { return !has(k.Cluster) })
	p.unneeded = len(left) == 0 && equality.Semantic.DeepEqual(needed, next)
	return p, err
}

// mayHaveCopy reports whether a cluster has a copy, by the spec or the reports of a binding.
func mayHaveCopy(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem, cluster string) bool {
	return slices.Contains(binding.TargetNames(b.GetSpec()), cluster) || binding.Evicting(b.GetSpec())[cluster] || find(items, cluster) != nil
}

// keepsUnneeded reports whether a binding keeps the state of a cluster without a copy.
func keepsUnneeded(b workv1alpha2.Binding, items []workv1alpha2.AggregatedStatusItem) bool {
	return slices.ContainsFunc(binding.KeptStates(b), func(k binding.Kept) bool { return !mayHaveCopy(b, items, k.Cluster) })
}

// reportOf returns the state that a copy reports in the status of a binding.
func (c *Controller[B]) reportOf(ctx context.Context, b, of B, cluster string) (binding.Report, error) {
	item := find(of.GetStatus().AggregatedStatus, cluster)
	if item == nil {
		return binding.Report{Cluster: cluster}, nil
	}
	r, _, err := preservation.Observe(ctx, c.Deps, b, item)
	return r, err
}

func find(items []workv1alpha2.AggregatedStatusItem, cluster string) *workv1alpha2.AggregatedStatusItem {
	i := slices.IndexFunc(items, func(item workv1alpha2.AggregatedStatusItem) bool { return item.ClusterName == cluster })
	if i < 0 {
		return nil
	}
	return &items[i]
}

// changedReports returns the clusters that report another status or health than before,
// another copy, or nothing any more.
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

// takeOver has the copies whose health is about to be written over take over the state that
// they were made with, if they were healthy. Most often the eviction has ended that before;
// no manager may have run then. The binding has what was written.
func (c *Controller[B]) takeOver(ctx context.Context, b B, items []workv1alpha2.AggregatedStatusItem) error {
	if b.GetAnnotations()[binding.CarriedStateAnnotation] == "" && !binding.IsEvicting(b.GetSpec()) {
		return nil
	}
	before := b.DeepCopyObject().(B)
	changed, err := binding.TakeOver(b, changedReports(b.GetStatus().AggregatedStatus, items)...)
	if err != nil || !changed {
		return err
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return fmt.Errorf("write what the copies of binding %s took over: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("noted that copies took over the state that they were made with")
	return nil
}

// keep writes the annotation, before the status that the state is from is written over. It
// returns the binding as it is then; the new one gets the version that it has.
func (c *Controller[B]) keep(ctx context.Context, b, before B, p preserved) (B, error) {
	marked := before.DeepCopyObject().(B)
	annotations := map[string]string{}
	maps.Copy(annotations, before.GetAnnotations())
	if annotations[binding.KeptStateAnnotation] = p.annotation; p.annotation == "" {
		delete(annotations, binding.KeptStateAnnotation)
	}
	marked.SetAnnotations(annotations)
	if err := c.Patch(ctx, marked, before); err != nil {
		return before, fmt.Errorf("keep the state of binding %s: %w", b.GetName(), err)
	}
	c.pace.kept(b.GetUID(), c.Clock.Now())
	b.SetAnnotations(marked.GetAnnotations())
	b.SetResourceVersion(marked.GetResourceVersion())
	ctrl.LoggerFrom(ctx).Info("kept the state that is no longer reported")
	return marked, nil
}

// notifyState records an event about a binding whose state cannot be preserved for another
// reason than before.
func (c *Controller[B]) notifyState(b, before B) {
	was, is := meta.FindStatusCondition(before.GetStatus().Conditions, workv1alpha2.StatePreserved), meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.StatePreserved)
	if is == nil || was != nil && was.Message == is.Message {
		return
	}
	c.Warn(b, "StatePreservationIncomplete", "Failover", errors.New(is.Message))
}
