// SPDX-License-Identifier: Apache-2.0

package skip

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// Namespace is the kind of namespaces.
var Namespace = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// kubernetesPrefix begins the names of Kubernetes' own namespaces.
const kubernetesPrefix = "kube-"

// NamespaceFollows reports whether a namespace goes where what is in it goes. Those that every
// cluster has of its own, those of the control plane, and those that the configuration or
// their label excludes do not.
func NamespaceFollows(n *corev1.Namespace, skipped *Rules) bool {
	switch {
	case n.Name == corev1.NamespaceDefault, strings.HasPrefix(n.Name, kubernetesPrefix), skipped.Object(Namespace, "", n.Name):
		return false
	}
	return !strings.EqualFold(n.Labels[policyv1alpha1.NamespaceSkipAutoPropagationLabel], "true")
}
