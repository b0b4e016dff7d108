// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Rules are the rule sets that are asked, in the layers of the engine, with their sources. It is
// not safe for several goroutines.
type Rules struct {
	// Known are the kinds that scripts are about, whether or not their rules were added: who asks
	// about another version of one is told so.
	Known []schema.GroupVersionKind

	interpreter *engine.Interpreter
	recording   *script.Recording
	sets        []sourced
	// runs are those of the question under way.
	runs []By
}

// sourced is a rule set of a layer.
type sourced struct {
	layer engine.Layer
	set   engine.RuleSet
	Source
}

// NewRules returns rules without a rule set.
func NewRules() *Rules {
	r := &Rules{recording: script.NewRecording(0)}
	r.interpreter = engine.NewInterpreter(engine.Options{Observe: r.observe})
	return r
}

// Recording is what the scripts are compiled with, so that it is known where they return.
func (r *Rules) Recording() *script.Recording { return r.recording }

// Add adds a rule set to a layer, as engine.Interpreter.Set does.
func (r *Rules) Add(layer engine.Layer, set engine.RuleSet, s Source) error {
	if err := r.interpreter.Set(layer, set); err != nil {
		return err
	}
	r.sets = append(r.sets, sourced{layer, set, s})
	slices.SortStableFunc(r.sets, func(a, b sourced) int {
		return cmp.Or(cmp.Compare(a.layer, b.layer), cmp.Compare(a.set.Name, b.set.Name))
	})
	return nil
}

// observe notes a run, where it began, and where it returned.
func (r *Rules) observe(run engine.Run) {
	by := By{Function: run.Rule.Function, Gas: run.Usage.Gas}
	if op, err := engine.Describe(run.Operation); err == nil && by.Function == "" && !run.Rule.Expression {
		by.Function = op.Entry
	}
	for _, s := range r.sets {
		if s.rule(run.Kind, run.Operation) == run.Rule {
			by.Source = s.Source
			break
		}
	}
	entry, returned := r.recording.Answer()
	by.Entry, by.Returned = placeOf(entry), placeOf(returned)
	r.runs = append(r.runs, by)
}

// rule returns the rule for a kind and an operation, or nil.
func (s *sourced) rule(kind schema.GroupVersionKind, op engine.Op) *engine.Rule {
	return s.set.Kinds[kind][op]
}

// others returns the sources that have a script for a kind and an operation, and were not asked.
func (r *Rules) others(kind schema.GroupVersionKind, op engine.Op, asked []By) []Source {
	var all []Source
	for _, s := range r.sets {
		isAsked := slices.ContainsFunc(asked, func(b By) bool { return b.Source == s.Source })
		if s.rule(kind, op) != nil && !isAsked && !slices.Contains(all, s.Source) {
			all = append(all, s.Source)
		}
	}
	return all
}

// versions returns the versions of a kind that scripts are about, without the one of it, sorted.
func (r *Rules) versions(kind schema.GroupVersionKind) []string {
	var all []string
	for _, known := range r.Known {
		if known.Kind == kind.Kind && known != kind {
			all = append(all, known.GroupVersion().String())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
