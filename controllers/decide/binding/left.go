// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"errors"
	"maps"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// ReportedState returns the state to carry over from a cluster by what was reported and kept alone:
// of a script it knows what the member of the copy reported. The error is what keeps the copy where
// it is.
func ReportedState(b workv1alpha2.Binding, rules *policyv1alpha1.StatePreservation, cluster string) (State, error) {
	if state, pending := PendingState(b, cluster); pending {
		return state, nil
	}
	item := ItemOf(b, cluster)
	state, _, err := StateLeft(b, rules, item, maps.Clone(item.State), nil)
	return state, err
}

// StateLeft returns the state of the copy of an item, whose script named values or failed.
// incomplete is what is wrong although there is a state; the error is what keeps the copy
// where it is.
func StateLeft(b workv1alpha2.Binding, rules *policyv1alpha1.StatePreservation, item *workv1alpha2.AggregatedStatusItem, values map[string]string, script error) (state State, incomplete, _ error) {
	labels, failed := ExtractState(rules, StatusOf(item))
	report := NewReport(item.ClusterName, item.Health == workv1alpha2.ResourceHealthy, values)
	// What the copy took over is older than what any rule names now.
	for _, r := range StateRulesOf(b.GetSpec().Failover) {
		all, _ := ExtractState(r.Rules, StatusOf(item))
		report.Add(r.Rules, all)
	}
	report.Add(rules, labels)
	state = NewestState(b, rules, report)
	state.Labels = merged(labels, state.Labels)
	missing, invalid := Unnamed(rules, failed, state.Labels)
	wrong := errors.Join(append(append(invalid, missing...), script)...)
	if blocked := len(missing) > 0 || script != nil && len(state.Labels) == 0; blocked && len(state.Values) == 0 {
		return State{}, nil, wrong
	}
	return state, wrong, nil
}

// merged returns a new map with the entries of both; those of b take precedence. Nil is
// that of none.
func merged(a, b map[string]string) map[string]string {
	if len(a)+len(b) == 0 {
		return nil
	}
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}

// StateRules are the rules of state of application or of cluster failover; Path is the field of
// spec.failover that has them.
type StateRules struct {
	Path  string
	Rules *policyv1alpha1.StatePreservation
}

// StateRulesOf returns those of the failovers that preserve state.
func StateRulesOf(f *policyv1alpha1.FailoverBehavior) []StateRules {
	var all []StateRules
	if f != nil && f.Application != nil && f.Application.StatePreservation != nil {
		all = append(all, StateRules{"application", f.Application.StatePreservation})
	}
	if f != nil && f.Cluster != nil && f.Cluster.StatePreservation != nil {
		all = append(all, StateRules{"cluster", f.Cluster.StatePreservation})
	}
	return all
}

// ItemOf returns what a cluster last reported of a binding; an empty item where that is nothing.
func ItemOf(b workv1alpha2.Binding, cluster string) *workv1alpha2.AggregatedStatusItem {
	items := b.GetStatus().AggregatedStatus
	for i := range items {
		if items[i].ClusterName == cluster {
			return &items[i]
		}
	}
	return &workv1alpha2.AggregatedStatusItem{ClusterName: cluster}
}

// StatusOf returns the status of an item; nil where there is none.
func StatusOf(item *workv1alpha2.AggregatedStatusItem) []byte {
	if item.Status == nil {
		return nil
	}
	return item.Status.Raw
}
