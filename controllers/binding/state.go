// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/util/jsonpath"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
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

// ExtractState reads the state that a policy's rules name from the status of a cluster,
// as the binding reports it. Each error names the rule, and for a path that is not
// there the field that was probably meant. The labels that could be read are
// returned beside errors too.
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
	for i, rule := range preservation.Rules {
		value, err := evaluate(rule.JSONPath, status)
		if err == nil {
			if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
				err = fmt.Errorf("the value %q cannot be a label: %s", value, strings.Join(problems, "; "))
			}
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("statePreservation.rules[%d] (%s, %s): %w", i, rule.AliasLabelName, rule.JSONPath, err))
			continue
		}
		labels[rule.AliasLabelName] = value
	}
	return labels, errors.Join(failed...)
}

// evaluate renders a JSONPath template on a status. Text outside of braces stands for
// itself, whole numbers are written without an exponent.
func evaluate(path string, status any) (string, error) {
	p := jsonpath.New("state").AllowMissingKeys(false)
	if err := p.Parse(path); err != nil {
		return "", fmt.Errorf("is not a JSONPath: %w", err)
	}
	var out bytes.Buffer
	if err := p.Execute(&out, status); err != nil {
		if hint := nearest(path, status); hint != "" {
			return "", fmt.Errorf("%w; did you mean %s?", err, hint)
		}
		return "", err
	}
	return out.String(), nil
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

// CarriedState returns the state that a pending task preserved, the last one's first;
// false where none has any. A task is pending as long as its replacement has not become
// healthy: what the failed replacement reports must then neither hide the state of the
// job before it nor be mixed with it. A task that only waits for the user's confirmation
// does not count.
func CarriedState(spec *workv1alpha2.ResourceBindingSpec) (State, bool) {
	for i := len(spec.GracefulEvictionTasks) - 1; i >= 0; i-- {
		t := &spec.GracefulEvictionTasks[i]
		if t.SuppressDeletion == nil && (len(t.PreservedLabelState) > 0 || len(t.PreservedState) > 0) {
			return State{Labels: maps.Clone(t.PreservedLabelState), Values: maps.Clone(t.PreservedState)}, true
		}
	}
	return State{}, false
}

// CoversRules reports whether each rule of a policy has its label in the state.
func (s State) CoversRules(preservation *policyv1alpha1.StatePreservation) bool {
	if preservation == nil {
		return true
	}
	for _, rule := range preservation.Rules {
		if _, ok := s.Labels[rule.AliasLabelName]; !ok {
			return false
		}
	}
	return true
}
