// SPDX-License-Identifier: Apache-2.0

package related

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/engine"
)

// mostOthers bounds the objects of one kind and member that are kept of workloads which nobody
// wants yet, so that one that is wanted a moment later need not be looked for.
const mostOthers = 2000

// reference is a workload as an object refers to it, with the namespace of the object.
type reference struct {
	namespace string
	engine.WorkloadReference
}

// Workload identifies a workload in a member.
type Workload struct {
	schema.GroupKind
	types.NamespacedName
}

// references returns all forms in which an object refers to the workload: by its name, with its
// kind, and with its group.
func (w Workload) references() []reference {
	all := []reference{
		{w.Namespace, engine.WorkloadReference{Name: w.Name}},
		{w.Namespace, engine.WorkloadReference{Name: w.Name, Kind: w.Kind}},
	}
	if w.Group != "" {
		all = append(all, reference{w.Namespace, engine.WorkloadReference{Name: w.Name, Kind: w.Kind, Group: w.Group}})
	}
	return all
}

// newest are the newest objects that refer to one workload, the newest first. Nothing that was
// dropped is newer than one of them.
type newest struct {
	objects []engine.RelatedObject
	// dropped is the newest object that was left out, without what scripts see; nil if none.
	dropped *engine.RelatedObject
}

// insert adds an object that is not among them, and returns the one that is left out for it;
// nil if none.
func (n *newest) insert(o engine.RelatedObject, most int) *engine.RelatedObject {
	if n.dropped != nil && engine.NewestFirst(o, *n.dropped) > 0 {
		return &o
	}
	at, _ := slices.BinarySearchFunc(n.objects, o, engine.NewestFirst)
	n.objects = slices.Insert(n.objects, at, o)
	if len(n.objects) <= most {
		return nil
	}
	out := n.objects[most]
	n.objects = slices.Delete(n.objects, most, most+1)
	n.dropped = &engine.RelatedObject{Name: out.Name, Time: out.Time, Value: map[string]any{"kind": out.Value["kind"]}}
	return &out
}

// kept are the objects of a kind in one member that are kept: of each workload that is wanted
// the newest, and of all others some. It is for one goroutine.
type kept struct {
	most int
	// wants counts for each reference the workloads that are wanted.
	wants      map[reference]int
	references map[reference]*newest
	// objects are the references of each object that is kept, by its namespace and name.
	objects map[types.NamespacedName][]reference
	// others counts what is kept of workloads that nobody wants; lost is true if there is more
	// of them than that.
	others int
	lost   bool
}

// newKept returns what is kept of no object. The wants are those of the caller.
func newKept(most int, wants map[reference]int) *kept {
	return &kept{most: most, wants: wants, references: map[reference]*newest{}, objects: map[types.NamespacedName][]reference{}}
}

// set replaces what is kept of an object, of which nothing new is kept if it is gone; nil. It
// returns the workloads whose objects are others than before, and whether one that is wanted
// has fewer than there may be.
func (k *kept) set(name types.NamespacedName, o *engine.RelatedObject) (changed []reference, short bool) {
	before := map[reference]engine.RelatedObject{}
	for _, r := range k.objects[name] {
		before[r] = k.take(r, name.Name)
	}
	delete(k.objects, name)
	if o != nil {
		for _, w := range o.Workloads {
			r := reference{name.Namespace, w}
			one := *o
			one.Workloads = []engine.WorkloadReference{w}
			if slices.Contains(k.objects[name], r) || !k.add(name, r, one) {
				continue
			}
			if was, ok := before[r]; !ok || !reflect.DeepEqual(was, one) {
				changed = append(changed, r)
			}
			delete(before, r)
		}
	}
	for r := range before {
		changed = append(changed, r)
	}
	for _, r := range changed {
		short = short || k.wants[r] > 0 && k.short(r)
	}
	return changed, short
}

// short reports whether fewer objects are kept of a reference than there may be.
func (k *kept) short(r reference) bool {
	n := k.references[r]
	return n != nil && n.dropped != nil && len(n.objects) < k.most
}

// add adds an object to those of a reference, and reports whether it is kept.
func (k *kept) add(name types.NamespacedName, r reference, o engine.RelatedObject) bool {
	wanted := k.wants[r] > 0
	if !wanted && k.others >= mostOthers {
		k.lost = true
		return false
	}
	n := k.references[r]
	if n == nil {
		n = &newest{}
		k.references[r] = n
	}
	out := n.insert(o, k.most)
	if out != nil && out.Name == o.Name {
		return false
	}
	k.objects[name] = append(k.objects[name], r)
	if out != nil {
		k.forget(types.NamespacedName{Namespace: name.Namespace, Name: out.Name}, r)
	} else if !wanted {
		k.others++
	}
	return true
}

// forget forgets that an object is kept for a reference.
func (k *kept) forget(name types.NamespacedName, r reference) {
	rest := slices.DeleteFunc(k.objects[name], func(other reference) bool { return other == r })
	if k.objects[name] = rest; len(rest) == 0 {
		delete(k.objects, name)
	}
}

// take removes the object of a name from those of a reference.
func (k *kept) take(r reference, name string) engine.RelatedObject {
	n := k.references[r]
	at := slices.IndexFunc(n.objects, func(o engine.RelatedObject) bool { return o.Name == name })
	o := n.objects[at]
	n.objects = slices.Delete(n.objects, at, at+1)
	wanted := k.wants[r] > 0
	if !wanted {
		k.others--
	}
	if len(n.objects) == 0 && (n.dropped == nil || !wanted) {
		k.lost = k.lost || n.dropped != nil
		delete(k.references, r)
	}
	return o
}

// want notes that a reference is wanted now. It reports whether what is kept of it is the newest
// there is, and whether it is fewer than there may be.
func (k *kept) want(r reference) (known, short bool) {
	if n := k.references[r]; n != nil {
		k.others -= len(n.objects)
	}
	return !k.lost, k.short(r)
}

// unwant notes that a reference is wanted no longer. What is too much is dropped.
func (k *kept) unwant(r reference) {
	n := k.references[r]
	if n == nil {
		return
	}
	if len(n.objects) > 0 && k.others+len(n.objects) <= mostOthers {
		k.others += len(n.objects)
		return
	}
	k.lost = true
	for _, o := range n.objects {
		k.forget(types.NamespacedName{Namespace: r.namespace, Name: o.Name}, r)
	}
	delete(k.references, r)
}

// of returns what is kept of a workload, in no order, and whether the newest is among it.
func (k *kept) of(workload Workload) ([]engine.RelatedObject, bool) {
	var all []engine.RelatedObject
	for _, r := range workload.references() {
		n := k.references[r]
		if n == nil {
			continue
		}
		if len(n.objects) == 0 && n.dropped != nil {
			return nil, false
		}
		all = append(all, n.objects...)
	}
	return all, true
}
