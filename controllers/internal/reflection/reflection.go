// SPDX-License-Identifier: Apache-2.0

// Package reflection turns an object of a member into what the status of its Work has of
// it. In go an object and rules; out comes a manifest status. It reads and writes nothing:
// whoever wrote the object to the member and whoever watches it there reflect it alike.
package reflection

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
)

// Of returns what manifest i's object has in the status of a Work. A script that fails is
// reported in an event, and only its part is left out: the health is unknown, there is
// no status, or the state is that of before. The error is that of a script that is not compiled yet.
func Of(d base.Deps, rules engine.Snapshot, w *workv1alpha1.Work, i int, object *unstructured.Unstructured) (workv1alpha1.ManifestStatus, error) {
	kind := object.GroupVersionKind()
	s := workv1alpha1.ManifestStatus{Identifier: workv1alpha1.ResourceIdentifier{
		Ordinal: i, Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName(),
	}}
	var err error
	if s.Health, s.HealthReason, err = health(d, rules, w, object); err != nil {
		return s, err
	}
	if s.State, err = state(d, rules, w, i, object); err != nil {
		return s, err
	}
	s.Status, err = status(d, rules, w, object)
	return s, err
}

// Reported reports whether the conditions of a Work are about its current generation: what
// it dispatches was applied, or could not be, or is suspended. Until then the controller
// that applies it is about to write its status, and reflects its objects in the same
// write; after that the controller that watches them does. So a new generation costs one
// write, and neither undoes what the other wrote.
func Reported(w *workv1alpha1.Work) bool {
	if w.Spec.SuspendDispatching != nil && *w.Spec.SuspendDispatching {
		return true
	}
	applied := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
	// The published control plane writes no generation.
	return applied != nil && (applied.ObservedGeneration == 0 || applied.ObservedGeneration >= w.Generation)
}

// Set puts a status in the place of its manifest; they are in the order of the manifests.
func Set(all *workv1alpha1.WorkStatus, s workv1alpha1.ManifestStatus) {
	i, found := slices.BinarySearchFunc(all.ManifestStatuses, s.Identifier.Ordinal, func(m workv1alpha1.ManifestStatus, ordinal int) int {
		return m.Identifier.Ordinal - ordinal
	})
	if found {
		all.ManifestStatuses[i] = s
		return
	}
	all.ManifestStatuses = slices.Insert(all.ManifestStatuses, i, s)
}

// Drop removes the statuses of manifests that do not exist any more.
func Drop(all *workv1alpha1.WorkStatus, manifests int) {
	all.ManifestStatuses = slices.DeleteFunc(all.ManifestStatuses, func(m workv1alpha1.ManifestStatus) bool {
		return m.Identifier.Ordinal >= manifests
	})
}

// status returns what the engine keeps of the object's status; nil is nothing.
func status(d base.Deps, rules engine.Snapshot, w *workv1alpha1.Work, object *unstructured.Unstructured) (*runtime.RawExtension, error) {
	status, err := rules.Status(object)
	if base.Pending(err) {
		return nil, err
	}
	if err != nil {
		d.Warn(w, "ReflectStatusFailed", "ReflectStatus", err)
		return nil, nil
	}
	if status == nil {
		return nil, nil
	}
	raw, err := json.Marshal(status)
	if err != nil {
		return nil, fmt.Errorf("write the status of %s as JSON: %w", object.GetName(), err)
	}
	return &runtime.RawExtension{Raw: raw}, nil
}

// health returns the health by the engine; an object of a kind without a script is
// healthy once it exists.
func health(d base.Deps, rules engine.Snapshot, w *workv1alpha1.Work, object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, workv1alpha2.HealthReason, error) {
	if !rules.Supports(object.GroupVersionKind(), engine.InterpretHealth) {
		return workv1alpha2.ResourceHealthy, "", nil
	}
	health, reason, err := rules.HealthReason(object, wants(w, workv1alpha2.FailoverMoved))
	if base.Pending(err) {
		return "", "", err
	}
	if err != nil {
		d.Warn(w, "InterpretHealthFailed", "InterpretHealth", err)
		return workv1alpha2.ResourceUnknown, "", nil
	}
	return health, reason, nil
}
