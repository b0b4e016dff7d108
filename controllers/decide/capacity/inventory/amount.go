// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The unit of an amount is the thousandth of a CPU for cpu, and one of the resource, such
// as a byte, for all others; kube-scheduler counts in the same units.

// greatestCPU is the first number of CPUs whose thousandths an int64 cannot hold.
const greatestCPU = math.MaxInt64/1000 + 1

// amountUp returns an amount, rounded up to its unit. An amount beyond an int64 is the
// largest int64, a negative one 0.
func amountUp(name corev1.ResourceName, q resource.Quantity) int64 {
	if q.Sign() <= 0 {
		return 0
	}
	if name == corev1.ResourceCPU {
		if q.CmpInt64(greatestCPU) >= 0 {
			return math.MaxInt64
		}
		return q.MilliValue()
	}
	if q.CmpInt64(math.MaxInt64) >= 0 {
		return math.MaxInt64
	}
	return q.Value()
}

// amountDown returns an amount, rounded down to its unit, with the bounds of amountUp.
func amountDown(name corev1.ResourceName, q resource.Quantity) int64 {
	up := amountUp(name, q)
	if up == 0 || up == math.MaxInt64 {
		return up
	}
	rounded := resource.NewQuantity(up, resource.DecimalSI)
	if name == corev1.ResourceCPU {
		rounded = resource.NewMilliQuantity(up, resource.DecimalSI)
	}
	if rounded.Cmp(q) > 0 {
		return up - 1
	}
	return up
}

// Request is the amount of one resource.
type Request struct {
	Name corev1.ResourceName
	// Amount is in thousandths for cpu, and in units of the resource for others.
	Amount int64
}

// requestsOf returns the amounts that are not zero, by name, and one pod.
func requestsOf(list corev1.ResourceList) []Request {
	requests := make([]Request, 0, len(list)+1)
	for name, q := range list {
		if a := amountUp(name, q); a > 0 && name != corev1.ResourcePods {
			requests = append(requests, Request{name, a})
		}
	}
	requests = append(requests, Request{corev1.ResourcePods, 1})
	slices.SortFunc(requests, func(a, b Request) int { return cmp.Compare(a.Name, b.Name) })
	return requests
}

// total is a sum of amounts. It has 128 bits, so that adding and subtracting whatever
// pods request is exact.
type total struct{ high, low uint64 }

func (t total) plus(amount int64) total {
	low, carry := bits.Add64(t.low, uint64(amount), 0)
	return total{t.high + carry, low}
}

func (t total) minus(amount int64) total {
	low, borrow := bits.Sub64(t.low, uint64(amount), 0)
	return total{t.high - borrow, low}
}

// below returns what is left of an amount, at least 0.
func (t total) below(amount int64) int64 {
	if t.high > 0 || t.low >= uint64(amount) {
		return 0
	}
	return amount - int64(t.low)
}

// add returns a + b for numbers that are not negative, at most the largest int64.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// multiply returns a * b for numbers that are not negative, at most the largest int64.
func multiply(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
