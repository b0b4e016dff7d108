// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// asked is a case with what the scripts answered before.
type asked struct {
	*cases.Case
	answer []any
	err    error
}

// InexpressibleError is what the other form cannot say.
type InexpressibleError struct {
	// Where names a manifest, or the customizations.
	Where, What string
}

// Error returns both.
func (e *InexpressibleError) Error() string { return e.Where + ": " + e.What }

// inexpressible makes an error of what the other form cannot say.
func inexpressible(where, format string, args ...any) error {
	return &InexpressibleError{where, fmt.Sprintf(format, args...)}
}

// AnswerError is an answer that is another one in the other form.
type AnswerError struct {
	// Where is file:line of the case, and Name its name.
	Where, Name string
	// Path leads to what differs in the answer; "" where only one of the forms fails.
	Path          string
	Before, After string
}

// Error returns what differs.
func (e *AnswerError) Error() string {
	what := e.Path
	if what == "" {
		what = "the answer"
	}
	return fmt.Sprintf("%s: %s: %s was %s and would be %s", e.Where, e.Name, what, e.Before, e.After)
}

// askAll asks the scripts about all cases. Those that no script answers, that choose parameters, or are not
// about what is migrated, are left out.
func askAll(rules engine.Snapshot, all []*cases.Case, of Selection) []asked {
	var found []asked
	for _, c := range all {
		if len(c.Parameters) > 0 || !of.has(c.Kind().Kind, c.Operation.Name) {
			continue
		}
		answer, err := rules.Evaluate(c.Question)
		if errors.Is(err, engine.ErrNoRule) {
			continue
		}
		found = append(found, asked{c, answer, err})
	}
	return found
}

// compare asks the scripts again, in their new form, and returns the answers that are other ones. How a
// script fails is none: it names its file.
func compare(before []asked, after engine.Snapshot) []*AnswerError {
	var all []*AnswerError
	for _, a := range before {
		answer, err := after.Evaluate(a.Question)
		switch {
		case err != nil && a.err != nil:
		case err != nil:
			all = append(all, &AnswerError{Where: a.Where(), Name: a.Name, Before: "there", After: fmt.Sprintf("the error %q", err)})
		case a.err != nil:
			all = append(all, &AnswerError{Where: a.Where(), Name: a.Name, Before: fmt.Sprintf("the error %q", a.err), After: "there"})
		default:
			for i, r := range a.Operation.Results {
				for _, d := range cases.Differences(r, a.answer[i], answer[i]) {
					all = append(all, &AnswerError{a.Where(), a.Name, d.Path, shown(d.Want), shown(d.Got)})
				}
			}
		}
	}
	return all
}

// maxShown is how much of a value a message has, in bytes.
const maxShown = 200

func shown(value json.RawMessage) string {
	switch {
	case value == nil:
		return "nothing"
	case len(value) > maxShown:
		return string(value[:maxShown]) + "..."
	}
	return string(value)
}

// snapshotOf returns the answers of rule sets, those of customizations or of a bundle.
func snapshotOf(layer engine.Layer, sets ...engine.RuleSet) (engine.Snapshot, error) {
	i := engine.NewInterpreter(engine.Options{Clock: cases.Clock()})
	for _, set := range sets {
		if err := i.Set(layer, set); err != nil {
			return engine.Snapshot{}, err
		}
	}
	return i.Snapshot(), nil
}
