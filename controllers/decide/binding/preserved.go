// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Problem is why a failover would lose state.
type Problem struct {
	// Reason is that of the condition StatePreserved.
	Reason string
	// Message has where, what, and what to do.
	Message string
}

// maxPreservedMessage bounds the message of the condition StatePreserved.
const maxPreservedMessage = 4096

// RuleProblems returns what is wrong with the rules of a policy and what they name in one
// cluster, by the error of ExtractState. The path is that of the statePreservation in the
// spec. A path that is not there counts for a healthy copy only: another may not have it
// yet. For another error there is none.
func RuleProblems(err error, cluster, path string, healthy bool) []Problem {
	var all []Problem
	for _, rule := range RuleErrors(err) {
		if rule.Reason == workv1alpha2.PathNotFoundReason && !healthy {
			continue
		}
		where := "spec.failover." + path + "." + rule.Error()
		if rule.Reason != workv1alpha2.InvalidRuleReason {
			where = "cluster " + cluster + ": " + where // the rule itself may be right
		}
		all = append(all, Problem{rule.Reason, where + "; " + rule.Fix()})
	}
	return all
}

// RuleErrors returns the RuleErrors of an error of ExtractState.
func RuleErrors(err error) []*RuleError {
	var all []*RuleError
	if joined, several := err.(interface{ Unwrap() []error }); several {
		for _, e := range joined.Unwrap() {
			all = append(all, RuleErrors(e)...)
		}
		return all
	}
	if one := (*RuleError)(nil); errors.As(err, &one) {
		all = append(all, one)
	}
	return all
}

// CarriedProblems returns what of the state that is carried over cannot be a label of the
// new copy, so that it is left out.
func CarriedProblems(b workv1alpha2.Binding) []Problem {
	var all []Problem
	for _, c := range CarriedStates(b) {
		for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
			problem := labelProblem(key, c.Labels[key])
			if problem == "" {
				continue
			}
			all = append(all, Problem{workv1alpha2.InvalidRuleReason, fmt.Sprintf(
				"the state from cluster %s: %s; it is left out, set the label %s on the template if the new copy needs it", c.From, problem, key)})
		}
	}
	return all
}

// TooLarge returns that the state of some clusters is not kept.
func TooLarge(clusters []string) []Problem {
	if len(clusters) == 0 {
		return nil
	}
	return []Problem{{workv1alpha2.StateTooLargeReason, fmt.Sprintf(
		"the state of %s is larger than what is kept (%d KiB for a cluster, %d KiB in all), so it is lost when the status there loses it; have the rules or the script name less",
		list(clusters), maxKeptOfCluster>>10, maxKept>>10)}}
}

// SetStatePreserved returns conditions with what problems say about StatePreserved: it is
// False if there are any, and absent otherwise.
func SetStatePreserved(conditions []metav1.Condition, problems []Problem, generation int64) []metav1.Condition {
	all := slices.Clone(conditions)
	if len(problems) == 0 {
		meta.RemoveStatusCondition(&all, workv1alpha2.StatePreserved)
		return all
	}
	var messages []string
	for _, p := range problems {
		if !slices.Contains(messages, p.Message) {
			messages = append(messages, p.Message)
		}
	}
	message := strings.Join(messages, "; and ")
	if len(message) > maxPreservedMessage {
		message = strings.ToValidUTF8(message[:maxPreservedMessage-3], "") + "..."
	}
	meta.SetStatusCondition(&all, metav1.Condition{
		Type: workv1alpha2.StatePreserved, Status: metav1.ConditionFalse, Reason: problems[0].Reason, ObservedGeneration: generation, Message: message,
	})
	return all
}
