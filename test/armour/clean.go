// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// put creates an object that the end of the phase deletes.
func (s *site) put(ctx context.Context, c dynamic.Interface, in schema.GroupVersionResource, object map[string]any) error {
	if err := create(ctx, c, in, object); err != nil {
		return err
	}
	m := object["metadata"].(map[string]any)
	namespace, _ := m["namespace"].(string)
	s.undo(func(ctx context.Context) error {
		return client404(c.Resource(in).Namespace(namespace).Delete(ctx, m["name"].(string), metav1.DeleteOptions{}))
	})
	return nil
}

// undo has the end of the phase call a function, before those that were given earlier.
func (s *site) undo(f func(ctx context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undoes = append(s.undoes, f)
}

// clean removes all that the phase made, and waits until the member has none of its innocent
// templates.
func (s *site) clean(ctx context.Context) error {
	s.mu.Lock()
	undoes := s.undoes
	s.undoes = nil
	s.mu.Unlock()
	var errs []error
	for _, f := range slices.Backward(undoes) {
		errs = append(errs, f(ctx))
	}
	ofRound := metav1.ListOptions{LabelSelector: "round"}
	all, now := metav1.ListOptions{}, metav1.DeleteOptions{}
	errs = append(errs, s.hub.Resource(customizations).DeleteCollection(ctx, now, all))
	for _, kind := range []schema.GroupVersionResource{victims, flinks, gateways} {
		errs = append(errs, s.hub.Resource(kind).Namespace(hostile).DeleteCollection(ctx, now, all))
	}
	if err := errors.Join(append(errs, s.hub.Resource(configMaps).Namespace(innocent).DeleteCollection(ctx, now, ofRound))...); err != nil {
		return err
	}
	return s.await(ctx, "the end of the innocent copies", func(ctx context.Context) (bool, error) {
		list, err := s.member.Resource(configMaps).Namespace(innocent).List(ctx, ofRound)
		return err == nil && len(list.Items) == 0, err
	})
}
