// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// maxShown is how many bytes of a text of an answer are shown.
	maxShown = 128 << 10
	// maxPrinted and maxPrintedBytes are how much of what a run prints is shown.
	maxPrinted      = 200
	maxPrintedBytes = 16 << 10
)

// observe returns what takes the cost of the run, over a number of status items.
func (a *Asked) observe(items int) func(engine.Run) {
	return func(run engine.Run) {
		limits := script.DefaultLimits().AtMost(run.Rule.Limits)
		if run.Operation == engine.AggregateStatus {
			limits = limits.WithItems(min(items, limits.Items))
		}
		a.Gas, a.Memory, a.GasLimit = run.Usage.Gas, run.Usage.Memory, limits.Gas
	}
}

// isAbandoned reports whether the run did not end in time.
func (a *Asked) isAbandoned() bool {
	return a.Problem != nil && a.Problem.Code == string(script.Deadline)
}

// show sets the texts of an answer.
func (a *Asked) show(op engine.Operation, object *unstructured.Unstructured, answer []any) error {
	named := op.Named(answer)
	asYAML, err := yaml.Marshal(named)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	asJSON, err := json.MarshalIndent(named, "", "  ")
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if op.Patch {
		if a.Changes, err = changes(object, answer[0]); err != nil {
			return fmt.Errorf("compare the answer with the object: %w", err)
		}
	}
	a.YAML, a.JSON = shown(string(asYAML)), shown(string(asJSON))
	return nil
}

// changes returns what an answer changes in an object, as the YAML of a merge patch.
func changes(object *unstructured.Unstructured, answer any) (string, error) {
	after, isObject := answer.(*unstructured.Unstructured)
	if !isObject {
		return "", fmt.Errorf("the answer is no object: %T", answer)
	}
	text, err := yaml.Marshal(mergePatch(object.Object, after.Object))
	return shown(strings.TrimRight(string(text), "\n")), err
}

// mergePatch returns the merge patch from one map to another. Where a value became null, the patch
// takes it away: a merge patch cannot set null.
func mergePatch(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range before {
		if _, kept := after[key]; !kept {
			patch[key] = nil
		}
	}
	for key, value := range after {
		was, existed := before[key]
		wasMap, _ := was.(map[string]any)
		isMap, _ := value.(map[string]any)
		switch {
		case wasMap != nil && isMap != nil:
			if inner := mergePatch(wasMap, isMap); len(inner) > 0 {
				patch[key] = inner
			}
		case !existed || !equal(was, value):
			patch[key] = value
		}
	}
	return patch
}

// equal reports whether two values are one as JSON has them: 1 and 1.0 are one number.
func equal(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	left, leftErr := json.Marshal(a)
	right, rightErr := json.Marshal(b)
	return leftErr == nil && rightErr == nil && bytes.Equal(left, right)
}

// shown returns the beginning of a text that is too long to be shown.
func shown(text string) string {
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n... %d bytes more", text[:cut], len(text)-cut)
}

// lines are what a run prints. A run that was abandoned may go on printing, so they have a lock.
type lines struct {
	mu    sync.Mutex
	kept  []string
	bytes int
	more  int
}

// add takes a line, and where the call of print stands.
func (l *lines) add(at script.Position, line string) {
	line = at.String() + ": " + line
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == maxPrinted || l.bytes+len(line) > maxPrintedBytes {
		l.more++
		return
	}
	l.kept, l.bytes = append(l.kept, line), l.bytes+len(line)
}

// all returns the lines, and at the end how many were left out.
func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := append([]string{}, l.kept...)
	if l.more > 0 {
		all = append(all, fmt.Sprintf("... %d lines more", l.more))
	}
	return all
}
