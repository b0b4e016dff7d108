// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

func TestReport(t *testing.T) {
	broken := errors.Join(&engine.FieldError{Field: "spec.customizations.retention.luaScript", Err: &script.Error{Code: script.Syntax, Position: script.Position{Line: 3}, Message: "syntax error"}})
	failed := &script.Error{Code: script.Type, Position: script.Position{File: "c/retention.luaScript", Line: 2}, Message: "attempt to index nil"}
	condition := func(kind, status, reason, message string, generation int64) string {
		return fmt.Sprintf("%s %s %s of %d: %s", kind, status, reason, generation, message)
	}
	over := &engine.OverBudgetError{RuleSet: "c", Size: 3 << 20, Total: 2 << 20, Bound: 4 << 20}
	evaluated := func(generation int64) metav1.Condition {
		return metav1.Condition{Type: Evaluated, Status: metav1.ConditionFalse, Reason: "User", Message: "said before", ObservedGeneration: generation}
	}
	cases := map[string]struct {
		reason  string
		outcome outcome
		failure error
		before  []metav1.Condition
		want    []string
		hash    string
	}{
		"Active": {
			reason: "all is well", outcome: outcome{generation: 7, active: 7, hash: "h", share: share{all: 1}}, hash: "h",
			want: []string{condition("Compiled", "True", "Compiled", "all scripts compile", 7), condition("Active", "True", "Active", "the scripts answer for their kind", 7)},
		},
		"Empty": {
			reason: "nothing answers", outcome: outcome{generation: 7, active: 7, hash: "h"}, hash: "h",
			want: []string{
				condition("Compiled", "True", "Compiled", "all scripts compile", 7),
				condition("Active", "False", "Empty", "there are no scripts, so that it answers nothing; add some below spec.customizations", 7),
			},
		},
		"Shadowed": {
			reason: "others answer for all of it", hash: "h",
			outcome: outcome{generation: 7, active: 7, hash: "h", share: share{all: 3, shadowed: []shadow{{"InterpretHealth", "a"}, {"Retain", "a"}, {"InterpretStatus", "b"}}}},
			want: []string{
				condition("Compiled", "True", "Compiled", "all scripts compile", 7),
				condition("Active", "False", "Shadowed", "it answers nothing: customization a answers InterpretHealth, Retain; customization b answers InterpretStatus, since the first by name answers", 7),
			},
		},
		"PartlyShadowed": {
			reason: "others answer for some of it", hash: "h",
			outcome: outcome{generation: 7, active: 7, hash: "h", share: share{all: 2, shadowed: []shadow{{"Retain", "a"}}}},
			want: []string{
				condition("Compiled", "True", "Compiled", "all scripts compile", 7),
				condition("Active", "True", "PartlyShadowed", "the other scripts answer for their kind; customization a answers Retain, since the first by name answers", 7),
			},
		},
		"Broken": {
			reason: "field, line and what; there is nothing else that answers", outcome: outcome{generation: 7, err: broken},
			want: []string{
				condition("Compiled", "False", "Syntax", "spec.customizations.retention.luaScript: line 3: syntax error", 7),
				condition("Active", "False", "Broken", "generation 7 is not active, and none of its scripts answer: spec.customizations.retention.luaScript: line 3: syntax error", 7),
			},
		},
		"LastGood": {
			reason: "the generation before answers", outcome: outcome{generation: 7, err: broken, active: 5, hash: "h5"}, hash: "h5",
			want: []string{
				condition("Compiled", "False", "Syntax", "spec.customizations.retention.luaScript: line 3: syntax error", 7),
				condition("Active", "False", "Broken", "generation 7 is not active, and generation 5 stays active: spec.customizations.retention.luaScript: line 3: syntax error", 7),
			},
		},
		"Invalid": {
			reason: "an error that is no script's", outcome: outcome{generation: 7, err: errors.New("no kind")},
			want: []string{
				condition("Compiled", "False", "Invalid", "no kind", 7),
				condition("Active", "False", "Broken", "generation 7 is not active, and none of its scripts answer: no kind", 7),
			},
		},
		"PendingAtStart": {
			reason: "nothing of it answers, nor anything in its place", outcome: outcome{pending: true}, before: []metav1.Condition{evaluated(7)},
			want: []string{
				condition("Evaluated", "False", "User", "said before", 7),
				condition("Compiled", "Unknown", "Pending", "generation 7 is not compiled yet", 7),
				condition("Active", "Unknown", "Pending", "generation 7 is not compiled yet, and its operations answer with an error until it is", 7),
			},
		},
		"PendingLastGood": {
			reason: "the generation before answers", outcome: outcome{generation: 5, active: 5, hash: "h5"}, hash: "h5",
			want: []string{
				condition("Compiled", "Unknown", "Pending", "generation 7 is not compiled yet", 7),
				condition("Active", "Unknown", "Pending", "generation 7 is not compiled yet, and generation 5 stays active", 7),
			},
		},
		"OverBudget": {
			reason: "what it needs, and what there is", outcome: outcome{generation: 7, err: fmt.Errorf("set: %w", over), active: 5, hash: "h5"}, hash: "h5",
			want: []string{
				condition("Compiled", "Unknown", "OverBudget", "set: the programs of rule set c take up to 3.0 MiB, and those of all others 2.0 MiB of at most 4.0 MiB: shorten or remove scripts, or raise the bound", 7),
				condition("Active", "False", "OverBudget", "generation 7 is not active, and generation 5 stays active: set: the programs of rule set c take up to 3.0 MiB, and those of all others 2.0 MiB of at most 4.0 MiB: shorten or remove scripts, or raise the bound", 7),
			},
		},
		"Failed": {
			reason: "where the run failed", outcome: outcome{generation: 7, active: 7, share: share{all: 1}}, failure: failed,
			want: []string{
				condition("Compiled", "True", "Compiled", "all scripts compile", 7), condition("Active", "True", "Active", "the scripts answer for their kind", 7),
				condition("Evaluated", "False", "Type", "c/retention.luaScript:2: attempt to index nil", 7),
			},
		},
		"FailedBefore": {
			reason: "another process, or this one before a restart, saw it", outcome: outcome{generation: 7, active: 7, share: share{all: 1}}, before: []metav1.Condition{evaluated(7)},
			want: []string{
				condition("Evaluated", "False", "User", "said before", 7),
				condition("Compiled", "True", "Compiled", "all scripts compile", 7), condition("Active", "True", "Active", "the scripts answer for their kind", 7),
			},
		},
		"Mended": {
			reason: "what failed does not answer any more", outcome: outcome{generation: 7, active: 7, share: share{all: 1}}, before: []metav1.Condition{evaluated(6)},
			want: []string{condition("Compiled", "True", "Compiled", "all scripts compile", 7), condition("Active", "True", "Active", "the scripts answer for their kind", 7)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Generation: 7}}
			cr.Status.Conditions = tc.before
			report(cr, tc.outcome, tc.failure)
			active := meta.FindStatusCondition(cr.Status.Conditions, configv1alpha1.ConditionActive)
			var got []string
			for _, c := range cr.Status.Conditions {
				if c.Type == configv1alpha1.ConditionReady {
					if c.Type = active.Type; c != *active {
						t.Errorf("Ready is %v, and Active %v", c, *active)
					}
					continue
				}
				got = append(got, condition(c.Type, string(c.Status), c.Reason, c.Message, c.ObservedGeneration))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || len(got)+1 != len(cr.Status.Conditions) {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if cr.Status.ContentHash != tc.hash || cr.Status.ObservedGeneration != 7 {
				t.Errorf("got hash %q of generation %d, want %q of 7", cr.Status.ContentHash, cr.Status.ObservedGeneration, tc.hash)
			}
		})
	}
}

func TestReportKeepsMessagesShort(t *testing.T) {
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	report(cr, outcome{active: 1}, errors.New(strings.Repeat("é", 100_000)))
	for _, c := range cr.Status.Conditions {
		if n := len([]rune(c.Message)); n > maxMessage {
			t.Errorf("the message of %s has %d characters, want at most %d: the API server takes no more than 32768", c.Type, n, maxMessage)
		}
	}
}
