// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// List reads into an empty list and returns its items; they must not be changed. It
// serves generic code for two kinds.
func List[T client.Object](ctx context.Context, c client.Reader, list client.ObjectList, options ...client.ListOption) ([]T, error) {
	if err := c.List(ctx, list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, err
	}
	items := make([]T, 0, meta.LenList(list))
	err := meta.EachListItem(list, func(o runtime.Object) error {
		items = append(items, o.(T))
		return nil
	})
	return items, err
}
