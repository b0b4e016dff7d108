// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/jsonpath"
)

// State is what is carried over from one cluster to the next.
type State struct {
	// Labels are put on the object there; their values are valid label values.
	Labels map[string]string
	// Values are passed to the script that restores state.
	Values map[string]string
}

// IsEmpty reports whether there is nothing to carry over.
func (s State) IsEmpty() bool { return len(s.Labels) == 0 && len(s.Values) == 0 }

// RuleError is why a rule of a policy names no label.
type RuleError struct {
	// Index is that of the rule in the policy.
	Index int
	Rule  policyv1alpha1.StatePreservationRule
	// Reason is that of the condition StatePreserved.
	Reason string
	Err    error
}

// Error names the rule and what is wrong.
func (e *RuleError) Error() string {
	return fmt.Sprintf("statePreservation.rules[%d] (%s, %s): %s", e.Index, clip(e.Rule.AliasLabelName, maxQuoted), clip(e.Rule.JSONPath, maxQuoted), e.Err)
}

// Unwrap returns what is wrong.
func (e *RuleError) Unwrap() error { return e.Err }

// Fix returns what a user can do about it.
func (e *RuleError) Fix() string {
	switch e.Reason {
	case workv1alpha2.InvalidRuleReason:
		return "mend the rule in the policy; until then it is left out"
	case workv1alpha2.InvalidLabelValueReason:
		return "name a field whose value can be a label, or have a script of the kind name the state"
	}
	return "mend the path in the policy if the field has another name"
}

// ExtractState reads the state that a policy's rules name from the status of a cluster,
// as the binding reports it. The error joins a RuleError for each rule that names none:
// one whose key cannot be that of a label or whose path does not parse, whose value
// cannot be a label, or whose path is not there, with the field that was probably meant.
// The labels that could be read are returned beside errors too.
//
// The paths and the status are of users: what the rules of a policy may look at is bounded,
// and each has an equal share of it.
func ExtractState(preservation *policyv1alpha1.StatePreservation, raw []byte) (map[string]string, error) {
	if preservation == nil || len(preservation.Rules) == 0 {
		return nil, nil
	}
	var status any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &status); err != nil {
			return nil, fmt.Errorf("read the reported status: %w", err)
		}
	}
	labels := map[string]string{}
	var failed []error
	share := maxValues / len(preservation.Rules)
	for i, rule := range preservation.Rules {
		value, reason, err := apply(&rule, status, share)
		if err != nil {
			failed = append(failed, &RuleError{Index: i, Rule: rule, Reason: reason, Err: err})
			continue
		}
		labels[rule.AliasLabelName] = value
	}
	return labels, errors.Join(failed...)
}

// apply returns the label value that a rule reads from a status, or the reason why there
// is none.
func apply(rule *policyv1alpha1.StatePreservationRule, status any, share int) (value, reason string, err error) {
	if problems := validation.IsQualifiedName(rule.AliasLabelName); len(problems) > 0 {
		return "", workv1alpha2.InvalidRuleReason, fmt.Errorf("aliasLabelName %q cannot be the key of a label: %s", rule.AliasLabelName, strings.Join(problems, "; "))
	}
	template, err := jsonpath.Parse(rule.JSONPath)
	if err != nil {
		return "", workv1alpha2.InvalidRuleReason, fmt.Errorf("jsonPath is not a JSONPath: %w", err)
	}
	value, err = template.Evaluate(status, &jsonpath.Budget{Values: share, Output: maxQuoted + 1})
	if errors.Is(err, jsonpath.ErrBudget) {
		return "", workv1alpha2.InvalidRuleReason, fmt.Errorf("jsonPath costs too much on this status: %w; name the fields on the way in place of \"..\" and \"*\"", err)
	}
	if err != nil {
		return "", workv1alpha2.PathNotFoundReason, withHint(err, rule.JSONPath, status)
	}
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		return "", workv1alpha2.InvalidLabelValueReason, fmt.Errorf("the value %q cannot be a label: %s", clip(value, maxQuoted), strings.Join(problems, "; "))
	}
	return value, "", nil
}

// maxQuoted bounds the bytes of a value in a message.
const maxQuoted = 2 * validation.LabelValueMaxLength

// maxValues is how many values of a status the rules of one policy may look at, some
// milliseconds of work. A path of plain fields looks at few for each field.
const maxValues = 100_000

// maxHinted is how many fields an object may have among which the one that was meant is
// looked for.
const maxHinted = 1000

// withHint adds to the error of a path the one that was probably meant.
func withHint(err error, path string, status any) error {
	if hint := nearest(path, status); hint != "" {
		return fmt.Errorf("%w; did you mean %s?", err, hint)
	}
	return err
}

// nearest returns the path of plain fields in status that differs from path in the
// spelling of one field, or "".
func nearest(path string, status any) string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(path), "{")
	if !ok {
		return ""
	}
	inner = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "}"))
	if !strings.HasPrefix(inner, ".") {
		return ""
	}
	fields := strings.Split(inner[1:], ".")
	for i, field := range fields {
		m, isMap := status.(map[string]any)
		if !isMap {
			return ""
		}
		if next, found := m[field]; found {
			status = next
			continue
		}
		if len(m) > maxHinted {
			return ""
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if strings.EqualFold(key, field) || strings.EqualFold(strings.ReplaceAll(key, "_", ""), strings.ReplaceAll(field, "_", "")) {
				fields[i] = key
				return "{ ." + strings.Join(fields, ".") + " }"
			}
		}
		return ""
	}
	return ""
}

// Unnamed divides the errors of ExtractState by whether the rule may name a label at
// another time, of which those are left out that one of the labels is for.
func Unnamed(preservation *policyv1alpha1.StatePreservation, failed error, labels map[string]string) (missing, invalid []error) {
	has := func(rule *policyv1alpha1.StatePreservationRule) bool { _, ok := labels[rule.AliasLabelName]; return ok }
	rules := RuleErrors(failed)
	for _, rule := range rules {
		switch {
		case rule.Reason == workv1alpha2.InvalidRuleReason:
			invalid = append(invalid, rule)
		case !has(&rule.Rule):
			missing = append(missing, rule)
		}
	}
	if failed != nil && len(rules) == 0 { // the status cannot be read
		for i := range preservation.Rules {
			if !has(&preservation.Rules[i]) {
				return []error{failed}, nil
			}
		}
	}
	return missing, invalid
}
