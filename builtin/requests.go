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
	// total is what the containers that run together ask for, sidecars among them.
	total amount
	// sidecars is the part of the init containers that were started so far and go on.
	sidecars amount
	// peak is the most that is used at once before the containers start.
	peak amount
	// last is the last quantity that was read.
	last any
}

// pod adds up a pod as resource.PodRequests of k8s.io/component-helpers does, after the
// API server has filled in the requests that are missing.
func (r *requests) pod(spec map[string]any) {
	r.sums = r.room[:0]
	for _, c := range listAt(spec, "containers") {
		r.container(c, (*sum).run)
	}
	for _, c := range listAt(spec, "initContainers") {
		if stringAt(c, "restartPolicy") == "Always" {
			r.container(c, (*sum).sidecar)
		} else {
			r.container(c, (*sum).start)
		}
	}
	for i := range r.sums {
		r.sums[i].total = larger(r.sums[i].total, r.sums[i].peak)
	}
	r.podLevel(mapAt(spec, "resources"))
	for name, v := range mapAt(spec, "overhead") {
		r.one(name, v, (*sum).run)
	}
}

// container takes the requests of a container; a limit without request is one.
func (r *requests) container(container any, take func(s *sum, a amount)) {
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

// podLevel takes what the pod asks for as a whole in place of the sum of its containers. A
// limit of the pod is its request for what neither the pod nor a container requests; huge
// pages cannot be overcommitted, so that their limit always is.
func (r *requests) podLevel(resources map[string]any) {
	asked := mapAt(resources, "requests")
	for name, v := range asked {
		if isPodLevel(name) {
			r.one(name, v, (*sum).replace)
		}
	}
	for name, v := range mapAt(resources, "limits") {
		_, ok := asked[name]
		if ok || !isPodLevel(name) {
			continue
		}
		if isHugePages(name) || !r.has(name) {
			r.one(name, v, (*sum).replace)
		}
	}
}

// one takes a quantity of a single resource, if it is one that schedulers count.
func (r *requests) one(name string, v any, take func(s *sum, a amount)) {
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
func amountOf(name string, v any) (amount, error) {
	if name == "cpu" {
		return milli(v)
	}
	return units(v)
}

// at returns the index of the sum of a resource.
func (r *requests) at(name string) (int, bool) {
	if r.index != nil {
		i, ok := r.index[name]
		return i, ok
	}
	i := slices.IndexFunc(r.sums, func(s sum) bool { return s.name == name })
	return i, i >= 0
}

func (r *requests) has(name string) bool {
	_, ok := r.at(name)
	return ok
}

// of returns the sum of a resource.
func (r *requests) of(name string) *sum {
	i, ok := r.at(name)
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

// run takes what is used as long as the pod runs.
func (s *sum) run(a amount) { s.total = s.total.plus(a) }

// sidecar takes an init container that goes on beside those after it.
func (s *sum) sidecar(a amount) {
	s.run(a)
	s.sidecars = s.sidecars.plus(a)
	s.peak = larger(s.peak, s.sidecars)
}

// start takes an init container that ends before the next one starts.
func (s *sum) start(a amount) { s.peak = larger(s.peak, s.sidecars.plus(a)) }

// replace takes what holds for the pod as a whole.
func (s *sum) replace(a amount) { s.total = a }

// isPodLevel reports whether a pod as a whole may ask for the resource (Kubernetes 1.37,
// IsSupportedPodLevelResource).
func isPodLevel(name string) bool {
	return name == "cpu" || name == "memory" || isHugePages(name)
}

func isHugePages(name string) bool { return strings.HasPrefix(name, "hugepages-") }

// isCounted reports whether a scheduler counts the resource: those of a node, extended
// ones, huge pages, and those under kubernetes.io.
func isCounted(name string) bool {
	switch {
	case name == "cpu", name == "memory", name == "ephemeral-storage", name == "pods":
		return true
	case strings.HasPrefix(name, "requests."):
		return false
	case isHugePages(name), strings.HasPrefix(name, "attachable-volumes-"):
		return true
	}
	return strings.Contains(name, "/")
}

// list writes the sums, rounded up and multiplied, as canonical quantities without zeros.
func (r *requests) list(times int64) map[string]any {
	var out map[string]any
	for _, s := range r.sums {
		if s.total.up <= 0 {
			continue
		}
		n := int64(math.MaxInt64)
		if s.total.up <= n/times {
			n = s.total.up * times
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
	case s.name == "memory" || s.name == "ephemeral-storage" || isHugePages(s.name):
		text = binary(room[:0], n)
	default:
		text = decimalUnits(room[:0], n)
	}
	if last, ok := s.last.(string); ok && last == string(text) {
		return s.last
	}
	return string(text)
}
