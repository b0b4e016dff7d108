// SPDX-License-Identifier: Apache-2.0

package division

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

func TestDivide(t *testing.T) {
	cases := map[string]struct {
		reason  string
		seats   int64
		weights []int64 // of a, b, c, ...
		uid     types.UID
		want    []int64
	}{
		"Proportional":  {"2:1 divides 9 without rest", 9, []int64{2, 1}, forward, []int64{6, 3}},
		"Webster":       {"100,000 votes and 10 seats; d'Hondt's method would give 5 2 1 1 1 0", 10, []int64{47000, 16000, 15900, 12000, 6000, 3100}, forward, []int64{4, 2, 2, 1, 1, 0}},
		"TieByName":     {"the odd seat goes to the first name", 3, []int64{1, 1}, forward, []int64{2, 1}},
		"TieReversed":   {"or to the last", 3, []int64{1, 1}, reversed, []int64{1, 2}},
		"TieFewerSeats": {"3/3 equals 1/1: who has no seat goes first", 2, []int64{3, 1}, forward, []int64{1, 1}},
		"NoWeight":      {"a party without weight gets nothing", 5, []int64{0, 1}, forward, []int64{0, 5}},
		"NobodyWeighs":  {"no seat is given when no party has weight", 5, []int64{0, 0}, forward, []int64{0, 0}},
		"Million":       {"many seats", 1_000_001, []int64{1, 1}, forward, []int64{500_001, 500_000}},
		"MaxInt32":      {"as many replicas as the field can hold", math.MaxInt32, []int64{3, 1}, forward, []int64{1610612735, 536870912}},
		"HugeWeights":   {"weights whose sum is beyond int64", 4, []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, forward, []int64{2, 1, 1}},
		"WeightsByOne":  {"weights that float64 cannot distinguish", 1, []int64{math.MaxInt64 - 1, math.MaxInt64}, forward, []int64{0, 1}},
		"FewSeats":      {"fewer seats than parties", 2, []int64{1, 5, 2, 4}, forward, []int64{0, 1, 0, 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := seatsOf(tc.seats, tc.weights, tc.uid, Divide)
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
		seats, uid := random.Int64N(1<<random.IntN(11)), []types.UID{forward, reversed}[random.IntN(2)]
		want := seatsOf(seats, weights, uid, seatBySeat)
		got := seatsOf(seats, weights, uid, Divide)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("divide(%d, %v, %q) differs from giving each seat by itself (-want +got):\n%s", seats, weights, uid, diff)
		}
	}
}

// seatBySeat is the method as it is defined: each seat to the best party.
func seatBySeat(seats int64, parties []*Party) {
	var q queue
	for i, p := range parties {
		if p.rank = i; p.Weight > 0 {
			q = append(q, p)
		}
	}
	for ; seats > 0 && len(q) > 0; seats-- {
		best := 0
		for i := range q {
			if q.Less(i, best) {
				best = i
			}
		}
		q[best].Seats++
	}
}

// seatsOf divides among parties that are called a, b, c and so on, and returns their seats
// in this order.
func seatsOf(seats int64, weights []int64, uid types.UID, divide func(int64, []*Party)) []int64 {
	parties := make([]*Party, len(weights))
	for i, w := range weights {
		parties[i] = &Party{Name: string(rune('a' + i)), Weight: w}
	}
	order := Order(uid)
	byTie := slices.SortedFunc(slices.Values(parties), func(a, b *Party) int { return order(a.Name, b.Name) })
	divide(seats, byTie)
	out := make([]int64, len(parties))
	for i, p := range parties {
		out[i] = p.Seats
	}
	return out
}

// The UIDs of objects that break ties from the start and from the end of the alphabet:
// FNV-1a of "a" is 0xe40c292c, of "b" 0xe70c2de5.
const forward, reversed types.UID = "a", "b"

func TestOrder(t *testing.T) {
	if Order(forward)("a", "b") >= 0 || Order(reversed)("a", "b") <= 0 || Order(forward)("a", "a") != 0 {
		t.Error("an even hash orders by name, an odd one the other way")
	}
}

// TestDivideServesAllWithWeight: no cluster that runs replicas is left without a part.
func TestDivideServesAllWithWeight(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		weights, sum := make([]int64, 1+random.IntN(12)), int64(0)
		for i := range weights {
			weights[i] = random.Int64N(50)
			sum += weights[i]
		}
		seats := sum + random.Int64N(200)
		given := int64(0)
		for i, n := range seatsOf(seats, weights, forward, Divide) {
			if given += n; n < weights[i] {
				t.Fatalf("Divide(%d, %v) assigns party %d only %d seats", seats, weights, i, n)
			}
		}
		if sum > 0 && given != seats {
			t.Fatalf("Divide(%d, %v) distributes %d seats", seats, weights, given)
		}
	}
}
