// SPDX-License-Identifier: Apache-2.0

// Package related watches the objects of members that are related to workloads, as bundles
// declare them. In go Works and declarations; out come the objects that belong to a workload,
// and notice of Works whose related objects changed. A kind is watched in a member only while a
// Work there wants it. Only what a declaration keeps of an object stays in memory, and only of
// the newest objects of each workload.
package related

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
)

// Watches are the watches of related objects in all members. It is safe for many goroutines;
// the zero value is ready, and nil watches nothing.
type Watches struct {
	mu        sync.Mutex
	clusters  map[string]*cluster
	listeners []func(work types.NamespacedName)
}

// Want is a workload, and what a script sees beside it.
type Want struct {
	Object   Workload
	Declared []engine.Related
}

// cluster is what is watched by one connection.
type cluster struct {
	member *member.Member
	// watches are by declaration.
	watches map[string]*watch
	// wants are by Work, works by the namespace and name of their workloads.
	wants map[types.NamespacedName][]Want
	works map[types.NamespacedName][]types.NamespacedName
}

// declaration identifies a declaration by its content.
func declaration(r *engine.Related) string { return fmt.Sprintf("%#v", *r) }

// Listen registers f to be called with each Work whose related objects changed, or are known
// now. f must not block.
func (w *Watches) Listen(f func(work types.NamespacedName)) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners = append(w.listeners, f)
}

// Set has the related objects of a Work's workloads watched in its member, instead of those
// that were wanted for it before. It makes no request.
func (w *Watches) Set(m *member.Member, work types.NamespacedName, wants []Want) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wants = slices.DeleteFunc(wants, func(want Want) bool { return len(want.Declared) == 0 })
	c := w.clusters[m.Name]
	if c != nil && c.member != m {
		c.end() // with its connection
		c = nil
	}
	if c == nil {
		if len(wants) == 0 {
			return
		}
		c = &cluster{
			member: m, watches: map[string]*watch{},
			wants: map[types.NamespacedName][]Want{}, works: map[types.NamespacedName][]types.NamespacedName{},
		}
		if w.clusters == nil {
			w.clusters = map[string]*cluster{}
		}
		w.clusters[m.Name] = c
	}
	w.replace(m.Name, c, work, wants)
}

// Drop ends what is watched for a Work of a member.
func (w *Watches) Drop(cluster string, work types.NamespacedName) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.clusters[cluster]; c != nil {
		w.replace(cluster, c, work, nil)
	}
}

// replace replaces what is wanted for a Work: watches begin before others end.
func (w *Watches) replace(name string, c *cluster, work types.NamespacedName, wants []Want) {
	before := c.wants[work]
	for _, want := range before {
		c.works[want.Object.NamespacedName] = slices.DeleteFunc(c.works[want.Object.NamespacedName], func(other types.NamespacedName) bool { return other == work })
		if len(c.works[want.Object.NamespacedName]) == 0 {
			delete(c.works, want.Object.NamespacedName)
		}
	}
	delete(c.wants, work)
	if len(wants) > 0 {
		c.wants[work] = wants
	}
	for _, want := range wants {
		c.works[want.Object.NamespacedName] = append(c.works[want.Object.NamespacedName], work)
		for i := range want.Declared {
			w.begin(c, &want.Declared[i], want.Object)
		}
	}
	for _, want := range before {
		for i := range want.Declared {
			c.release(declaration(&want.Declared[i]), want.Object)
		}
	}
	if len(c.wants) == 0 {
		c.end()
		delete(w.clusters, name)
	}
}

// begin counts a use of a watch for a workload; it begins with the first.
func (w *Watches) begin(c *cluster, r *engine.Related, workload Workload) {
	key := declaration(r)
	if c.watches[key] == nil {
		c.watches[key] = start(c.member, *r, func(workloads []types.NamespacedName) { w.notify(c, workloads) },
			func() { w.notifyAll(c, key) })
	}
	c.watches[key].uses++
	c.watches[key].want(workload)
}

// release ends a use of a watch for a workload; it ends with the last.
func (c *cluster) release(key string, workload Workload) {
	if watch := c.watches[key]; watch != nil {
		watch.unwant(workload)
		if watch.uses--; watch.uses == 0 {
			watch.stop()
			delete(c.watches, key)
		}
	}
}

// end ends all watches.
func (c *cluster) end() {
	for _, watch := range c.watches {
		watch.stop()
	}
	clear(c.watches)
}

// Of returns what a script sees of the objects that are related to a workload, the newest
// first, and whether they are known: those of each declared kind have been read, or cannot be,
// because the cluster does not serve the kind or does not allow to read it.
func (w *Watches) Of(cluster string, workload *unstructured.Unstructured, declared []engine.Related) ([]any, bool) {
	if w == nil || len(declared) == 0 {
		return nil, true
	}
	var all []engine.RelatedObject
	for i, watch := range w.watching(cluster, declared) {
		if watch == nil {
			return nil, false
		}
		found, known := watch.of(Workload{workload.GroupVersionKind().GroupKind(), client.ObjectKeyFromObject(workload)})
		if !known {
			return nil, false
		}
		all = append(all, declared[i].Select(workload, found)...)
	}
	return engine.RelatedValues(all), true
}

// watching returns the watches of declarations in a member, nil for one that is not watched.
// What they keep is read without the lock of all members.
func (w *Watches) watching(cluster string, declared []engine.Related) []*watch {
	all := make([]*watch, len(declared))
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.clusters[cluster]; c != nil {
		for i := range declared {
			all[i] = c.watches[declaration(&declared[i])]
		}
	}
	return all
}

// Watched counts the watches in a member.
func (w *Watches) Watched(cluster string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.clusters[cluster]; c != nil {
		return len(c.watches)
	}
	return 0
}

// notify calls the listeners with the Works of workloads whose objects changed.
func (w *Watches) notify(c *cluster, workloads []types.NamespacedName) {
	w.mu.Lock()
	var works []types.NamespacedName
	for _, workload := range workloads {
		works = append(works, c.works[workload]...)
	}
	listeners := w.listeners
	w.mu.Unlock()
	call(listeners, works)
}

// notifyAll calls the listeners with the Works that want a declaration.
func (w *Watches) notifyAll(c *cluster, key string) {
	w.mu.Lock()
	var works []types.NamespacedName
	for work, wants := range c.wants {
		if slices.ContainsFunc(wants, func(want Want) bool {
			return slices.ContainsFunc(want.Declared, func(r engine.Related) bool { return declaration(&r) == key })
		}) {
			works = append(works, work)
		}
	}
	listeners := w.listeners
	w.mu.Unlock()
	call(listeners, works)
}

func call(listeners []func(types.NamespacedName), works []types.NamespacedName) {
	for _, work := range works {
		for _, f := range listeners {
			f(work)
		}
	}
}
