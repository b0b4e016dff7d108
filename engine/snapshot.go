// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Snapshot answers operations from one consistent set of rules, whatever changes in the
// interpreter that it came from. It is safe for many goroutines, and cheap to copy. Its
// rules stay in memory as long as it does.
type Snapshot struct {
	settings *settings
	rules    *ruleIndex
}

// Supports reports whether some rule set has a rule for this kind and operation. It is
// false for an op that is none of the constants.
func (v Snapshot) Supports(kind schema.GroupVersionKind, op Op) bool {
	i := indexOf(op)
	return i >= 0 && v.supports(kind, i)
}

func (v Snapshot) supports(kind schema.GroupVersionKind, operation int) bool {
	return len(v.rules.rules(kind, operation)) > 0
}

// Origin returns the Origin of the rule that answers this kind and operation, "" where
// there is none, or where op is none of the constants.
func (v Snapshot) Origin(kind schema.GroupVersionKind, op Op) string {
	i := indexOf(op)
	if i < 0 {
		return ""
	}
	if rules := v.rules.rules(kind, i); len(rules) > 0 {
		return rules[0].Origin
	}
	return ""
}

// Knows reports whether a rule answers this operation that was made for this kind, and not one
// of AnyKind. It is false where op is none of the constants.
func (v Snapshot) Knows(kind schema.GroupVersionKind, op Op) bool {
	i := indexOf(op)
	if i < 0 {
		return false
	}
	rules := v.rules.rules(kind, i)
	return len(rules) > 0 && rules[0].kind == kind
}

// IsWorkload reports whether the objects of a kind may run something. They do not where a bundle
// that has the kind says so, or where only the bundle for any kind answers how they are.
func (v Snapshot) IsWorkload(kind schema.GroupVersionKind) bool {
	health := mustIndex(InterpretHealth)
	for i := range operations {
		rules := v.rules.rules(kind, i)
		if len(rules) > 0 && rules[0].NoWorkload && (rules[0].kind == kind || i == health) {
			return false
		}
	}
	return true
}

// Answering returns the Customizations of the rules that answer this kind and operation: one, or
// those of all customizations of a kind where their answers unite; "" stands for a rule of a
// bundle. There is none where op is none of the constants.
func (v Snapshot) Answering(kind schema.GroupVersionKind, op Op) []string {
	i := indexOf(op)
	if i < 0 {
		return nil
	}
	rules := v.rules.rules(kind, i)
	if len(rules) > 1 && !operations[i].unites() {
		rules = rules[:1]
	}
	names := make([]string, len(rules))
	for j := range rules {
		names[j] = rules[j].Customization
	}
	return names
}

// Related returns the objects that the rule which answers this kind and operation wants to
// see; it must not be changed.
func (v Snapshot) Related(kind schema.GroupVersionKind, op Op) []Related {
	i := indexOf(op)
	if i < 0 {
		return nil
	}
	if rules := v.rules.rules(kind, i); len(rules) > 0 {
		return rules[0].Related
	}
	return nil
}

// related returns the values of those objects of a request that are related to its object.
func (v Snapshot) related(q Request) ([]any, error) {
	declared := v.Related(kindOf(q.Object), q.Operation)
	read := make([][]RelatedObject, len(declared))
	for k, o := range q.Related {
		i := slices.IndexFunc(declared, func(r Related) bool { return r.Kind == kindOf(o) })
		if i < 0 {
			return nil, fmt.Errorf("related[%d] is a %s %s: the bundle that answers %s for %s declares none as related",
				k, o.GetAPIVersion(), o.GetKind(), q.Operation, q.Object.GetKind())
		}
		read[i] = append(read[i], declared[i].Read(o))
	}
	var all []RelatedObject
	for i := range declared {
		all = append(all, declared[i].Select(q.Object, read[i])...)
	}
	return RelatedValues(all), nil
}

// errNoObject is returned where the object of a question is nil.
var errNoObject = errors.New("no object is given: it is nil")

