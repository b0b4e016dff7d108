// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Read reads an object again.
func Read[T client.Object](ctx context.Context, c client.Client, o T) T {
	GinkgoHelper()
	fresh := o.DeepCopyObject().(T)
	Expect(c.Get(ctx, client.ObjectKeyFromObject(o), fresh)).To(Succeed())
	return fresh
}

// Change changes an object where it is.
func Change[T client.Object](ctx context.Context, c client.Client, o T, by func(T)) {
	GinkgoHelper()
	base := Read(ctx, c, o)
	changed := base.DeepCopyObject().(T)
	by(changed)
	Expect(c.Patch(ctx, changed, client.MergeFrom(client.Object(base)))).To(Succeed())
}
