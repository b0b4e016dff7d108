// SPDX-License-Identifier: Apache-2.0

// Package preservation collects the state that a copy leaves behind when it is evicted,
// and what of it a copy reports as long as it runs. The failover of applications and that
// of clusters use it, and the controller that writes what copies report.
package preservation

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Collect returns the state to carry over from a cluster: the one that the copy there was
// to take over and has not, or what the policy's rules and the kind's script name. What
// the copy reports is newer than what is kept from before; what it does not report any
// more is taken from there.
//
// A rule that cannot name a label, whatever the status is, is left out, with an event. One
// that names none now is an event if something else names the state; otherwise it is an
// error, and the application stays where it is rather than lose state that must be kept.
// So it does while the script is not compiled yet. Without the feature gate
// StatefulFailoverInjection there is no state.
func Collect(ctx context.Context, d base.Deps, b workv1alpha2.Binding, rules *policyv1alpha1.StatePreservation, cluster string) (binding.State, error) {
	if !d.Gates.Enabled(features.StatefulFailoverInjection) {
		return binding.State{}, nil
	}
	if state, pending := binding.PendingState(b, cluster); pending {
		return state, nil
	}
	item := binding.ItemOf(b, cluster)
	values, err := valuesOf(ctx, d, b, item)
	if base.Pending(err) {
		return binding.State{}, err
	}
	state, incomplete, err := binding.StateLeft(b, rules, item, values, err)
	if incomplete != nil {
		d.Warn(b, "StatePreservationIncomplete", "Failover", incomplete)
	}
	return state, err
}

// Observe returns the state that the copy of one item reports, by the rules of both sorts
// of failover and the script of the kind, and why a failover would lose any. The error is
// that of a script that is not compiled yet.
func Observe(ctx context.Context, d base.Deps, b workv1alpha2.Binding, item *workv1alpha2.AggregatedStatusItem) (binding.Report, []binding.Problem, error) {
	healthy := item.Health == workv1alpha2.ResourceHealthy
	values, err := valuesOf(ctx, d, b, item)
	if base.Pending(err) {
		return binding.Report{}, nil, err
	}
	report := binding.NewReport(item.ClusterName, healthy, values)
	var problems []binding.Problem
	for _, r := range binding.StateRulesOf(b.GetSpec().Failover) {
		labels, failed := binding.ExtractState(r.Rules, binding.StatusOf(item))
		report.Add(r.Rules, labels)
		problems = append(problems, binding.RuleProblems(failed, item.ClusterName, r.Path, healthy)...)
	}
	if err != nil {
		problems = append(problems, binding.Problem{Reason: workv1alpha2.InterpretStateFailedReason, Message: fmt.Sprintf(
			"cluster %s: interpret the state: %v; mend the script", item.ClusterName, err)})
	}
	return report, problems, nil
}

// valuesOf returns the state that the kind's script names. What was reported from the cluster
// goes first: there the script saw the object itself, and those that are related to it.
func valuesOf(ctx context.Context, d base.Deps, b workv1alpha2.Binding, item *workv1alpha2.AggregatedStatusItem) (map[string]string, error) {
	if len(item.State) > 0 {
		return maps.Clone(item.State), nil
	}
	return interpret(ctx, d, b, item)
}

// interpret returns the state that the kind's script names, of the template with the
// status that the cluster reported.
func interpret(ctx context.Context, d base.Deps, b workv1alpha2.Binding, item *workv1alpha2.AggregatedStatusItem) (map[string]string, error) {
	rules, key, raw := d.Interpreter.Snapshot(), templates.KeyOfReference(&b.GetSpec().Resource), binding.StatusOf(item)
	if len(raw) == 0 || !rules.Supports(key.GroupVersionKind, engine.InterpretState) {
		return nil, nil
	}
	object, err := d.Templates.Get(ctx, key)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	var status any
	if err := utiljson.Unmarshal(raw, &status); err != nil {
		return nil, fmt.Errorf("read the reported status: %w", err)
	}
	object = &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	object.Object["status"] = status
	return rules.State(object)
}

// NamesState reports whether a script names the state of a binding's kind.
func NamesState(d base.Deps, b workv1alpha2.Binding) bool {
	kind := templates.KeyOfReference(&b.GetSpec().Resource).GroupVersionKind
	return d.Interpreter.Snapshot().Supports(kind, engine.InterpretState)
}
