// SPDX-License-Identifier: Apache-2.0

// Package model runs random histories of failovers on the decisions of the controllers:
// the packages binding, placement and selector decide, the rest is modelled.
//
//	history_test.go      what happens: events, how they are drawn, how they are reduced
//	world_test.go        member clusters and what runs in them
//	plane_test.go        the API server: objects, versions, conflicts, and who is enqueued
//	controllers_test.go  what each controller reads, decides and writes
//	trial_test.go        what clusters answer that are asked whether they would take a copy
//	user_test.go         what people do: policies, templates, taints, fences
//	run_test.go          one history from its beginning to its end
//	rules_test.go        what must hold at each moment, at rest and at the end
//	cases_test.go        histories that found a defect
package model

import (
	"os"
	"strconv"
	"sync"
	"testing"
)

// steps is how many events a history has.
const steps = 60

// plainHistories is how many histories run where nothing else is said. They are few, since all
// tests run them on each change: make model runs 100,000, and others by its SEED.
const plainHistories = 200

// TestModel runs random histories: those of the seeds 1 to plainHistories, or as many as the
// variable MODEL_RUNS says from that of MODEL_SEED on.
func TestModel(t *testing.T) {
	runs, first := number(t, "MODEL_RUNS", plainHistories), number(t, "MODEL_SEED", 1)
	const workers = 4
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for seed := first + w; seed < first+runs && !t.Failed(); seed += workers {
				h := draw(uint64(seed), steps)
				if problem := h.run(); problem != "" {
					small := h.reduce()
					t.Errorf("seed %d: %s\nreduced from %d events to %d, for the table of cases:\n%s\n%s",
						seed, problem, len(h.events), len(small.events), small, small.story())
				}
			}
		})
	}
	group.Wait()
}

// TestCases runs the histories that found a defect once.
func TestCases(t *testing.T) {
	for reason, h := range cases {
		t.Run(reason, func(t *testing.T) {
			if problem := h.run(); problem != "" {
				t.Errorf("%s\n%s", problem, h.story())
			}
		})
	}
}

// TestSameSeedSameHistory makes sure that a seed that is reported can be run again.
func TestSameSeedSameHistory(t *testing.T) {
	for seed := range uint64(20) {
		a, b := draw(seed, steps), draw(seed, steps)
		if one, other := a.story(), b.story(); one != other {
			t.Fatalf("seed %d runs in two ways:\n%s\n\n%s", seed, one, other)
		}
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, which is not a number", variable, text)
	}
	return n
}
