// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cached reads what the cache has, without waiting for writes in progress. It is for event
// handlers, which must never wait for a write, and for reconciles that look at many objects
// of which each has an event of its own once its write is through.
type Cached struct{ client.Reader }

// Get implements client.Reader.
func (c Cached) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	return c.Reader.Get(ctx, key, o, append(options, client.DisableReadYourWritesConsistency)...)
}

// List implements client.Reader.
func (c Cached) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return c.Reader.List(ctx, list, append(options, client.DisableReadYourWritesConsistency)...)
}
