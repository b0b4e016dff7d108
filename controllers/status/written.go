// SPDX-License-Identifier: Apache-2.0

package status

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// written holds the resource versions of templates whose status was written, until the
// cache has them: without it, a status that returns to what the cache still holds would
// not be written. It is safe for many goroutines.
type written struct {
	mu       sync.Mutex
	versions map[types.UID]string
}

func (w *written) record(o *unstructured.Unstructured) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.versions == nil {
		w.versions = map[types.UID]string{}
	}
	w.versions[o.GetUID()] = o.GetResourceVersion()
}

// after reports whether the last write is later than the object.
func (w *written) after(o *unstructured.Unstructured) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	version, ok := w.versions[o.GetUID()]
	if !ok {
		return false
	}
	if order, err := resourceversion.CompareResourceVersion(version, o.GetResourceVersion()); err == nil && order > 0 {
		return true
	}
	delete(w.versions, o.GetUID())
	return false
}

// forget drops what is held for an object that is gone.
func (w *written) forget(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.versions, uid)
}
