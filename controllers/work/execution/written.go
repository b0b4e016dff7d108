// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// written holds the versions of objects that execution wrote, by cluster, until the watch
// shows them: that event has nothing that execution did not see in the answer to its write,
// and would have each Work reconciled twice. It is safe for many goroutines; the zero value
// is ready.
type written struct {
	mu       sync.Mutex
	versions map[string]map[types.UID]string
}

// add records an object as the API server answered with it.
func (w *written) add(cluster string, o *unstructured.Unstructured) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.versions == nil {
		w.versions = map[string]map[types.UID]string{}
	}
	if w.versions[cluster] == nil {
		w.versions[cluster] = map[types.UID]string{}
	}
	w.versions[cluster][o.GetUID()] = o.GetResourceVersion()
}

// shows reports whether an event shows an object as it was written. It does so once.
func (w *written) shows(e member.Event) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	versions := w.versions[e.Cluster]
	if e.New == nil {
		if e.Old != nil {
			delete(versions, e.Old.GetUID())
		}
		return false
	}
	version, ok := versions[e.New.GetUID()]
	if !ok || version != e.New.GetResourceVersion() {
		return false
	}
	delete(versions, e.New.GetUID())
	return true
}

// forget drops what is held for a cluster, whose watches begin anew.
func (w *written) forget(cluster string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.versions, cluster)
}

// wrote records an object that was written, unless the watch has shown it already.
func (a *application) wrote(o *unstructured.Unstructured) {
	a.answered()
	annotations := a.desired.GetAnnotations()
	a.Deliveries.Wrote(types.UID(annotations[workv1alpha2.TemplateUIDAnnotation]), annotations[workv1alpha2.TemplateGenerationAnnotation], a.member.Name, a.Clock.Now())
	shown, err := a.member.Get(a.kind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()})
	if err != nil || shown.GetResourceVersion() != o.GetResourceVersion() {
		a.written.add(a.member.Name, o)
	}
}
