package execution

import (
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// applied remembers what was written for each Work and what came of it: fields that
// the member's API server fills in make the two differ for ever, and must not make
// for a write at each look. After a restart each object is written once, which
// changes nothing that is in line.
type applied struct {
	mu   sync.Mutex
	last map[types.NamespacedName]map[identity]record
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
}

func (a *applied) record(work types.NamespacedName, desired, result *unstructured.Unstructured) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[types.NamespacedName]map[identity]record{}
	}
	if a.last[work] == nil {
		a.last[work] = map[identity]record{}
	}
	a.last[work][identityOf(desired)] = record{desired.Object, content(result)}
}

// current says that the Work asks for what was last written, and that the object is
// still as it came out of that.
func (a *applied) current(work types.NamespacedName, desired, observed *unstructured.Unstructured) bool {
	a.mu.Lock()
	r, ok := a.last[work][identityOf(desired)]
	a.mu.Unlock()
	return ok && equality.Semantic.DeepEqual(r.desired, desired.Object) && equality.Semantic.DeepEqual(r.result, content(observed))
}

func (a *applied) forget(work types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, work)
}

// sameContent says that two versions of an object differ in nothing but what the
// API server and the status writers keep.
func sameContent(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(content(a), content(b))
}

// content gives the object without status and without what the API server keeps.
func content(o *unstructured.Unstructured) map[string]any {
	kept := maps.Clone(o.Object)
	delete(kept, "status")
	if metadata, ok := kept["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, field := range []string{"resourceVersion", "managedFields", "generation", "creationTimestamp", "uid", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"} {
			delete(metadata, field)
		}
		kept["metadata"] = metadata
	}
	return kept
}
