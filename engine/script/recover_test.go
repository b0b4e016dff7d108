// SPDX-License-Identifier: Apache-2.0

package script

import (
	"errors"
	"strings"
	"testing"
)

// tried returns how f ended.
func tried(f func() error) (err error) {
	defer Recover(&err, Position{File: "b/a.yaml", Line: 3}, "the trial")
	return f()
}

func TestRecoverNamesPlaceCauseAndFunction(t *testing.T) {
	failure, ok := errors.AsType[*Error](tried(func() error {
		var failure *Error
		return errors.New(failure.Message)
	}))
	if !ok || failure.Code != Internal || len(failure.Trace) < 2 {
		t.Fatalf("got %+v; want an error of code Internal with the calls", failure)
	}
	const begin = "b/a.yaml:3: the trial stopped by a defect of dragoman: runtime error: invalid memory address or nil pointer dereference (at recover_test.go:"
	if text := failure.Error(); !strings.HasPrefix(text, begin) || !strings.Contains(text, " in engine/script.TestRecoverNamesPlaceCauseAndFunction") {
		t.Errorf("got %q; want it to begin with %q", text, begin)
	}
	if text := tried(func() error { panic(strings.Repeat("x", 10_000)) }).Error(); len(text) > 1000 {
		t.Errorf("the error of a long panic has %d bytes", len(text))
	}
}

func TestRecoverKeepsAnErrorThatIsReturned(t *testing.T) {
	want := errors.New("as it is")
	if err := tried(func() error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v; want %v", err, want)
	}
	if err := tried(func() error { return nil }); err != nil {
		t.Errorf("got %v; want nil", err)
	}
}
