// SPDX-License-Identifier: Apache-2.0

package base

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// Finished reports whether the script of an object's kind reports a terminal state. A
// kind without such a script, and a script that fails, do not; the engine's observer
// counts the error.
func Finished(rules engine.Snapshot, o *unstructured.Unstructured) bool {
	if !rules.Supports(o.GroupVersionKind(), engine.InterpretFinished) {
		return false
	}
	finished, err := rules.Finished(o)
	return err == nil && finished
}
