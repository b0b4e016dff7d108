// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Owner returns the name of a control plane on the objects of its members: the given one,
// or the UID of its namespace kube-system, which no other has.
func Owner(ctx context.Context, hub client.Reader, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	system := &corev1.Namespace{}
	if err := hub.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return "", fmt.Errorf("read the namespace that names this control plane: %w", err)
	}
	return string(system.UID), nil
}
