// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// The indexes of each kind.
const (
	nameIndex   = "template.name"
	labelIndex  = "template.label"
	policyIndex = "template.policy"
)

// Get reads a template; it must not be changed. One of a kind that nobody wants, or that
// was not listed in time, is read from the API server.
func (t *Templates) Get(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	if t.Live == nil {
		if err := t.wantForGood(ctx, key.GroupVersionKind); err != nil {
			return nil, err
		}
	}
	object := of(key.GroupVersionKind)
	read, err := t.cached(ctx, key.GroupVersionKind, func() error {
		return t.cache.Get(ctx, key.NamespacedName, object, client.UnsafeDisableDeepCopy)
	})
	if read || err != nil {
		return object, err
	}
	if t.Live == nil {
		return nil, fmt.Errorf("read %s: its kind was not listed within %s", key, listTimeout)
	}
	err = t.Live.Get(ctx, key.NamespacedName, object)
	object.SetManagedFields(nil) // as the cache
	return object, err
}

// List reads all templates of a kind that is watched, in one namespace where it is not
// empty; they must not be changed. Of other kinds there are none.
func (t *Templates) List(ctx context.Context, kind schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	return t.listed(ctx, kind, namespace, nil)
}

// Selected returns the keys of the templates that a selector of a policy selects, in one
// namespace where it is not empty. Of a kind that was not listed yet there are none: all
// its templates are notified of once it is. The cost grows with the templates that have
// the name or a label of the selector.
func (t *Templates) Selected(ctx context.Context, s *policyv1alpha1.ResourceSelector, namespace string) ([]Key, error) {
	if namespace == "" {
		namespace = s.Namespace
	}
	kind := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
	var keys []Key
	for _, match := range matches(s) {
		found, err := t.listed(ctx, kind, namespace, match)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if by, err := selector.Match(s, &found[i]); err == nil && by != selector.NoMatch {
				keys = append(keys, KeyOf(&found[i]))
			}
		}
	}
	return keys, nil
}

// matches returns what the templates that a selector may select have in the indexes: one
// of several; nil is all.
func matches(s *policyv1alpha1.ResourceSelector) []client.MatchingFields {
	if s.Name != "" {
		return []client.MatchingFields{{nameIndex: s.Name}}
	}
	key, values, ok := selector.Required(s.LabelSelector)
	if !ok || len(values) == 0 {
		return []client.MatchingFields{nil}
	}
	all := make([]client.MatchingFields, len(values))
	for i, v := range values {
		all[i] = client.MatchingFields{labelIndex: key + "=" + v}
	}
	return all
}

// ClaimedBy returns the keys of the watched templates of a kind whose claim names a
// policy.
func (t *Templates) ClaimedBy(ctx context.Context, kind schema.GroupVersionKind, policy types.NamespacedName) ([]Key, error) {
	return t.list(ctx, kind, "", client.MatchingFields{policyIndex: policy.String()})
}

// list returns the keys of the templates of a kind that is watched and was listed.
func (t *Templates) list(ctx context.Context, kind schema.GroupVersionKind, namespace string, match client.MatchingFields) ([]Key, error) {
	found, err := t.listed(ctx, kind, namespace, match)
	keys := make([]Key, len(found))
	for i := range found {
		keys[i] = KeyOf(&found[i])
	}
	return keys, err
}

func (t *Templates) listed(ctx context.Context, kind schema.GroupVersionKind, namespace string, match client.MatchingFields) ([]unstructured.Unstructured, error) {
	if !t.Watched(kind) {
		return nil, nil
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	options := []client.ListOption{client.InNamespace(namespace), client.UnsafeDisableDeepCopy}
	if match != nil {
		options = append(options, match)
	}
	_, err := t.cached(ctx, kind, func() error { return t.cache.List(ctx, list, options...) })
	return list.Items, err
}

// cached calls a function that reads a kind from the cache, and reports whether it could:
// whether the kind is watched, and was listed in time. The watch does not end meanwhile,
// or the cache would start another.
func (t *Templates) cached(ctx context.Context, kind schema.GroupVersionKind, read func() error) (bool, error) {
	w, err := t.watchOf(ctx, kind)
	if w == nil || err != nil {
		return false, err
	}
	select {
	case <-w.listed:
	default:
		select {
		case <-w.listed:
		case <-w.late:
			return false, nil
		case <-w.ended:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.watches[kind] != w {
		return false, nil
	}
	return true, read()
}

// forGood is the owner of the kinds that are watched because they were read.
const forGood = "reader"

func (t *Templates) wantForGood(ctx context.Context, kind schema.GroupVersionKind) error {
	if t.allWatched([]schema.GroupVersionKind{kind}) {
		return nil
	}
	unserved, err := t.Want(ctx, forGood, append(slices.Clone(t.Wanted(forGood)), kind)...)
	if err == nil && len(unserved) > 0 {
		err = fmt.Errorf("watch %s: the control plane does not serve it", kind)
	}
	return err
}

// addIndexes adds the indexes of a kind to its cache, unless it has them.
func (t *Templates) addIndexes(ctx context.Context, kind schema.GroupVersionKind, informer cache.Informer) error {
	var present toolscache.Indexers
	if i, ok := informer.(toolscache.SharedIndexInformer); ok {
		present = i.GetIndexer().GetIndexers()
	}
	for name, keys := range map[string]client.IndexerFunc{nameIndex: nameOf, labelIndex: labelsOf, policyIndex: policyOf} {
		if present["field:"+name] != nil { // as the cache names it
			continue
		}
		if err := t.cache.IndexField(ctx, of(kind), name, keys); err != nil {
			return err
		}
	}
	return nil
}

func nameOf(o client.Object) []string { return []string{o.GetName()} }

func labelsOf(o client.Object) []string {
	labels := o.GetLabels()
	keys := make([]string, 0, len(labels))
	for k, v := range labels {
		keys = append(keys, k+"="+v)
	}
	return keys
}

func policyOf(o client.Object) []string {
	if p := claim.Policy(o); p != nil {
		return []string{client.ObjectKeyFromObject(p).String()}
	}
	return nil
}
