// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"bytes"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// tolerable is how long a Work may be carried out before it counts as slow: most take
// milliseconds. An admission webhook of a member that hangs holds up each write for ten
// seconds, or thirty.
const tolerable = time.Second

// class are the objects that share their fate in a member: its admission webhooks are told
// apart by kind and namespace.
type class struct {
	cluster, namespace string
	kind               schema.GroupVersionKind
}

// classOf returns the class of a Work, which is that of its first object, by the manifest of that.
func classOf(cluster string, manifest []byte) (class, bool) {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(manifest); err != nil {
		return class{}, false
	}
	return class{cluster, o.GetNamespace(), o.GroupVersionKind()}, true
}

// firstManifest returns a copy of the first manifest of a Work, whose own is written over by
// the answer to a write of its status; nil where there is none.
func firstManifest(w *workv1alpha1.Work) []byte {
	if len(w.Spec.Workload.Manifests) == 0 {
		return nil
	}
	return bytes.Clone(w.Spec.Workload.Manifests[0].Raw)
}

// slow are the Works whose class was slow the last time. They have workers of their own, as
// many as the others of their cluster, so that they hold up none of these. It is safe for many
// goroutines; the zero value is ready.
type slow struct {
	mu      sync.Mutex
	classes map[class]map[types.NamespacedName]bool
	works   map[types.NamespacedName]class
	// move has Works counted with those that are like them, which group tells.
	move func(...reconcile.Request)
}

// slowSuffix is what the name of a group of slow Works has more than that of the others.
const slowSuffix = " slow"

// group returns the name of the Works that share workers: those of a cluster that are slow, and
// those that are not.
func (s *slow) group(r reconcile.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.works[r.NamespacedName]; is {
		return r.Namespace + slowSuffix
	}
	return r.Namespace
}

// add records that a Work is slow, and so is its class.
func (s *slow) add(work types.NamespacedName, of class) {
	s.mu.Lock()
	if s.classes == nil {
		s.classes, s.works = map[class]map[types.NamespacedName]bool{}, map[types.NamespacedName]class{}
	}
	if s.classes[of] == nil {
		s.classes[of] = map[types.NamespacedName]bool{}
	}
	s.classes[of][work] = true
	s.works[work] = of
	s.mu.Unlock()
	s.moved(work)
}

// joins reports whether a Work whose class is slow does not count so yet. It does from then on.
func (s *slow) joins(work types.NamespacedName, of class) bool {
	s.mu.Lock()
	works := s.classes[of]
	joins := works != nil && !works[work]
	s.mu.Unlock()
	if joins {
		s.add(work, of)
	}
	return joins
}

// drop forgets a class that is not slow any more.
func (s *slow) drop(of class) {
	s.mu.Lock()
	var works []types.NamespacedName
	for work := range s.classes[of] {
		delete(s.works, work)
		works = append(works, work)
	}
	delete(s.classes, of)
	s.mu.Unlock()
	s.moved(works...)
}

// forget forgets a Work. A class without Works is forgotten too.
func (s *slow) forget(work types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, is := s.works[work]
	if !is {
		return
	}
	delete(s.works, work)
	delete(s.classes[of], work)
	if len(s.classes[of]) == 0 {
		delete(s.classes, of)
	}
}

func (s *slow) moved(works ...types.NamespacedName) {
	if s.move == nil {
		return
	}
	for _, work := range works {
		s.move(reconcile.Request{NamespacedName: work})
	}
}

// begins records that a Work begins to be carried out; ends records that it ends.
func (s *slow) begins(cluster string, w *workv1alpha1.Work) (ends func()) {
	work, manifest := client.ObjectKeyFromObject(w), firstManifest(w)
	timer := time.AfterFunc(tolerable, func() {
		if of, ok := classOf(cluster, manifest); ok {
			s.add(work, of)
		}
	})
	return func() { timer.Stop() }
}

// any reports whether something in a cluster is slow.
func (s *slow) any(cluster string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for of := range s.classes {
		if of.cluster == cluster {
			return true
		}
	}
	return false
}

// isBehind reports whether a Work goes behind those that are not slow, since its class is.
func (c *Controller) isBehind(cluster string, w *workv1alpha1.Work) bool {
	if !c.slow.any(cluster) {
		return false
	}
	of, ok := classOf(cluster, firstManifest(w))
	return ok && c.slow.joins(client.ObjectKeyFromObject(w), of)
}

// answered records that the member took a write of the object. One that it took at once ends
// that others like it are slow.
func (a *application) answered() {
	if time.Since(a.began) < tolerable {
		a.slow.drop(class{a.member.Name, a.desired.GetNamespace(), a.kind()})
	}
}
