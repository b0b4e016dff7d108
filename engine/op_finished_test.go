// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"testing"
)

func TestFinished(t *testing.T) {
	lua := func(answer string) *Rule {
		return luaRule(t, InterpretFinished, "function IsFinished(o) return "+answer+" end")
	}
	for name, c := range map[string]struct {
		rule *Rule
		want bool
	}{
		"true":              {lua("o.spec.phase == 'Done'"), true},
		"false":             {lua("o.spec.phase == 'Running'"), false},
		"nil":               {lua("o.spec.gone"), false},
		"nothing":           {lua(""), false},
		"published":         {published(lua("o.spec.phase == 'Done'")), true},
		"published nil":     {published(lua("nil")), false},
		"an expression":     {celRule(t, InterpretFinished, "object.spec.phase == 'Done'"), true},
		"a null expression": {celRule(t, InterpretFinished, "null"), false},
	} {
		got, err := answering(InterpretFinished, c.rule).Snapshot().Finished(site(m{"phase": "Done"}))
		if err != nil || got != c.want {
			t.Errorf("%s: got %t, error %v; want %t", name, got, err, c.want)
		}
	}
}

func TestFinishedMustBeABoolean(t *testing.T) {
	for answer, want := range map[string]string{
		"'Done'": "finished: want a boolean, got a string", "1": "finished: want a boolean, got a number", "{}": "finished: want a boolean, got a map",
	} {
		rule := luaRule(t, InterpretFinished, "function IsFinished(o) return "+answer+" end")
		_, err := answering(InterpretFinished, rule).Snapshot().Finished(site(nil))
		t.Run(answer, func(t *testing.T) { expectResultError(t, err, "site.lua", want) })
	}
}

func TestFinishedWithoutARule(t *testing.T) {
	if _, err := NewInterpreter(Options{}).Snapshot().Finished(site(nil)); !errors.Is(err, ErrNoRule) {
		t.Errorf("got error %v; want ErrNoRule", err)
	}
}
