// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
)

// reportDropped records an event about the template of a binding that was deleted although
// the template stays, with the state of its copies, which go with it: a new binding knows
// nothing of them, and a person may need it. A binding without failover has no state.
func (c *Controller[B]) reportDropped(ctx context.Context, b B) {
	if !binding.WantsState(b) || !c.Gates.Enabled(features.StatefulFailoverInjection) {
		return
	}
	template, err := c.TemplateOf(ctx, b)
	if err != nil || template.GetDeletionTimestamp() != nil || template.GetUID() != b.GetSpec().Resource.UID {
		return
	}
	var all []string
	add := func(cluster string, s binding.State) {
		if text := textOf(s); text != "" {
			all = append(all, fmt.Sprintf("cluster %s: %s", cluster, text))
		}
	}
	for _, carried := range binding.CarriedStates(b) {
		add(carried.From, binding.State{Labels: carried.Labels, Values: carried.Values})
	}
	items, targets := b.GetStatus().AggregatedStatus, binding.TargetNames(b.GetSpec())
	for i := range items {
		// What cannot be read now is told by the condition StatePreserved.
		if r, _, err := preservation.Observe(ctx, c.Deps, b, &items[i]); err == nil && slices.Contains(targets, r.Cluster) {
			add(r.Cluster, newest(b, r))
		}
	}
	if len(all) > 0 {
		c.Warn(template, "StateDropped", "Failover", fmt.Errorf(
			"binding %s was deleted and its copies with it; new copies begin without their state: %s", b.GetName(), strings.Join(all, "; ")))
	}
}

// newest returns the newest state of a copy by the rules of both sorts of failover.
func newest(b workv1alpha2.Binding, r binding.Report) binding.State {
	f, all := b.GetSpec().Failover, binding.State{Labels: map[string]string{}}
	if f.Cluster != nil {
		s := binding.NewestState(b, f.Cluster.StatePreservation, r)
		all.Values = s.Values
		maps.Copy(all.Labels, s.Labels)
	}
	if f.Application != nil {
		s := binding.NewestState(b, f.Application.StatePreservation, r)
		all.Values = s.Values
		maps.Copy(all.Labels, s.Labels)
	}
	return all
}

// textOf lists a state, sorted by name.
func textOf(s binding.State) string {
	var words []string
	for _, m := range []map[string]string{s.Labels, s.Values} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			words = append(words, key+"="+m[key])
		}
	}
	return strings.Join(words, ", ")
}
