// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"cmp"
	"container/heap"
	"hash/fnv"
	"math/bits"

	"k8s.io/apimachinery/pkg/types"
)

// party is one cluster that takes part in a division.
type party struct {
	name   string
	weight int64
	seats  int64
}

// divide distributes that many seats among the parties in proportion to their weights, by
// the method of Webster and Sainte-Laguë: each seat goes to the party with the
// largest weight/(2*seats+1); of equal ones to that with fewer seats, then to
// the first by name, or to the last when reversed. Parties without weight get
// nothing; when none has any, no seat is given. Weights and quotients are
// compared exactly.
func divide(seats int64, parties []*party, reversed bool) {
	q := &queue{reversed: reversed}
	for _, p := range parties {
		if p.weight > 0 {
			q.parties = append(q.parties, p)
		}
	}
	if len(q.parties) == 0 {
		return
	}
	seats -= headStart(seats, q.parties)
	heap.Init(q)
	for ; seats > 0; seats-- {
		q.parties[0].seats++
		heap.Fix(q, 0)
	}
}

// headStart assigns each party the seats that are its own in any case, and reports how
// many. What is left is less than two seats for each party, so that dividing
// takes no longer for a million replicas than for ten.
//
// With n parties, V the sum of weights and R the seats, the quotients of at
// least d = V/(2R-n) are R at most, so all of them win a seat: they number
// (v/d+1)/2, rounded down, for a party with weight v. One is taken off v/d
// because it is computed in floating point.
func headStart(seats int64, parties []*party) int64 {
	sum := 0.0
	for _, p := range parties {
		sum += float64(p.weight)
	}
	given := int64(0)
	for _, p := range parties {
		quota := float64(p.weight) / sum * float64(2*seats-int64(len(parties)))
		if quota > 2 {
			p.seats = int64(quota) / 2
			given += p.seats
		}
	}
	return given
}

// queue is a heap with the party that gets the next seat at its root.
type queue struct {
	parties  []*party
	reversed bool
}

func (q *queue) Len() int      { return len(q.parties) }
func (q *queue) Swap(i, j int) { q.parties[i], q.parties[j] = q.parties[j], q.parties[i] }
func (q *queue) Push(any)      { panic("placement: parties do not join a division") }
func (q *queue) Pop() any      { panic("placement: parties do not leave a division") }

func (q *queue) Less(i, j int) bool {
	a, b := q.parties[i], q.parties[j]
	byName := cmp.Compare(a.name, b.name)
	if q.reversed {
		byName = -byName
	}
	return cmp.Or(compareQuotients(b, a), cmp.Compare(a.seats, b.seats), byName) < 0
}

// compareQuotients compares weight/(2*seats+1) without rounding.
func compareQuotients(a, b *party) int {
	ahi, alo := bits.Mul64(uint64(a.weight), uint64(2*b.seats+1))
	bhi, blo := bits.Mul64(uint64(b.weight), uint64(2*a.seats+1))
	return cmp.Or(cmp.Compare(ahi, bhi), cmp.Compare(alo, blo))
}

// reversedTies reports whether the object breaks ties from the end of the
// alphabet: half of all objects do, so that the odd replicas of many do not all
// end on the first cluster. Karmada decides by the parity of the UID's hash too.
func reversedTies(uid types.UID) bool {
	h := fnv.New32a()
	h.Write([]byte(uid)) // never fails
	return h.Sum32()%2 == 1
}
