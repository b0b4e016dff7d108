// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"slices"

	"github.com/dragoman-io/dragoman/engine/internal/pattern"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// expectedError is an error that a case expects; an empty field is any.
type expectedError struct {
	code    script.Code
	message *pattern.Pattern
	at      string
}

// expectation reads what the case expects: an error, or something of the answer.
func (d *parsedCase) expectation(n yamldoc.Node) error {
	answer := []yamldoc.Node{d.output, d.changes, d.subset, d.assert}
	answered := slices.ContainsFunc(answer, func(n yamldoc.Node) bool { return n.Value != nil })
	switch {
	case d.expectError.Value != nil && answered:
		return d.expectError.Errorf("a case expects an answer or an error, not both")
	case d.expectError.Value != nil && d.ignore.Value != nil:
		return d.ignore.Errorf("a case that expects an error has no output of which something could be ignored")
	case d.expectError.Value != nil:
		return d.readError()
	case d.changes.Value != nil && d.output.Value != nil:
		return d.changes.Errorf("a case has output or changes, not both")
	case !answered:
		return n.Errorf("a case must have output, changes, expectSubset, assert or expectError")
	}
	// What is ignored are paths of the output.
	if err := errors.Join(d.readOutput(), d.readChanges(), d.readSubset(), d.readAssertions()); err != nil {
		return err
	}
	return d.readIgnored()
}

// readOutput reads what the results are expected to be.
func (d *parsedCase) readOutput() error {
	if d.output.Value == nil {
		return nil
	}
	d.Case.output = map[string]yamldoc.Node{}
	return d.output.Each(func(key string, value yamldoc.Node) error {
		result, err := resultNamed(d.Operation, key)
		if err != nil {
			return value.Errorf("%v", err)
		}
		d.Case.output[key] = value.Leaf()
		_, err = d.expected(result, value)
		return err
	})
}

// readChanges reads what the operation is expected to change in its object, a merge patch.
func (d *parsedCase) readChanges() error {
	patch, isMap := d.changes.Value.(map[string]any)
	switch {
	case d.changes.Value == nil:
		return nil
	case !d.Operation.Patch:
		return d.changes.Errorf("%s does not answer with its object; write output", d.Operation.Name)
	case !isMap:
		return d.changes.Errorf("want a map")
	case !d.reader.fits(yamldoc.SizeOf(d.Question.Object.Object)):
		return d.changes.Errorf(beyondBudget)
	}
	result, wanted := d.Operation.Results[0], d.changes.Leaf()
	wanted.Value, wanted.Path = merged(d.Question.Object.Object, patch), result.Name
	d.Case.output, d.derived = map[string]yamldoc.Node{result.Name: wanted}, true
	_, err := d.expected(result, wanted)
	return err
}

func (d *parsedCase) readError() error {
	var code, message string
	e := &expectedError{}
	err := d.expectError.Fields(yamldoc.Fields{
		"code":    yamldoc.String(&code),
		"message": yamldoc.String(&message),
		"at":      yamldoc.String(&e.at),
	})
	if err != nil {
		return err
	}
	if code == "" && message == "" && e.at == "" {
		return d.expectError.Errorf("give code, message or at")
	}
	if e.code = script.Code(code); code != "" && !slices.Contains(codes, code) {
		return d.expectError.Get("code").Errorf("%s", yamldoc.Unknown("code", code, codes))
	}
	if e.message, err = d.reader.pattern(message); err != nil {
		return d.expectError.Get("message").Errorf("%v", err)
	}
	d.failure = e
	return nil
}

// codes are the codes that a run can end with.
var codes = []string{
	string(script.Type), string(script.User), string(script.Gas), string(script.Memory),
	string(script.Depth), string(script.Input), string(script.Result),
}
