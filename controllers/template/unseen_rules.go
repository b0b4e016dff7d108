// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

// awaitRules returns errUnseen as long as a customization is in the store that this process has
// not come across, where one may tell that a template has replicas and nothing else does.
func (c *Controller) awaitRules(ctx context.Context, object *unstructured.Unstructured) error {
	if !c.mayBeCustomized(object) {
		return nil
	}
	if last, ok := c.unseenRules.since("", object.GetResourceVersion()); ok {
		if _, found := c.firstNotSubmitted(last.found); !found {
			return nil
		}
	}
	now, err := c.unseenRules.in(ctx, "", func(ctx context.Context, _ string) (answer, error) {
		return listed(ctx, c.Reader, configv1alpha1.GroupVersion.WithKind("ResourceInterpreterCustomizationList"))
	})
	if err != nil {
		return err
	}
	if name, found := c.firstNotSubmitted(now.found); found {
		return fmt.Errorf("%w: ResourceInterpreterCustomization %s", errUnseen, name)
	}
	c.unseenRules.shown("", now.at)
	return nil
}

// mayBeCustomized reports whether a customization may be the first to tell that a template has
// replicas: its kind is none of Kubernetes' own, and no rule of the kind answers.
func (c *Controller) mayBeCustomized(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	if c.Client.Scheme().Recognizes(kind) {
		return false
	}
	rules := c.Interpreter.Snapshot()
	return !rules.Knows(kind, engine.InterpretReplica) && !rules.Knows(kind, engine.InterpretComponent)
}

// firstNotSubmitted returns the name of a customization that was not submitted to the engine. One
// that is being deleted is not.
func (c *Controller) firstNotSubmitted(in map[types.NamespacedName]version) (string, bool) {
	for key, v := range in {
		if !v.going && !c.Activator.HasSeen(v.uid) {
			return key.Name, true
		}
	}
	return "", false
}
