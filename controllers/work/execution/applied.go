// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/objects"
)

// applied remembers what was written for each Work and what came of it: fields that
// the member's API server fills in make the two differ for ever, and must not make
// for a write at each look. After a restart each object is written once, which
// changes nothing that is in line. What was written by the word of other scripts than
// now is written once more too.
type applied struct {
	mu   sync.Mutex
	last map[types.NamespacedName]map[identity]record
	// changes counts, for each kind, how often other scripts came to answer for it.
	changes map[schema.GroupVersionKind]int
}

// identity tells the manifests of one Work apart.
type identity struct {
	kind   schema.GroupVersionKind
	object types.NamespacedName
}

func identityOf(o *unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

type record struct {
	desired map[string]any
	result  map[string]any
	// rules are the scripts that it was written by.
	rules int
}

// rules tells the scripts of a kind from those before. It is asked before the scripts
// are: what is recorded with it is then outdated, if other scripts came meanwhile.
func (a *applied) rules(kind schema.GroupVersionKind) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changes[kind]
}

// outdate reports whether other scripts answer for a kind.
func (a *applied) outdate(kind schema.GroupVersionKind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changes == nil {
		a.changes = map[schema.GroupVersionKind]int{}
	}
	a.changes[kind]++
}

// record notes what was written for a Work, what came of it, and by which rules.
func (a *applied) record(work types.NamespacedName, desired, result *unstructured.Unstructured, rules int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[types.NamespacedName]map[identity]record{}
	}
	if a.last[work] == nil {
		a.last[work] = map[identity]record{}
	}
	a.last[work][identityOf(desired)] = record{desired.Object, objects.Of(result), rules}
}

// current reports whether the Work asks for what was last written, by the scripts that answer
// still, and that the object is as it came out of that.
func (a *applied) current(work types.NamespacedName, desired, observed *unstructured.Unstructured) bool {
	a.mu.Lock()
	r, ok := a.last[work][identityOf(desired)]
	rules := a.changes[desired.GroupVersionKind()]
	a.mu.Unlock()
	return ok && r.rules == rules && equality.Semantic.DeepEqual(r.desired, desired.Object) && equality.Semantic.DeepEqual(r.result, objects.Of(observed))
}

func (a *applied) forget(work types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, work)
}
