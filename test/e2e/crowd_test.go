// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/test/fixture"
)

// lagCrowd is how many other objects of a kind are edited before one of it is applied, as they
// are by a sync of a whole repository: their events come first.
const lagCrowd = 200

// crowd creates objects of a kind from a text with their name in it, and returns a function that
// edits them all.
func crowd(ctx context.Context, namespace, text string) func(round int) {
	GinkgoHelper()
	var all []*unstructured.Unstructured
	for i := range lagCrowd {
		o := fixture.Document(fmt.Sprintf(text, fmt.Sprintf("crowd-%d", i)))
		o.SetNamespace(namespace)
		all = append(all, o)
	}
	each := func(do func(o *unstructured.Unstructured) error) {
		GinkgoHelper()
		var g errgroup.Group
		g.SetLimit(8)
		for _, o := range all {
			g.Go(func() error { return do(o) })
		}
		Expect(g.Wait()).To(Succeed())
	}
	each(func(o *unstructured.Unstructured) error { return env.Hub.Create(ctx, o) })
	DeferCleanup(func(ctx SpecContext) {
		each(func(o *unstructured.Unstructured) error { return client.IgnoreNotFound(env.Hub.Delete(ctx, o)) })
	})
	return func(round int) {
		GinkgoHelper()
		edit := fmt.Appendf(nil, `{"metadata":{"annotations":{"round":"%d"}}}`, round)
		each(func(o *unstructured.Unstructured) error {
			return env.Hub.Patch(ctx, fixture.Object(o.GroupVersionKind(), namespace, o.GetName(), nil), client.RawPatch(types.MergePatchType, edit))
		})
	}
}

// Texts of crowds.
const (
	crowdOfPolicies = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: %s}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: none}]}
`
	crowdOfOverrides = `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: %s}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: none}]
  overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {zone: south}}]}}]
`
	crowdOfCustomizations = `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: %s}
spec:
  target: {apiVersion: none.dev/v1, kind: None}
  customizations: {}
`
)
