// SPDX-License-Identifier: Apache-2.0

// Package kept keeps the contents of ScriptBundles in the control plane, so that one that starts has
// what was active, whether or not the source can be read. In go archives; out they come again, by
// the revision of their files. It does not know what a revision is used for.
package kept

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
)

const (
	// Label is on each ConfigMap; its value is the name of the ScriptBundle.
	Label = interpreterv1alpha1.GroupName + "/scriptbundle"
	// revisionAnnotation has the revision.
	revisionAnnotation = interpreterv1alpha1.GroupName + "/revision"
	// key is that of the archive.
	key = "bundle.tar.gz"
	// MaxSize is how many bytes an archive may have, as the API server takes them.
	MaxSize = bundle.MaxPacked
)

// Store keeps archives as ConfigMaps of the namespace karmada-system.
type Store struct {
	// Client writes; Reader reads without a cache.
	Client client.Writer
	Reader client.Reader
}

// TooLargeError is the error of an archive that is larger than MaxSize.
type TooLargeError struct{ size int }

// Error says what to do.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the archive of the bundle has %d bytes, and a control plane keeps at most %d of each: leave out cases and CRDs by %s, or split the bundle",
		e.size, MaxSize, bundle.IgnoreFile)
}

// name is that of the ConfigMap of a revision.
func name(bundle, revision string) string { return "scriptbundle-" + bundle + "-" + revision[:16] }

// Put keeps an archive, whose files are of the revision; one that is there is fine. The error is a
// *TooLargeError for one that is too large.
func (s Store) Put(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, revision string, a *archive.Archive) error {
	if len(a.Bytes) > MaxSize {
		return &TooLargeError{len(a.Bytes)}
	}
	owner := metav1.NewControllerRef(b, interpreterv1alpha1.GroupVersion.WithKind("ScriptBundle"))
	owner.BlockOwnerDeletion = new(false) // which would need a permission of its own
	object := func() *corev1.ConfigMap {
		return &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: names.SystemNamespace, Name: name(b.Name, revision), Labels: map[string]string{Label: b.Name},
				Annotations: map[string]string{revisionAnnotation: revision}, OwnerReferences: []metav1.OwnerReference{*owner},
			},
			Immutable: new(true), BinaryData: map[string][]byte{key: a.Bytes},
		}
	}
	err := s.Client.Create(ctx, object())
	if apierrors.IsNotFound(err) { // the namespace
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.SystemNamespace}}
		if err = s.Client.Create(ctx, namespace); err == nil || apierrors.IsAlreadyExists(err) {
			err = s.Client.Create(ctx, object())
		}
	}
	if apierrors.IsAlreadyExists(err) {
		return s.adopt(ctx, object())
	}
	if err != nil {
		return fmt.Errorf("keep the bundle: %w", err)
	}
	return nil
}

// adopt takes over what is there under the name of an object: nothing is to be done if it has the
// same content and owner; anything else is replaced.
func (s Store) adopt(ctx context.Context, wanted *corev1.ConfigMap) error {
	var there corev1.ConfigMap
	if err := s.Reader.Get(ctx, client.ObjectKeyFromObject(wanted), &there); err != nil {
		return fmt.Errorf("keep the bundle: %w", err)
	}
	if string(there.BinaryData[key]) == string(wanted.BinaryData[key]) && metav1.GetControllerOfNoCopy(&there) != nil &&
		metav1.GetControllerOfNoCopy(&there).UID == wanted.OwnerReferences[0].UID {
		return nil
	}
	if err := s.Client.Delete(ctx, &there, client.Preconditions{UID: &there.UID}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("keep the bundle in place of another one: %w", err)
	}
	if err := s.Client.Create(ctx, wanted); err != nil {
		return fmt.Errorf("keep the bundle in place of another one: %w", err)
	}
	return nil
}

// ErrNone is returned for a revision that is not kept.
var ErrNone = errors.New("the control plane does not keep this revision")

// Get returns the files of a revision, in the folder dir. The error is ErrNone for one that is not
// kept, and another one for one whose files are not of the revision.
func (s Store) Get(ctx context.Context, bundleName, revision, dir string) (fs.FS, error) {
	var there corev1.ConfigMap
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: names.SystemNamespace, Name: name(bundleName, revision)}, &there)
	switch {
	case apierrors.IsNotFound(err):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("read what was kept of the bundle: %w", err)
	}
	a, err := archive.Read("ConfigMap "+there.Namespace+"/"+there.Name, there.BinaryData[key])
	if err != nil {
		return nil, err
	}
	files := a.FS(dir)
	found, err := bundle.Revision(files, dir)
	if err != nil {
		return nil, err
	}
	if found != revision {
		return nil, fmt.Errorf("ConfigMap %s/%s: its files are of revision %s, not %s; delete it, and the source is read again", there.Namespace, there.Name, found, revision)
	}
	return files, nil
}

// Retain deletes the revisions of a ScriptBundle but some.
func (s Store) Retain(ctx context.Context, bundleName string, revisions sets.Set[string]) error {
	return s.drop(ctx, labels.SelectorFromSet(labels.Set{Label: bundleName}), func(there *metav1.PartialObjectMetadata) bool {
		return !revisions.Has(there.Annotations[revisionAnnotation])
	})
}

// Sweep deletes the revisions of all ScriptBundles but those with some names.
func (s Store) Sweep(ctx context.Context, bundles sets.Set[string]) error {
	any, err := labels.Parse(Label)
	if err != nil {
		return err
	}
	return s.drop(ctx, any, func(there *metav1.PartialObjectMetadata) bool { return !bundles.Has(there.Labels[Label]) })
}

// drop deletes what is selected and not wanted. The contents are not read.
func (s Store) drop(ctx context.Context, selector labels.Selector, unwanted func(*metav1.PartialObjectMetadata) bool) error {
	list := metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	if err := s.Reader.List(ctx, &list, client.InNamespace(names.SystemNamespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return fmt.Errorf("list what was kept of bundles: %w", err)
	}
	for i := range list.Items {
		there := &list.Items[i]
		if !unwanted(there) {
			continue
		}
		if err := s.Client.Delete(ctx, there, client.Preconditions{UID: &there.UID}); client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
			return fmt.Errorf("delete what was kept of a bundle: %w", err)
		}
	}
	return nil
}
