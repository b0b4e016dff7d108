// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
)

// reflection reads the objects of one Work, by one snapshot of the rules.
type reflection struct {
	*Controller
	member *member.Member
	work   *workv1alpha1.Work
	rules  engine.Snapshot
	// reflected are the removed objects whose last status was read.
	reflected []*unstructured.Unstructured
}

// of reads manifest i's object in the member and evaluates it. Nil means that nothing is
// known: the object does not exist and did not finish before it was removed, or it is not
// ours or not read yet, or the cluster does not serve its kind. The status before stays
// then, and so it does with an error.
func (r *reflection) of(ctx context.Context, i int) (*workv1alpha1.ManifestStatus, error) {
	manifest := &unstructured.Unstructured{}
	if err := manifest.UnmarshalJSON(r.work.Spec.Workload.Manifests[i].Raw); err != nil {
		return nil, nil //nolint:nilerr // execution reports it in the Applied condition
	}
	kind := manifest.GroupVersionKind()
	if err := r.member.Watch(ctx, kind); meta.IsNoMatchError(err) {
		return nil, nil // package execution reports it; once it is applied the Work is enqueued
	} else if err != nil {
		return nil, err
	}
	object, err := r.member.Get(kind, client.ObjectKeyFromObject(manifest))
	if apierrors.IsNotFound(err) {
		last, ok := r.removed.get(client.ObjectKeyFromObject(r.work), manifest)
		if !ok {
			return nil, nil
		}
		object, err = last, nil
		r.reflected = append(r.reflected, last)
	}
	if errors.Is(err, member.ErrNotSynced) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !madeFrom(r.work, object) {
		return nil, nil
	}
	health, err := r.health(object)
	if err != nil {
		return nil, err
	}
	s := &workv1alpha1.ManifestStatus{Identifier: workv1alpha1.ResourceIdentifier{
		Ordinal: i, Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: manifest.GetNamespace(), Name: manifest.GetName(),
	}, Health: health}
	s.Status, err = r.status(object)
	return s, err
}

// status returns what the engine keeps of the object's status. If the script fails, an
// event reports it, and only the status is left out of the report. The error is that of a
// script that is not compiled yet.
func (r reflection) status(object *unstructured.Unstructured) (*runtime.RawExtension, error) {
	status, err := r.rules.Status(object)
	if base.Pending(err) {
		return nil, err
	}
	if err != nil {
		r.Warn(r.work, "ReflectStatusFailed", "ReflectStatus", err)
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
// healthy once it exists, and if the script fails the health is unknown. The error is that
// of a script that is not compiled yet.
func (r reflection) health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	if !r.rules.Supports(object.GroupVersionKind(), engine.InterpretHealth) {
		return workv1alpha2.ResourceHealthy, nil
	}
	health, err := r.rules.Health(object)
	if base.Pending(err) {
		return "", err
	}
	if err != nil {
		r.Warn(r.work, "InterpretHealthFailed", "InterpretHealth", err)
		return workv1alpha2.ResourceUnknown, nil
	}
	return health, nil
}

// madeFrom reports whether a managed object was made from this Work.
func madeFrom(w *workv1alpha1.Work, object *unstructured.Unstructured) bool {
	a := object.GetAnnotations()
	return a[workv1alpha2.WorkNamespaceAnnotation] == w.Namespace && a[workv1alpha2.WorkNameAnnotation] == w.Name
}
