// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// contentPage is how many objects are looked at, at once.
const contentPage = 500

// Content returns what keeps a namespace of the cluster from being deleted, such as
// "configmaps team/settings"; empty if it holds nothing but what Kubernetes puts into every
// namespace, what ends with its owner there, and what is being deleted. It asks the API
// server for the metadata of all kinds, each time. An API that is away is an error: what
// it serves may be in the namespace.
func (m *Member) Content(ctx context.Context, namespace string) (string, error) {
	lists, err := discovery.ServerPreferredNamespacedResourcesWithContext(ctx, m.Discovery)
	if err != nil {
		return "", fmt.Errorf("ask cluster %s what it serves: %w", m.Name, err)
	}
	resources, err := contentResources(lists)
	if err != nil {
		return "", fmt.Errorf("read what cluster %s serves: %w", m.Name, err)
	}
	namespaced := kindsIn(lists)
	for _, r := range resources {
		found, err := m.contentOf(ctx, r, namespace, namespaced)
		if err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// contentResources returns which resources may keep a namespace, sorted: discovery lists them by
// chance, and what is found first, or may not be listed, is written into the status of a Work.
func contentResources(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var all []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			if slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete") && !derived[r.Kind] {
				all = append(all, version.WithResource(r.Name))
			}
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionResource) int { return strings.Compare(a.String(), b.String()) })
	return all, nil
}

// contentOf is Content for the objects of one resource.
func (m *Member) contentOf(ctx context.Context, resource schema.GroupVersionResource, namespace string, namespaced map[schema.GroupKind]bool) (string, error) {
	for next := ""; ; {
		list, err := m.Metadata.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: contentPage, Continue: next})
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("list %s in namespace %s of cluster %s: %w", resource.Resource, namespace, m.Name, err)
		}
		for i := range list.Items {
			if keeps(resource.Resource, &list.Items[i], namespaced) {
				return fmt.Sprintf("%s %s/%s", resource.Resource, namespace, list.Items[i].Name), nil
			}
		}
		if next = list.Continue; next == "" {
			return "", nil
		}
	}
}

// derived are the kinds of which Kubernetes makes objects by itself, from others.
var derived = map[string]bool{"Event": true, "Endpoints": true}

// own are the objects that Kubernetes puts into every namespace, by resource.
var own = map[string]string{"configmaps": "kube-root-ca.crt", "serviceaccounts": "default"}

// keeps reports whether an object keeps its namespace.
func keeps(resource string, o *metav1.PartialObjectMetadata, namespaced map[schema.GroupKind]bool) bool {
	if o.DeletionTimestamp != nil || own[resource] == o.Name {
		return false
	}
	return !slices.ContainsFunc(o.OwnerReferences, func(r metav1.OwnerReference) bool {
		return namespaced[schema.FromAPIVersionAndKind(r.APIVersion, r.Kind).GroupKind()]
	})
}

// kindsIn returns the kinds of resources.
func kindsIn(lists []*metav1.APIResourceList) map[schema.GroupKind]bool {
	kinds := map[schema.GroupKind]bool{}
	for _, list := range lists {
		for i := range list.APIResources {
			kinds[schema.FromAPIVersionAndKind(list.GroupVersion, list.APIResources[i].Kind).GroupKind()] = true
		}
	}
	return kinds
}
