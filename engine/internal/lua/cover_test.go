// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

const coverSource = `-- a comment
local m = require("lib.m")

function F(n)
  local out = 0
  if n == 1 then
    out = 1
  elseif n == 2
    then out = 2
  else
    out = m.third()
  end
  while
    out > 100
  do
    out = out - 1
  end
  for i = 1, 3 do
    if i == 9 then break end
  end
  for _, v in ipairs({}) do
    out = v
  end
  repeat
    local last = true
  until
    last
  return out,
    n
end

local function unused()
  return {
    1,
  }
end
`

func TestCoverage(t *testing.T) {
	src := Script{Coverage: script.NewCoverage()}.withModules(coverSource, map[string]string{"m": "local M = {}\nfunction M.third()\n  return 3\nend\nfunction M.other()\n  return 4\nend\nreturn M"})
	p, err := Compile(src, script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	missed := func() string {
		text := ""
		for _, file := range src.Coverage.Files() {
			total, lines := src.Coverage.Lines(file)
			text += fmt.Sprintln(file, total, lines)
		}
		return text
	}
	steps := []struct {
		reason string
		entry  string
		arg    int64
		want   string
	}{
		{"the main chunk runs the module", "", 0, "lib/m.lua 6 [3 6]\ntest.lua 21 [5 6 7 8 9 11 13 14 16 18 19 21 22 24 25 27 28 33]\n"},
		{"an elseif that is not reached is not covered", "F", 1, "lib/m.lua 6 [3 6]\ntest.lua 21 [8 9 11 16 22 33]\n"},
		{"an elseif whose condition fails is covered", "F", 3, "lib/m.lua 6 [6]\ntest.lua 21 [9 16 22 33]\n"},
		{"a line stays covered", "F", 1, "lib/m.lua 6 [6]\ntest.lua 21 [9 16 22 33]\n"},
		{"the branch of an elseif", "F", 2, "lib/m.lua 6 [6]\ntest.lua 21 [16 22 33]\n"},
	}
	for _, step := range steps {
		if a := perform(p, script.Call{Entry: step.entry, Args: []any{step.arg}}); a.err != nil {
			t.Fatal(a.err)
		}
		if d := cmp.Diff(step.want, missed()); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.reason, d)
		}
	}
}

func TestCoverageDoesNotChangeTheRun(t *testing.T) {
	module := map[string]string{"m": "return {third = function() return 3 end}"}
	bare := askOf(t, withModules(coverSource, module), script.Call{Entry: "F", Args: []any{int64(3)}})
	covered := askOf(t, Script{Coverage: script.NewCoverage()}.withModules(coverSource, module), script.Call{Entry: "F", Args: []any{int64(3)}})
	if d := cmp.Diff(bare.results, covered.results); d != "" || bare.usage != covered.usage {
		t.Errorf("results (-bare +covered):\n%s; usage %+v and %+v", d, bare.usage, covered.usage)
	}
}
