// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"time"
	"weak"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/internal/watchdog"
	"github.com/dragoman-io/dragoman/engine/script"
)

// pairOf returns what a violation of a rule on an object counts for. It does not keep the
// rule in memory.
func pairOf(rule *activeRule, object *unstructured.Unstructured) watchdog.Pair {
	p := watchdog.Pair{Rule: weak.Make(rule.Rule), Origin: rule.Origin, Namespace: object.GetNamespace()}
	if p.Namespace == "" {
		p.Name = object.GetName()
	}
	return p
}

// refuse returns the error of a run that the quarantine refuses, nil if it refuses none.
func (g *guard) refuse(rule *activeRule, object *unstructured.Unstructured) error {
	pair, now := pairOf(rule, object), g.clock.Now()
	g.mu.Lock()
	why, until := g.quarantine.Refuses(pair, now)
	g.mu.Unlock()
	switch why {
	case watchdog.Unended:
		return rule.failure(script.Deadline, "not run for the %s of %s, because a run that was abandoned at its deadline has not ended", kindOf(object).Kind, scopeOf(object))
	case watchdog.Quarantined:
		return rule.failure(script.Deadline, "quarantined until %s for the %s of %s, because runs were abandoned at their deadline; replacing the script ends the quarantine",
			until.UTC().Format(time.RFC3339), kindOf(object).Kind, scopeOf(object))
	case watchdog.Saturated:
		return rule.failure(script.Deadline, "not run, because too many runs that were abandoned at their deadline have not ended, of this script or others of %s", rule.Origin)
	}
	return nil
}

// abandon records a run that was abandoned, and returns its error.
func (g *guard) abandon(run *watchdog.Abandoned, bound time.Duration, op *Operation, rule *activeRule, object *unstructured.Unstructured) error {
	err := rule.failure(script.Deadline, "the run for %s %s took longer than %v and was abandoned; this is a defect of the engine: please report it, with the log entry that has its stack",
		kindOf(object).Kind, nameOf(object), bound)
	pair := pairOf(rule, object)
	g.change(func(q *watchdog.Quarantine) { q.Violated(pair, g.clock.Now()) })
	err.Trace = run.Stack()
	ended := func() {}
	if g.abandoned != nil {
		ended = g.abandoned(AbandonedRun{
			Operation: op.Name, Kind: kindOf(object), Rule: rule.Rule, Entry: rule.entry(op),
			Namespace: object.GetNamespace(), Name: object.GetName(), Err: err,
		})
	}
	go func() {
		<-run.Ended()
		g.change(func(q *watchdog.Quarantine) { q.Ended(pair) })
		ended()
	}()
	return err
}

// change changes the quarantine.
func (g *guard) change(f func(q *watchdog.Quarantine)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g.quarantine)
	g.suspects.Store(int64(g.quarantine.Pairs()))
}

// failure returns an error of a rule that is not one of its script.
func (r *activeRule) failure(code script.Code, format string, args ...any) *script.Error {
	err := script.Errorf(code, format, args...)
	if c, ok := r.Program.(*compiled); ok {
		err.File = c.file
	}
	_ = script.Finish(err, script.Position{})
	return err
}

// scopeOf names what an object shares a quarantine with.
func scopeOf(object *unstructured.Unstructured) string {
	if namespace := object.GetNamespace(); namespace != "" {
		return "namespace " + namespace
	}
	return "name " + object.GetName()
}

// nameOf names an object within its kind.
func nameOf(object *unstructured.Unstructured) string {
	if namespace := object.GetNamespace(); namespace != "" {
		return fmt.Sprintf("%s/%s", namespace, object.GetName())
	}
	return object.GetName()
}