// kindOf returns the kind of an object. One that is not well formed has no rule.
func kindOf(object *unstructured.Unstructured) schema.GroupVersionKind {
	version, _ := object.Object["apiVersion"].(string)
	kind, _ := object.Object["kind"].(string)
	group, version, found := strings.Cut(version, "/")
	if !found {
		group, version = "", group
	}
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// run asks the first rule set that has a rule, or all of one layer where their answers
// unite. An error is final: there is no falling through on error.
func run[In, Out any](v Snapshot, op *operation[In, Out], object *unstructured.Unstructured, in In) (Out, error) {
	var none Out
	if object == nil {
		return none, errNoObject
	}
	rules := v.rules.rules(kindOf(object), op.index)
	if len(rules) == 0 {
		return none, ErrNoRule
	}
	if op.unite != nil {
		return runAll(v, op, rules, object, in)
	}
	return evaluate(v.settings, op, &rules[0], object, in)
}

// runAll unites the answers of rules.
func runAll[In, Out any](v Snapshot, op *operation[In, Out], rules []activeRule, object *unstructured.Unstructured, in In) (Out, error) {
	answers := make([]Out, len(rules))
	for i := range rules {
		var err error
		if answers[i], err = evaluate(v.settings, op, &rules[i], object, in); err != nil {
			var none Out
			return none, err
		}
	}
	return op.unite(answers), nil
}

// evaluate runs one rule on the input made of an object.
func evaluate[In, Out any](s *settings, op *operation[In, Out], rule *activeRule, object *unstructured.Unstructured, in In) (Out, error) {
	if s.Observe == nil {
		out, _, err := answer(s, op, rule, object, in)
		return out, err
	}
	begin := s.Clock.Now()
	out, usage, err := answer(s, op, rule, object, in)
	s.Observe(Run{
		Operation: op.Name, Kind: rule.kind, Rule: rule.Rule,
		Usage: usage, Duration: s.Clock.Since(begin), Err: err,
	})
	return out, err
}

// answer runs one rule.
func answer[In, Out any](s *settings, op *operation[In, Out], rule *activeRule, object *unstructured.Unstructured, in In) (Out, script.Usage, error) {
	c := op.calls.get(op)
	c.rule, c.in, c.Entry = rule.Rule, in, rule.entry(&op.Operation)
	c.Params, c.Clock, c.Print, c.Limits = rule.Params, s.Clock, rule.printed(s.Print), rule.limits
	var none Out
	if s.guard == nil {
		c.Do()
	} else if err := s.guard.run(c, &op.Operation, rule, object, c.limits()); err != nil {
		// The call may still be under way; it is not used again.
		return none, script.Usage{}, fmt.Errorf("%s by %s: %w", op.Name, rule.Origin, err)
	}
	out, usage, err := c.out, c.usage, c.err
	op.calls.put(c)
	if err != nil {
		return none, usage, fmt.Errorf("%s by %s: %w", op.Name, rule.Origin, rule.placed(locate(err, rule.Program)))
	}
	return out, usage, nil
}

// Do runs the program, and keeps how the run ended.
func (c *call[In, Out]) Do() { c.usage, c.err = c.run() }

// limits returns the limits of the run, with what its status items add.
func (c *call[In, Out]) limits() script.Limits {
	if c.op.items == nil {
		return c.Limits
	}
	return c.Limits.WithItems(min(c.op.items(c.in), c.Limits.Items))
}

// callPool keeps calls for reuse.
type callPool[In, Out any] struct{ pool sync.Pool }

func (p *callPool[In, Out]) get(op *operation[In, Out]) *call[In, Out] {
	c, ok := p.pool.Get().(*call[In, Out])
	if !ok {
		c = &call[In, Out]{op: op}
		c.Names = op.names
	}
	return c
}

// put takes a call back, without anything of its run.
func (p *callPool[In, Out]) put(c *call[In, Out]) {
	var (
		in  In
		out Out
	)
	c.in, c.out, c.rule, c.Args, c.Params = in, out, nil, nil, nil
	c.usage, c.err = script.Usage{}, nil
	c.Print, c.Clock, c.Now, c.Spent = nil, nil, time.Time{}, script.Usage{}
	c.reader.begin(nil, nil)
	clear(c.args[:])
	p.pool.Put(c)
}
