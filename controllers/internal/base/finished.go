// SPDX-License-Identifier: Apache-2.0

package base

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Finished reports whether the script of an object's kind reports a terminal state. A
// kind without such a script, and a script that fails, do not; the engine's observer
// counts the error. The only error is that of a script that is not compiled yet, until
// when nobody knows.
func Finished(rules engine.Snapshot, o *unstructured.Unstructured) (bool, error) {
	if !rules.Supports(o.GroupVersionKind(), engine.InterpretFinished) {
		return false, nil
	}
	finished, err := rules.Finished(o)
	if Pending(err) {
		return false, err
	}
	return err == nil && finished, nil
}

// Pending reports whether an error of the engine is that of a customization that is not
// compiled yet. What was known before it holds then, and is asked again.
func Pending(err error) bool { return err != nil && activation.CodeOf(err) == script.Pending }
