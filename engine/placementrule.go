// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"time"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/script"
)

// MaxScore is the highest score of a cluster, and -MaxScore the lowest.
const MaxScore = 1_000_000

// PlacementGas is how many steps the expressions of one PlacementRule may take in one decision
// about a binding, for all its clusters together: ten times what a single run may take.
const PlacementGas = 2_000_000

// PlacementRule has the compiled expressions of a PlacementRule. It is immutable, and safe for
// many goroutines.
type PlacementRule struct {
	spec interpreterv1alpha1.PlacementRuleSpec
	name string
	// filter and score are nil where the rule has none.
	filter, score script.Program
	params        map[string]any
	limits        script.Limits
}

// placementVariables are those of the expressions of a PlacementRule, beside params and now, and
// placementNames their names.
var (
	placementVariables = []cel.Variable{{Name: "cluster"}, {Name: "binding"}}
	placementNames     = []string{"cluster", "binding"}
)

// PlacementRule compiles the expressions of a rule. It is all or nothing: with any error there
// is no rule, and the errors, each a *FieldError, name every field that is broken.
//
// In messages of runs an expression is called name/clusterFilter or name/clusterScore.
func (c *Compiler) PlacementRule(r *interpreterv1alpha1.PlacementRule) (*PlacementRule, []error) {
	p := &PlacementRule{spec: *r.Spec.DeepCopy(), name: r.Name, limits: c.limits(script.Limits{}), params: map[string]any{}}
	for key, value := range r.Spec.Params {
		p.params[key] = value
	}
	var errs []error
	compile := func(field, text string) script.Program {
		if text == "" {
			return nil
		}
		program, err := c.cel.Compile(r.Name+"/"+field, text, placementVariables, p.limits)
		if err != nil {
			errs = append(errs, &FieldError{"spec." + field, err})
		}
		return program
	}
	p.filter, p.score = compile("clusterFilter", r.Spec.ClusterFilter), compile("clusterScore", r.Spec.ClusterScore)
	if len(errs) > 0 {
		return nil, errs
	}
	if p.filter == nil && p.score == nil {
		return nil, []error{&FieldError{"spec", errors.New("give a clusterFilter, a clusterScore, or both")}}
	}
	return p, nil
}

// Name is the name of the rule.
func (p *PlacementRule) Name() string { return p.name }

// Selects reports whether the rule is for a workload; see
// interpreterv1alpha1.PlacementRuleSpec.
func (p *PlacementRule) Selects(apiVersion, kind, namespace string) bool {
	return p.spec.Selects(apiVersion, kind, namespace)
}

// Size returns how many bytes the programs of the rule keep in memory, at most.
func (p *PlacementRule) Size() (size int64) {
	for _, program := range []script.Program{p.filter, p.score} {
		if program != nil {
			size += program.Size()
		}
	}
	return size
}

// Placement is the use of a rule in one decision about a binding. It is not safe for many
// goroutines.
type Placement struct {
	rule    *PlacementRule
	binding map[string]any
	now     time.Time
	// Used is what the runs took.
	Used script.Usage
}

// Placement begins a decision about a binding at a time. The binding is plain JSON, as the
// converter of unstructured objects makes it; it is not changed.
func (p *PlacementRule) Placement(binding map[string]any, now time.Time) *Placement {
	return &Placement{rule: p, binding: binding, now: now}
}

// Rule returns the rule.
func (p *Placement) Rule() *PlacementRule { return p.rule }

// Filter returns whether a cluster may get the workload and, if the rule says so, why not. The
// cluster is plain JSON, and not changed. The error wraps a *script.Error.
func (p *Placement) Filter(cluster map[string]any) (passes bool, reason string, err error) {
	passes = true
	err = p.run(p.rule.filter, "clusterFilter", cluster, func(v any) error {
		switch v := v.(type) {
		case bool:
			passes = v
			return nil
		case string:
			passes, reason = v == "", v
			return nil
		default:
			return script.Errorf(script.Result, "clusterFilter: want a boolean, or a text that says why a cluster may not get the workload, got a %s", script.TypeName(v))
		}
	})
	return passes && err == nil, reason, err
}

// Score returns how well a cluster suits, times the weight of the rule. The cluster is plain
// JSON, and not changed. The error wraps a *script.Error.
func (p *Placement) Score(cluster map[string]any) (score int64, err error) {
	err = p.run(p.rule.score, "clusterScore", cluster, func(v any) error {
		n, ok := v.(int64)
		switch {
		case !ok:
			return script.Errorf(script.Result, "clusterScore: want a whole number, got a %s; int(...) makes one of another number", script.TypeName(v))
		case n < -MaxScore || n > MaxScore:
			return script.Errorf(script.Result, "clusterScore: want a whole number from %d to %d, got %d", -MaxScore, MaxScore, n)
		}
		score = n * int64(max(p.rule.spec.Weight, 1))
		return nil
	})
	return score, err
}

// run runs an expression of the rule about a cluster, with what is left of the gas of the
// decision. It does nothing if the rule has no such expression.
func (p *Placement) run(program script.Program, field string, cluster map[string]any, read func(any) error) error {
	if program == nil {
		return nil
	}
	limits := p.rule.limits
	if limits.Gas = min(limits.Gas, PlacementGas-p.Used.Gas); limits.Gas <= 0 {
		return p.rule.failed(field, script.Errorf(script.Gas, "the rule took %d steps for the clusters before this one; at most %d are allowed in one decision", p.Used.Gas, PlacementGas))
	}
	used, err := program.Run(&script.Call{
		Args: []any{cluster, p.binding}, Names: placementNames, Params: p.rule.params, Now: p.now, Limits: limits,
	}, decoderFunc(func(results []any) error { return read(at(results, 0)) }))
	p.Used.Gas += max(used.Gas, 1)
	p.Used.Memory = max(p.Used.Memory, used.Memory)
	if err != nil {
		return p.rule.failed(field, err)
	}
	return nil
}

// failed returns the error of an expression of the rule.
func (p *PlacementRule) failed(field string, err error) error {
	return fmt.Errorf("PlacementRule %s: %s: %w", p.name, field, err)
}
