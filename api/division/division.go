// SPDX-License-Identifier: Apache-2.0

// Package division divides a number among clusters in proportion to their weights. The
// scheduler divides replicas by it and scripts divide what goes with replicas, so that the
// two agree; the method is part of the published behavior. It knows neither clusters nor
// kinds.
package division

import (
	"cmp"
	"container/heap"
	"hash/fnv"
	"math/bits"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Party is one cluster that takes part in a division.
type Party struct {
	Name   string
	Weight int64
	// Seats is what it gets of the number.
	Seats int64

	rank int
}

// Divide distributes that many seats among the parties in proportion to their weights, by
// the method of Webster and Sainte-Laguë: each seat goes to the party with the
// largest weight/(2*seats+1); of equal ones to that with fewer seats, then to
// the first. Parties without weight get nothing; when none has any, no seat is given.
// Weights and quotients are compared exactly.
func Divide(seats int64, parties []*Party) {
	var q queue
	for i, p := range parties {
		if p.rank = i; p.Weight > 0 {
			q = append(q, p)
		}
	}
	if len(q) == 0 {
		return
	}
	seats -= headStart(seats, q)
	heap.Init(&q)
	for ; seats > 0; seats-- {
		q[0].Seats++
		heap.Fix(&q, 0)
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
func headStart(seats int64, parties []*Party) int64 {
	sum := 0.0
	for _, p := range parties {
		sum += float64(p.Weight)
	}
	given := int64(0)
	for _, p := range parties {
		quota := float64(p.Weight) / sum * float64(2*seats-int64(len(parties)))
		if quota > 2 {
			p.Seats = int64(quota) / 2
			given += p.Seats
		}
	}
	return given
}

// queue is a heap with the party that gets the next seat at its root.
type queue []*Party

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Push(any)      { panic("division: parties do not join a division") }
func (q queue) Pop() any      { panic("division: parties do not leave a division") }

func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(compareQuotients(b, a), cmp.Compare(a.Seats, b.Seats), cmp.Compare(a.rank, b.rank)) < 0
}

// compareQuotients compares weight/(2*seats+1) without rounding.
func compareQuotients(a, b *Party) int {
	ahi, alo := bits.Mul64(uint64(a.Weight), uint64(2*b.Seats+1))
	bhi, blo := bits.Mul64(uint64(b.Weight), uint64(2*a.Seats+1))
	return cmp.Or(cmp.Compare(ahi, bhi), cmp.Compare(alo, blo))
}

// Order returns a comparison of the names of clusters by which the object with a UID
// breaks ties: from the start of the alphabet, or from its end. Half of all objects do
// either, so that the odd replicas of many do not all end on the first cluster. Karmada
// decides by the parity of the UID's hash too.
func Order(uid types.UID) func(a, b string) int {
	h := fnv.New32a()
	h.Write([]byte(uid)) // never fails
	if h.Sum32()%2 == 1 {
		return func(a, b string) int { return strings.Compare(b, a) }
	}
	return strings.Compare
}
