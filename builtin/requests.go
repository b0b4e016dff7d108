// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"slices"
	"strings"
)

// requests sums what the containers of a pod ask for, in the unit of each
// resource: thousandths for cpu, one for all else.
type requests struct {
	sums []sum
	// room is the first storage of sums, enough for most pods. index finds the sums of a
	// pod with more resources.
	room  [6]sum
	index map[string]int
	meter Meter
	// wrong is the resource whose quantity cannot be read, the first by name, so that the
	// error does not depend on the order of a map.
	wrong string
	err   error
}

// sum is what a pod asks of one resource.
type sum struct {
	name string
	n    int64
	// last is the last quantity that was read.
	last any
}

// pod adds up a pod: the containers run together, each init container before
// them, and the overhead is always there. Sidecars count as init containers.
func (r *requests) pod(spec map[string]any) {
	r.sums = r.room[:0]
	for _, c := range listAt(spec, "containers") {
		r.container(c, (*sum).add)
	}
	for _, c := range listAt(spec, "initContainers") {
		r.container(c, (*sum).atLeast)
	}
	for name, v := range mapAt(spec, "overhead") {
		r.one(name, v, (*sum).add)
	}
}

// container takes the requests of a container; a limit without request is one.
func (r *requests) container(container any, take func(s *sum, n int64)) {
	r.meter.Charge(1)
	resources := mapAt(container, "resources")
	asked := mapAt(resources, "requests")
	for name, v := range asked {
		r.one(name, v, take)
	}
	for name, v := range mapAt(resources, "limits") {
		if _, ok := asked[name]; !ok {
			r.one(name, v, take)
		}
	}
}

// one adds a single resource, if it is one that schedulers count.
func (r *requests) one(name string, v any, take func(s *sum, n int64)) {
	r.meter.Charge(gasOf(v) + int64(len(name))/64)
	n, err := amountOf(name, v)
	if err != nil {
		if r.err == nil || name < r.wrong {
			r.wrong, r.err = name, err
		}
		return
	}
	if !isCounted(name) {
		return
	}
	s := r.of(name)
	s.last = v
	take(s, n)
}

// amountOf reads a quantity in the unit of its resource.
func amountOf(name string, v any) (int64, error) {
	if name == "cpu" {
		return milli(v)
	}
	return units(v)
}

// of returns the sum of a resource.
func (r *requests) of(name string) *sum {
	i, ok := r.index[name]
	if r.index == nil {
		i = slices.IndexFunc(r.sums, func(s sum) bool { return s.name == name })
		ok = i >= 0
	}
	if !ok {
		i = len(r.sums)
		r.sums = append(r.sums, sum{name: name})
		r.grown()
	}
	return &r.sums[i]
}

// grown updates the index once the sums exceed room.
func (r *requests) grown() {
	switch n := len(r.sums); {
	case r.index != nil:
		r.index[r.sums[n-1].name] = n - 1
	case n > len(r.room):
		r.index = map[string]int{}
		for i, s := range r.sums {
			r.index[s.name] = i
		}
	}
}

func (s *sum) add(n int64) {
	if n > 0 && s.n > math.MaxInt64-n {
		s.n = math.MaxInt64
		return
	}
	s.n += n
}

func (s *sum) atLeast(n int64) { s.n = max(s.n, n) }

// isCounted reports whether a scheduler counts the resource: those of a node, extended
// ones, huge pages, and those under kubernetes.io.
func isCounted(name string) bool {
	switch {
	case name == "cpu", name == "memory", name == "ephemeral-storage", name == "pods":
		return true
	case strings.HasPrefix(name, "requests."):
		return false
	case strings.HasPrefix(name, "hugepages-"), strings.HasPrefix(name, "attachable-volumes-"):
		return true
	}
	return strings.Contains(name, "/")
}

// list writes the sums, multiplied, as canonical quantities without zeros.
func (r *requests) list(times int64) map[string]any {
	var out map[string]any
	for _, s := range r.sums {
		if s.n <= 0 {
			continue
		}
		n := int64(math.MaxInt64)
		if s.n <= n/times {
			n = s.n * times
		}
		if out == nil {
			out = make(map[string]any, len(r.sums))
		}
		out[s.name] = s.quantity(n)
	}
	return out
}

// quantity writes an amount in the unit of the resource. Where the last quantity
// that was read is the same text, it is that.
func (s sum) quantity(n int64) any {
	var room [24]byte
	var text []byte
	switch {
	case s.name == "cpu":
		text = decimal(room[:0], n)
	case s.name == "memory" || s.name == "ephemeral-storage" || strings.HasPrefix(s.name, "hugepages-"):
		text = binary(room[:0], n)
	default:
		text = decimalUnits(room[:0], n)
	}
	if last, ok := s.last.(string); ok && last == string(text) {
		return s.last
	}
	return string(text)
}
