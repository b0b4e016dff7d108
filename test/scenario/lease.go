// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
)

// ExpireLease has the lease of a manager that was killed expire a second after another one reads
// it. It stays that of the killed one: who leads next takes over its members at once, which it
// does not where it cannot know whom it follows. No lease is no error.
func ExpireLease(ctx context.Context, hub client.Client) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: names.SystemNamespace, Name: "dragoman-manager"}}
	err := hub.Patch(ctx, lease, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"leaseDurationSeconds":1}}`)))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("have the lease of the manager expire: %w", err)
	}
	return nil
}
