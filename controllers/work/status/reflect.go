// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/reflection"
	"github.com/dragoman-io/dragoman/engine"
)

// reader reads the objects of one Work, by one snapshot of the rules.
type reader struct {
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
func (r *reader) of(i int) (*workv1alpha1.ManifestStatus, error) {
	manifest := &unstructured.Unstructured{}
	if err := manifest.UnmarshalJSON(r.work.Spec.Workload.Manifests[i].Raw); err != nil {
		return nil, nil //nolint:nilerr // execution reports it in the Applied condition
	}
	kind := manifest.GroupVersionKind()
	// A cluster that does not answer must not hold a worker. An event follows for each object.
	r.member.WatchSoon(kind)
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
	if !madeFrom(r.work, object) || mayBeOfAnother(r.work) && !r.isOwn(manifest, object) {
		return nil, nil
	}
	s, err := reflection.Of(r.Deps, r.rules, r.work, i, object)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// mayBeOfAnother reports whether the object that has the marks of a Work may be that of an earlier one of
// this name, or of another control plane: the manifest could not be applied. What it reports then would
// be taken for the state of a copy that this Work has made.
func mayBeOfAnother(w *workv1alpha1.Work) bool {
	return reflection.WantsState(w) && !meta.IsStatusConditionTrue(w.Status.Conditions, workv1alpha1.WorkApplied)
}

// isOwn reports whether an object is of this control plane and was made from the Work that its manifest
// is in: a Work that is made anew has another id.
func (r *reader) isOwn(manifest, object *unstructured.Unstructured) bool {
	owner := object.GetAnnotations()[workv1alpha2.OwnerAnnotation]
	id := object.GetLabels()[workv1alpha2.WorkPermanentIDLabel]
	return (owner == "" || owner == r.Owner) && id == manifest.GetLabels()[workv1alpha2.WorkPermanentIDLabel]
}

// madeFrom reports whether a managed object was made from this Work.
func madeFrom(w *workv1alpha1.Work, object *unstructured.Unstructured) bool {
	a := object.GetAnnotations()
	return a[workv1alpha2.WorkNamespaceAnnotation] == w.Namespace && a[workv1alpha2.WorkNameAnnotation] == w.Name
}
