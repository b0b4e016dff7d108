// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// NamespaceOf returns the namespace that a Work creates in its cluster for what is
// propagated there. The Work of a policy that selects namespaces is not such a one.
func NamespaceOf(work metav1.Object) (string, bool) {
	if _, bound := BindingOf(work); bound {
		return "", false
	}
	if namespace, ok := work.GetAnnotations()[workv1alpha2.NamespaceAnnotation]; ok {
		return namespace, true
	}
	// That of the published control plane has nothing but its owner.
	owner := metav1.GetControllerOfNoCopy(work)
	if owner == nil || owner.APIVersion != "v1" || owner.Kind != "Namespace" {
		return "", false
	}
	return owner.Name, true
}

// ContentOf returns the namespace of the object of a Work; false if it has none.
func ContentOf(work metav1.Object) (string, bool) {
	key, ok := BindingOf(work)
	if !ok {
		key, ok = QuotaOf(work)
	}
	return key.Namespace, ok && key.Namespace != ""
}

// WorksOfNamespace lists the Works that create a namespace in clusters; they must not be
// changed.
func WorksOfNamespace(ctx context.Context, c client.Reader, namespace string) ([]*workv1alpha1.Work, error) {
	works, err := List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{}, client.MatchingFields{workSpace: spaceKey(namespace)})
	if err != nil {
		return nil, fmt.Errorf("list the works of namespace %s: %w", namespace, err)
	}
	return works, nil
}

// NamespacesInCluster lists the namespaces that Works create in a cluster.
func NamespacesInCluster(ctx context.Context, c client.Reader, cluster string) ([]string, error) {
	works, err := List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{},
		client.InNamespace(names.ExecutionSpace(cluster)), client.MatchingFields{workSpace: anySpace})
	if err != nil {
		return nil, fmt.Errorf("list the works of namespaces in cluster %s: %w", cluster, err)
	}
	namespaces := make([]string, len(works))
	for i := range works {
		namespaces[i], _ = NamespaceOf(works[i])
	}
	return namespaces, nil
}

// Contents lists the Works of a cluster whose objects are in a namespace; they must not be
// changed.
func Contents(ctx context.Context, c client.Reader, cluster, namespace string) ([]*workv1alpha1.Work, error) {
	works, err := List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{},
		client.InNamespace(names.ExecutionSpace(cluster)), client.MatchingFields{workSpace: contentKey(namespace)})
	if err != nil {
		return nil, fmt.Errorf("list the works in namespace %s of cluster %s: %w", namespace, cluster, err)
	}
	return works, nil
}

// anySpace is the index key of all Works that create a namespace.
const anySpace = "space"

func spaceKey(namespace string) string   { return "space/" + namespace }
func contentKey(namespace string) string { return "content/" + namespace }

func spacesOf(o client.Object) []string {
	if namespace, ok := NamespaceOf(o); ok {
		return []string{anySpace, spaceKey(namespace)}
	}
	if namespace, ok := ContentOf(o); ok {
		return []string{contentKey(namespace)}
	}
	return nil
}
