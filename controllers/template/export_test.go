// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"

	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// Enqueue is enqueue, for specs of the order in which templates are reconciled.
func (c *Controller) Enqueue(ctx context.Context, q queue, k templates.Key, cause templates.Cause) {
	c.enqueue(ctx, q, k, cause)
}
