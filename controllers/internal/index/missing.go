// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// MissingOverrides returns the override policies that a policy waits for, as its
// dependentOverrides name them: those of its namespace, or cluster-wide ones.
func MissingOverrides(ctx context.Context, c client.Reader, p policyv1alpha1.Policy) ([]string, error) {
	var missing []string
	for _, name := range p.GetSpec().DependentOverrides {
		o := scope.EmptyOverride(p.GetNamespace(), name)
		err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			missing = append(missing, name)
		} else if err != nil {
			return nil, fmt.Errorf("read override policy %s: %w", name, err)
		}
	}
	return missing, nil
}
