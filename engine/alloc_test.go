// SPDX-License-Identifier: Apache-2.0

//go:build !race

package engine

import (
	"testing"
	"time"
)

// TestDispatchDoesNotAllocate holds for Lua, whose runs do not either. The race
// detector makes pools forget at random, so it is left out there.
func TestDispatchDoesNotAllocate(t *testing.T) {
	object := site(map[string]any{"state": "RUNNING", "replicas": int64(3)})
	for name, c := range dispatchCases {
		i := answering(c.operation, luaRule(t, c.operation, c.lua))
		got := testing.AllocsPerRun(200, func() {
			if err := c.ask(i.Snapshot(), object); err != nil {
				t.Fatal(err)
			}
		})
		if got > 0 {
			t.Errorf("%s: got %v allocations; want none", name, got)
		}
	}
}

// A change of one source costs the same beside ten others and beside a thousand. It
// is counted in allocations, of which copying an index of all kinds would take more.
func TestAChangeCostsTheSameAmongMany(t *testing.T) {
	rule := counting(t, "1")
	cost := func(n int) float64 {
		i := manyKinds(n, rule)
		source := sourceOf("site", InterpretReplica, rule)
		return testing.AllocsPerRun(100, func() { set(i, Customizations, source) })
	}
	few, many := cost(10), cost(5_000)
	if many > few+20 {
		t.Errorf("a change takes %v allocations among 5,000 sources and %v among 10", many, few)
	}
}

func TestDeadlineDoesNotAllocate(t *testing.T) {
	object, c := site(map[string]any{"state": "RUNNING"}), dispatchCases["health"]
	i := NewInterpreter(Options{Deadline: time.Hour, Memory: 1 << 30})
	set(i, Embedded, sourceOf("site", c.operation, luaRule(t, c.operation, c.lua)))
	got := testing.AllocsPerRun(200, func() {
		if err := c.ask(i.Snapshot(), object); err != nil {
			t.Fatal(err)
		}
	})
	if got > 0 {
		t.Errorf("got %v allocations; want none", got)
	}
}

// TestDecodersAllocateTheAnswerAlone reads components with all that they have: the list,
// and for each one its requirements, claim, tolerations, and two maps of two parts each.
func TestDecodersAllocateTheAnswerAlone(t *testing.T) {
	source := `function GetComponents(o)
  local claim = {nodeSelector = o.spec.selector, tolerations = {{key = "a", operator = "Exists"}}}
  local needs = {priorityClassName = "high", nodeClaim = claim, resourceRequest = {cpu = 1, memory = "2Gi"}}
  return {{name = "a", replicas = 1, replicaRequirements = needs}, {name = "b", replicas = 2, replicaRequirements = needs}}
end`
	object := site(map[string]any{"selector": map[string]any{"zone": "a", "disk": "ssd"}})
	i := answering(InterpretComponent, luaRule(t, InterpretComponent, source))
	got := testing.AllocsPerRun(200, func() {
		if _, err := i.Snapshot().Components(object); err != nil {
			t.Fatal(err)
		}
	})
	if want := 1.0 + 2*(2+1+2*2); got > want {
		t.Errorf("got %v allocations; want %v", got, want)
	}
}
