// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CaughtUp waits until a cache holds what the API server holds of some kinds, each
// given by an empty list. A spec that calls a controller by itself does this first,
// since the cache comes after the writes.
func CaughtUp(ctx context.Context, live, cached client.Reader, lists ...client.ObjectList) {
	GinkgoHelper()
	for _, list := range lists {
		Eventually(func(g Gomega) {
			wanted, err := versions(ctx, live, list)
			g.Expect(err).NotTo(HaveOccurred())
			held, err := versions(ctx, cached, list)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(held).To(Equal(wanted))
		}).WithContext(ctx).WithTimeout(20 * time.Second).WithPolling(5 * time.Millisecond).Should(Succeed())
	}
}

// versions returns the resource versions of all objects of a list, by their keys.
func versions(ctx context.Context, c client.Reader, of client.ObjectList) (map[client.ObjectKey]string, error) {
	list := of.DeepCopyObject().(client.ObjectList)
	if err := c.List(ctx, list); err != nil {
		return nil, err
	}
	all := map[client.ObjectKey]string{}
	err := meta.EachListItem(list, func(o runtime.Object) error {
		object := o.(client.Object)
		all[client.ObjectKeyFromObject(object)] = object.GetResourceVersion()
		return nil
	})
	return all, err
}
