// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/controllers/internal/reflection"
)

// reflect writes what the object is after a write into the status of a Work
// whose current generation has not been reported on: the write of the Applied condition,
// which follows, has it then. What comes later, and what waits for a script to be
// compiled, package status reflects.
func (a *application) reflect(object *unstructured.Unstructured) {
	if reflection.Reported(a.work) {
		return
	}
	if s, err := reflection.Of(a.Deps, a.Interpreter.Snapshot(), a.work, a.ordinal, object); err == nil {
		reflection.Set(&a.work.Status, s)
	}
}
