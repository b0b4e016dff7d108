// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"
	"testing"
)

// TestRecordedPrograms runs programs whose output in Lua 5.1.5 is recorded: each
// difference is in a group, and most statements have none.
func TestRecordedPrograms(t *testing.T) {
	programs, theirs, err := readRecorded("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 300 {
		t.Fatalf("%d programs are recorded, want 300 at least", len(programs))
	}
	ours, err := engineOutput(programs)
	if err != nil {
		t.Fatal(err)
	}
	r := report{counts: map[string]int{}}
	for i, p := range programs {
		r.compare(p, theirs[i], ours[i])
	}
	for _, d := range r.shown {
		t.Errorf("a difference is in no group: %s\nlua5.1 %s\nengine %s", d.statement, d.theirs, d.ours)
	}
	different := 0
	for _, n := range r.counts {
		different += n
	}
	if different*20 > r.lines {
		t.Errorf("%d of %d statements differ, want a twentieth at most", different, r.lines)
	}
}

func TestGeneratorIsTheSameEverywhere(t *testing.T) {
	first, second := generate(7, 20), generate(7, 10)
	for i, p := range second {
		if !slices.Equal(first[i], p) {
			t.Errorf("program %d of seed 7 is %q, then %q", i, first[i], p)
		}
	}
	if slices.Equal(first[0], generate(8, 1)[0]) {
		t.Error("seeds 7 and 8 write the same")
	}
}

// TestGroups: each group has a reason and who is right, and no two have one name.
func TestGroups(t *testing.T) {
	names := map[string]bool{}
	for _, g := range groups {
		if g.name == "" || g.reason == "" || !slices.Contains([]string{"us", "them", "both"}, g.right) || names[g.name] {
			t.Errorf("the group %q (right: %q) has no reason, or another has its name", g.name, g.right)
		}
		names[g.name] = true
	}
}

// TestUnknownDifferenceFails: a difference that no group has is counted and shown.
func TestUnknownDifferenceFails(t *testing.T) {
	r := report{counts: map[string]int{}}
	r.compare(program{"return 1", "return 2"}, []string{"= 1", "= 2"}, []string{"= 1", "= 3"})
	r.print(io.Discard)
	if r.unknown != 1 || len(r.shown) != 1 || r.lines != 2 {
		t.Errorf("got %+v, want one difference in no group", r)
	}
}

func TestMissingReference(t *testing.T) {
	o := options{programs: 1, lua: "no-such-lua"}
	if err := o.run(io.Discard); err == nil {
		t.Error("a missing reference is no error")
	}
}
