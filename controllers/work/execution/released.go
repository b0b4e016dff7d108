// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// released holds the versions of Works right before execution removed their finalizer, until a
// watch shows their end: the event of the end of what they applied often comes first, and would
// have the finalizer of a Work that is gone removed again.
type released struct {
	versions memory.Of[types.UID, string]
}

// has reports whether the finalizer of a Work as it is here is removed already.
func (r *released) has(w *workv1alpha1.Work) bool {
	version, ok := r.versions.Get(w.UID)
	return ok && version == w.ResourceVersion
}

func (r *released) add(w *workv1alpha1.Work) { r.versions.Set(w.UID, w.ResourceVersion) }

func (r *released) forget(w client.Object) { r.versions.Forget(w.GetUID()) }
