// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"maps"
	"math"
	"math/big"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// demand is what one replica, or one whole set of components, takes from a
// cluster: its pods and its requests, only those above zero, sorted by name. An
// empty demand fits any number of times.
type demand []need

type need struct {
	name     corev1.ResourceName
	quantity resource.Quantity
	// milli is the quantity in thousandths; 0 if it has no such form.
	milli int64
}

// times returns how often the need goes into what a cluster has free.
func (n *need) times(s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList) int64 {
	if n.milli > 0 {
		if have, ok := freeMilli(s, taken, n.name); ok {
			return min(max(have, 0)/n.milli, math.MaxInt32)
		}
	}
	return quotient(free(s, taken, n.name), n.quantity)
}

// demandOf is what one more of a binding's object takes: a set of its components where it
// has any, else one replica.
func demandOf(spec *workv1alpha2.ResourceBindingSpec) demand {
	if len(spec.Components) > 0 {
		return componentsDemand(spec.Components)
	}
	return replicaDemand(spec.ReplicaRequirements)
}

// replicaDemand is what one replica takes: one pod and its requests. Nil
// requirements mean that only the pod is known.
func replicaDemand(req *workv1alpha2.ReplicaRequirements) demand {
	sum := corev1.ResourceList{}
	if req != nil {
		addRequests(sum, req.ResourceRequest, 1)
	}
	return newDemand(sum, 1)
}

// componentsDemand is what one set takes: all replicas of all components.
func componentsDemand(components []workv1alpha2.Component) demand {
	sum := corev1.ResourceList{}
	pods := addComponents(sum, components, nil)
	return newDemand(sum, pods)
}

// addComponents adds the requests of a set of components to the sum, and returns its
// pods. Placed are the replicas of some of them; the others have their own number.
func addComponents(sum corev1.ResourceList, components []workv1alpha2.Component, placed []workv1alpha2.TargetComponent) (pods int64) {
	for i := range components {
		c := &components[i]
		replicas := int64(c.Replicas)
		for j := range placed {
			if placed[j].Name == c.Name {
				replicas = int64(placed[j].Replicas)
			}
		}
		pods += replicas
		if c.ReplicaRequirements != nil {
			addRequests(sum, c.ReplicaRequirements.ResourceRequest, replicas)
		}
	}
	return pods
}

// addRequests adds the requests of that many replicas to the sum.
func addRequests(sum, requests corev1.ResourceList, replicas int64) {
	for name, q := range requests {
		q = q.DeepCopy() // big quantities are pointers inside
		q.Mul(replicas)
		total := sum[name]
		total.Add(q)
		sum[name] = total
	}
}

func newDemand(sum corev1.ResourceList, pods int64) demand {
	sum[corev1.ResourcePods] = *resource.NewQuantity(pods, resource.DecimalSI)
	out := make(demand, 0, len(sum))
	for _, name := range slices.Sorted(maps.Keys(sum)) {
		if q := sum[name]; q.Sign() > 0 {
			n := need{name: name, quantity: q}
			if m, ok := milli(q); ok {
				n.milli = m
			}
			out = append(out, n)
		}
	}
	return out
}

// Footprint returns what a binding's object takes of the cluster that is the target: the
// requests of its replicas, or of its components, and their pods. It is empty for an
// object that has neither.
func Footprint(spec *workv1alpha2.ResourceBindingSpec, target *workv1alpha2.TargetCluster) corev1.ResourceList {
	sum, pods := corev1.ResourceList{}, int64(0)
	if len(spec.Components) > 0 {
		pods = addComponents(sum, spec.Components, target.Components)
	} else if target.Replicas > 0 {
		pods = int64(target.Replicas)
		if r := spec.ReplicaRequirements; r != nil {
			addRequests(sum, r.ResourceRequest, pods)
		}
	}
	out := make(corev1.ResourceList, len(sum)+1)
	for _, n := range newDemand(sum, pods) {
		out[n.name] = n.quantity
	}
	return out
}

// fits reports how often the demand fits into what is free and not taken, math.MaxInt32
// at most. The summary adds up all nodes, so that it may promise more than any one node
// can hold. A resource that the summary does not have is not there at all.
func (d demand) fits(s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList) int64 {
	times := int64(math.MaxInt32)
	for i := range d {
		times = min(times, d[i].times(s, taken))
	}
	return times
}

// lacking names the first resource that the demand does not fit into; empty when
// it fits.
func (d demand) lacking(s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList) corev1.ResourceName {
	for i := range d {
		if d[i].times(s, taken) == 0 {
			return d[i].name
		}
	}
	return ""
}

// free is what pods do not use or wait for yet, and what is not taken; it may be negative.
func free(s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList, name corev1.ResourceName) resource.Quantity {
	q := s.Allocatable[name]
	q = q.DeepCopy() // Sub writes through the pointer of a big quantity
	q.Sub(s.Allocated[name])
	q.Sub(s.Allocating[name])
	if t, ok := taken[name]; ok {
		q.Sub(t)
	}
	return q
}

// freeMilli is free in thousandths, without arithmetic on quantities; false means that one of them
// has no such form, or too large a one.
func freeMilli(s *clusterv1alpha1.ResourceSummary, taken corev1.ResourceList, name corev1.ResourceName) (int64, bool) {
	left := int64(0)
	for i, list := range [...]corev1.ResourceList{s.Allocatable, s.Allocated, s.Allocating, taken} {
		q, there := list[name]
		if !there {
			continue
		}
		m, ok := milli(q)
		if !ok || m > math.MaxInt64/8 || m < -math.MaxInt64/8 {
			return 0, false
		}
		if i > 0 {
			m = -m
		}
		left += m
	}
	return left, true
}

// quotient divides and rounds down, math.MaxInt32 at most; nothing goes into
// what is not above zero. It is exact whatever the suffixes of the two.
// (Karmada reads quantities with decimal suffixes in thousandths and others in
// units, so that "1G" fits a thousand times less often than "1Gi".)
func quotient(have, unit resource.Quantity) int64 {
	if have.Sign() <= 0 {
		return 0
	}
	if a, ok := have.AsInt64(); ok {
		if b, ok := unit.AsInt64(); ok {
			return min(a/b, math.MaxInt32)
		}
	}
	if a, ok := milli(have); ok {
		if b, ok := milli(unit); ok {
			return min(a/b, math.MaxInt32)
		}
	}
	return quotientBig(have, unit)
}

// milli returns a quantity in thousandths; false means that it is not a whole
// number of them or too many for an int64.
func milli(q resource.Quantity) (int64, bool) {
	if v, ok := q.AsInt64(); ok {
		return v * 1000, v <= math.MaxInt64/1000 && v >= -math.MaxInt64/1000
	}
	m := q.MilliValue()
	return m, q.Cmp(*resource.NewMilliQuantity(m, resource.DecimalSI)) == 0
}

// quotientBig is quotient for quantities of any size and precision. The decimals
// are unscaled / 10^scale; both are brought to the same scale.
func quotientBig(have, unit resource.Quantity) int64 {
	a, b := have.AsDec(), unit.AsDec()
	x, y := a.UnscaledBig(), b.UnscaledBig()
	shift := int64(b.Scale()) - int64(a.Scale())
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(shift, -shift)), nil)
	if shift >= 0 {
		x = new(big.Int).Mul(x, power)
	} else {
		y = new(big.Int).Mul(y, power)
	}
	n := new(big.Int).Quo(x, y)
	if !n.IsInt64() {
		return math.MaxInt32
	}
	return min(n.Int64(), math.MaxInt32)
}
