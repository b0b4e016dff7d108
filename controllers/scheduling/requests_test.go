// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

var (
	_ = describeRequests[*workv1alpha2.ResourceBinding]("a ResourceBinding")
	_ = describeRequests[*workv1alpha2.ClusterResourceBinding]("a ClusterResourceBinding")
)

// counting counts the writes of a client.
type counting struct {
	client.Client
	specs, statuses int
}

func (c *counting) Patch(ctx context.Context, o client.Object, p client.Patch, options ...client.PatchOption) error {
	c.specs++
	return c.Client.Patch(ctx, o, p, options...)
}

func (c *counting) Status() client.SubResourceWriter {
	return countingStatus{c.Client.Status(), c}
}

type countingStatus struct {
	client.SubResourceWriter
	by *counting
}

func (c countingStatus) Patch(ctx context.Context, o client.Object, p client.Patch, options ...client.SubResourcePatchOption) error {
	c.by.statuses++
	return c.SubResourceWriter.Patch(ctx, o, p, options...)
}

// requests are the writes and events of a while.
type requests struct{ specs, statuses, events int }

// describeRequests are the specs of what the control plane is asked for.
func describeRequests[B workv1alpha2.Binding](kind string) bool {
	return Describe("For "+kind, func() {
		var counted *counting
		BeforeEach(func() {
			before := cached
			counted = &counting{Client: cached}
			cached = counted
			DeferCleanup(func() { cached = before })
		})
		// costs returns what scheduling a binding takes.
		costs := func(ctx context.Context, b B) requests {
			GinkgoHelper()
			about := func() int { return len(events.About(b.GetNamespace(), b.GetName())) }
			before := requests{counted.specs, counted.statuses, about()}
			decided(ctx, b)
			return requests{counted.specs - before.specs, counted.statuses - before.statuses, about() - before.events}
		}

		It("targets and outcome are a write each, without an event", func(ctx SpecContext) {
			join(ctx, "a")
			b := binding[B](ctx, toClusters("a"), divided(2))
			Expect(costs(ctx, b)).To(Equal(requests{specs: 1, statuses: 1}))
			Expect(costs(ctx, b)).To(Equal(requests{}), "its own write wakes it")
		})

		It("another version of the template is one write of the status", func(ctx SpecContext) {
			join(ctx, "a")
			b := binding[B](ctx, toClusters("a"), divided(2))
			decided(ctx, b)
			change(ctx, b, func(b B) { b.GetSpec().Resource.ResourceVersion = "2" })
			Expect(costs(ctx, b)).To(Equal(requests{statuses: 1}))
		})

		It("other clusters are no write, though they wake it", func(ctx SpecContext) {
			join(ctx, "a")
			b := binding[B](ctx, divided(2), toClusters("a", "b"))
			decided(ctx, b)
			join(ctx, "b")
			clock.SetTime(clock.Now().Add(time.Hour))
			Expect(costs(ctx, b)).To(Equal(requests{}))
		})

		It("a failure is one write and one event, and another number in it no other event", func(ctx SpecContext) {
			a := join(ctx, "a", cpus("2"))
			b := binding[B](ctx, toClusters("a"), replicas(9))
			Expect(costs(ctx, b)).To(Equal(requests{statuses: 1, events: 1}))
			Expect(costs(ctx, b)).To(Equal(requests{}))
			a = read(ctx, a)
			cpus("3")(a)
			Expect(hub.Status().Update(ctx, a)).To(Succeed())
			Expect(costs(ctx, b)).To(Equal(requests{statuses: 1}))
		})
	})
}
