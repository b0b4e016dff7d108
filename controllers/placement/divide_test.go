// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDivide(t *testing.T) {
	cases := map[string]struct {
		reason   string
		seats    int64
		weights  []int64 // of a, b, c, ...
		reversed bool
		want     []int64
	}{
		"Proportional":  {"2:1 divides 9 without rest", 9, []int64{2, 1}, false, []int64{6, 3}},
		"Webster":       {"100,000 votes and 10 seats; d'Hondt's method would give 5 2 1 1 1 0", 10, []int64{47000, 16000, 15900, 12000, 6000, 3100}, false, []int64{4, 2, 2, 1, 1, 0}},
		"TieByName":     {"the odd seat goes to the first name", 3, []int64{1, 1}, false, []int64{2, 1}},
		"TieReversed":   {"or to the last", 3, []int64{1, 1}, true, []int64{1, 2}},
		"TieFewerSeats": {"3/3 equals 1/1: who has no seat goes first", 2, []int64{3, 1}, false, []int64{1, 1}},
		"NoWeight":      {"a party without weight gets nothing", 5, []int64{0, 1}, false, []int64{0, 5}},
		"NobodyWeighs":  {"no seat is given when no party has weight", 5, []int64{0, 0}, false, []int64{0, 0}},
		"Million":       {"many seats", 1_000_001, []int64{1, 1}, false, []int64{500_001, 500_000}},
		"MaxInt32":      {"as many replicas as the field can hold", math.MaxInt32, []int64{3, 1}, false, []int64{1610612735, 536870912}},
		"HugeWeights":   {"weights whose sum is beyond int64", 4, []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, false, []int64{2, 1, 1}},
		"WeightsByOne":  {"weights that float64 cannot distinguish", 1, []int64{math.MaxInt64 - 1, math.MaxInt64}, false, []int64{0, 1}},
		"FewSeats":      {"fewer seats than parties", 2, []int64{1, 5, 2, 4}, false, []int64{0, 1, 0, 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := seatsOf(tc.seats, tc.weights, tc.reversed, divide)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("divide(%d, %v): %s (-want +got):\n%s", tc.seats, tc.weights, tc.reason, diff)
			}
		})
	}
}

// TestDivideEqualsSeatBySeat compares the head start with the definition.
func TestDivideEqualsSeatBySeat(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		weights := make([]int64, 1+random.IntN(12))
		for i := range weights {
			weights[i] = random.Int64N(1 << random.IntN(62))
		}
		seats, reversed := random.Int64N(1<<random.IntN(11)), random.IntN(2) == 0
		want := seatsOf(seats, weights, reversed, seatBySeat)
		got := seatsOf(seats, weights, reversed, divide)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("divide(%d, %v, %t) differs from giving each seat by itself (-want +got):\n%s", seats, weights, reversed, diff)
		}
	}
}

// seatBySeat is the method as it is defined: each seat to the best party.
func seatBySeat(seats int64, parties []*party, reversed bool) {
	q := &queue{reversed: reversed}
	for _, p := range parties {
		if p.weight > 0 {
			q.parties = append(q.parties, p)
		}
	}
	for ; seats > 0 && len(q.parties) > 0; seats-- {
		best := 0
		for i := range q.parties {
			if q.Less(i, best) {
				best = i
			}
		}
		q.parties[best].seats++
	}
}

func seatsOf(seats int64, weights []int64, reversed bool, divide func(int64, []*party, bool)) []int64 {
	parties := make([]*party, len(weights))
	for i, w := range weights {
		parties[i] = &party{name: string(rune('a' + i)), weight: w}
	}
	divide(seats, parties, reversed)
	out := make([]int64, len(parties))
	for i, p := range parties {
		out[i] = p.seats
	}
	return out
}

func TestReversedTies(t *testing.T) {
	// FNV-1a of "a" is 0xe40c292c, of "b" 0xe70c2de5.
	if reversedTies(forwardUID) || !reversedTies(reversedUID) {
		t.Errorf("reversedTies(%q, %q) = %t, %t, want false, true", forwardUID, reversedUID, reversedTies(forwardUID), reversedTies(reversedUID))
	}
}
