// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestCovered(t *testing.T) {
	coverage := script.NewCoverage()
	p, err := compiler(t).Compile("test.cel", "// a comment\n\n  object.a\n  + 1", dyn("object"), script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p = Covered(p, coverage)
	if total, missed := coverage.Lines("test.cel"); total != 1 || !slices.Equal(missed, []int{3}) {
		t.Errorf("before the run: got %d lines, %v missed; want line 3 of 1", total, missed)
	}
	call := &script.Call{Names: []string{"object"}, Args: []any{map[string]any{"a": int64(1)}}}
	if _, err := p.Run(call, &decoder{}); err != nil {
		t.Fatal(err)
	}
	if total, missed := coverage.Lines("test.cel"); total != 1 || len(missed) > 0 {
		t.Errorf("after the run: got %d lines, %v missed; want none of 1", total, missed)
	}
}

func TestCoveredWithoutCoverageIsTheProgram(t *testing.T) {
	p, err := compiler(t).Compile("test.cel", "1", nil, script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if Covered(p, nil) != p {
		t.Error("got another program, want the same")
	}
}
