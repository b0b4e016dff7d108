// SPDX-License-Identifier: Apache-2.0

package status

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// written holds the resource versions of templates whose status was written, until the
// cache has them: without it, a status that returns to what the cache still holds would
// not be written. It is safe for many goroutines.
type written struct {
	versions memory.Of[types.UID, string]
}

func (w *written) record(o *unstructured.Unstructured) {
	w.versions.Set(o.GetUID(), o.GetResourceVersion())
}

// after reports whether the last write is later than the object.
func (w *written) after(o *unstructured.Unstructured) (later bool) {
	w.versions.Update(o.GetUID(), func(version string, known bool) (string, bool) {
		order, err := resourceversion.CompareResourceVersion(version, o.GetResourceVersion())
		later = known && err == nil && order > 0
		return version, later
	})
	return later
}

// forget drops what is held for an object that is gone.
func (w *written) forget(uid types.UID) { w.versions.Forget(uid) }
