// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine/compare"
)

// What a status has of a result: so many effects, changes and objects of each change, and so many
// bytes of each text. Those of most objects come first.
const (
	maxEffects = 16
	maxChanges = 32
	maxObjects = 5
	maxText    = 500
)

// reportOf returns a result as a status has it, without its time.
func reportOf(r *Result, revision string) *interpreterv1alpha1.ShadowReport {
	report := &interpreterv1alpha1.ShadowReport{
		Revision: revision, Objects: int64(r.Objects), Asked: int64(r.Asked), Same: int64(r.Same), Changed: int64(r.Changed),
		NewErrors: int64(r.NewErrors), FixedErrors: int64(r.FixedErrors), GasBefore: r.GasBefore, GasAfter: r.GasAfter,
	}
	for _, text := range r.Effects[:min(maxEffects, len(r.Effects))] {
		report.Effects = append(report.Effects, base.Clip(text, maxText))
	}
	changes := slices.Clone(r.Changes)
	slices.SortStableFunc(changes, func(a, b compare.Change) int { return cmp.Compare(b.Count, a.Count) })
	for _, change := range changes[:min(maxChanges, len(changes))] {
		c := interpreterv1alpha1.ShadowChange{
			Kind: change.Kind, Operation: string(change.Operation), What: string(change.What), Count: int64(change.Count),
			Example: base.Clip(exampleOf(change), maxText),
		}
		for _, where := range change.Where[:min(maxObjects, len(change.Where))] {
			c.Objects = append(c.Objects, base.Clip(where, maxText))
		}
		report.Changes = append(report.Changes, c)
	}
	return report
}

// exampleOf returns the first difference of a change as a text, or the message of its error.
func exampleOf(c compare.Change) string {
	if c.Message != "" {
		return c.Message
	}
	var all []string
	for _, d := range c.Differences {
		all = append(all, fmt.Sprintf("%s: %s, was %s", d.Path, value(d.After), value(d.Before)))
	}
	return strings.Join(all, "; ")
}

func value(v json.RawMessage) string {
	if v == nil {
		return "nothing"
	}
	return string(v)
}

// Summary returns a result in a line.
func Summary(r *Result) string {
	text := fmt.Sprintf("%d objects, %d answers: %d same, %d changed, %d new errors, %d fixed errors, gas %d to %d",
		r.Objects, r.Asked, r.Same, r.Changed, r.NewErrors, r.FixedErrors, r.GasBefore, r.GasAfter)
	for _, u := range r.Unasked {
		text += fmt.Sprintf("; %s of %s was not asked about %d: %s", u.Operation, u.Kind, u.Count, u.Reason)
	}
	for _, cluster := range slices.Sorted(maps.Keys(r.Unread)) {
		text += fmt.Sprintf("; not all could be read of %s: %s", cluster, r.Unread[cluster])
	}
	return text
}

// sorted returns kinds in the order of their names.
func sorted(kinds []schema.GroupVersionKind) []schema.GroupVersionKind {
	return slices.SortedFunc(slices.Values(kinds), func(a, b schema.GroupVersionKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Version, b.Version))
	})
}
