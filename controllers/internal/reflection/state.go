// SPDX-License-Identifier: Apache-2.0

package reflection

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
)

// maxState bounds the state of one object, in bytes: it is stored in its Work, in its binding,
// and in the task that carries it over.
const maxState = 16 << 10

// WantsState reports whether the state of a Work's objects is to be reported.
func WantsState(w *workv1alpha1.Work) bool { return wants(w, workv1alpha2.FailoverState) }

// wants reports whether the failover of a Work's binding needs something to be reported.
func wants(w *workv1alpha1.Work, what string) bool {
	return slices.Contains(strings.Split(w.Annotations[workv1alpha2.FailoverAnnotation], ","), what)
}

// state returns the state of manifest i's object that must survive a move, where it is wanted;
// nil is none. It stays as it was reported before as long as the objects that are related to
// this one have not been read, and where its script fails: the last state that was known is
// better than none.
func state(d base.Deps, rules engine.Snapshot, w *workv1alpha1.Work, i int, object *unstructured.Unstructured) (map[string]string, error) {
	kind := object.GroupVersionKind()
	if !WantsState(w) || !rules.Supports(kind, engine.InterpretState) {
		return nil, nil
	}
	cluster, _ := names.Cluster(w.Namespace)
	related, known := d.Related.Of(cluster, object, rules.Related(kind, engine.InterpretState))
	if !known {
		return reportedState(w, i), nil
	}
	values, err := rules.State(object, related...)
	if base.Pending(err) {
		return nil, err
	}
	if size := sizeOf(values); err == nil && size > maxState {
		err = fmt.Errorf("the state of %s has %d bytes; at most %d can be carried over, so let its script return less", object.GetName(), size, maxState)
	}
	if err != nil {
		d.Warn(w, "InterpretStateFailed", "InterpretState", err)
		return reportedState(w, i), nil
	}
	return values, nil
}

// reportedState returns the state that was reported of manifest i's object before.
func reportedState(w *workv1alpha1.Work, i int) map[string]string {
	for k := range w.Status.ManifestStatuses {
		if w.Status.ManifestStatuses[k].Identifier.Ordinal == i {
			return w.Status.ManifestStatuses[k].State
		}
	}
	return nil
}

func sizeOf(state map[string]string) int {
	size := 0
	for key, value := range state {
		size += len(key) + len(value)
	}
	return size
}
