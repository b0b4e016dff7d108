// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ReadSnapshotInPages is ReadSnapshot with that many objects in a page.
func ReadSnapshotInPages(ctx context.Context, c client.Reader, page int64) (*Snapshot, error) {
	return readSnapshot(ctx, c, page)
}
