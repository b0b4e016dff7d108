// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
)

func clientKey(o client.Object) client.ObjectKey { return client.ObjectKeyFromObject(o) }

// departed returns how many of some bindings left a cluster.
func departed(ctx context.Context, all []workv1alpha2.Binding) int {
	GinkgoHelper()
	n := 0
	for _, b := range all {
		n += len(read(ctx, b).GetSpec().GracefulEvictionTasks)
	}
	return n
}

// run has a controller evict until a time, at the times for which it asks.
func run(ctx context.Context, c *failover.Controller, until time.Time) {
	GinkgoHelper()
	for {
		result, err := c.Reconcile(ctx, failover.Next())
		Expect(err).NotTo(HaveOccurred())
		if result.RequeueAfter == 0 || clock.Now().Add(result.RequeueAfter).After(until) {
			clock.SetTime(until)
			return
		}
		later(result.RequeueAfter)
	}
}

var _ = Describe("a storm of evictions", func() {
	It("keeps one pace and one order over both kinds, two clusters and a restart", func(ctx SpecContext) {
		join(ctx, "a", "b", "c", "d", "e")
		old, young := down(), down()
		young.TimeAdded = &metav1.Time{Time: clock.Now().Add(time.Second)}
		var all []workv1alpha2.Binding
		for i := range 50 {
			name := fmt.Sprintf("n%02d", i)
			all = append(all,
				placed[*workv1alpha2.ResourceBinding](ctx, "young-"+name, []string{"b"}),
				placed[*workv1alpha2.ResourceBinding](ctx, "old-"+name, []string{"a"}),
				placed[*workv1alpha2.ClusterResourceBinding](ctx, "wide-"+name, []string{"a"}),
				placed[*workv1alpha2.ResourceBinding](ctx, "prod-"+name, []string{"b"}, prioritized(7)),
				placed[*workv1alpha2.ResourceBinding](ctx, "else-"+name, []string{"c"}))
		}
		taint(ctx, "a", old)
		taint(ctx, "b", young)
		later(time.Minute)
		c := failover.New(depsWith(features.New()), evicting())
		began := clock.Now()
		look(ctx, c, failover.Next())
		Expect(departed(ctx, all)).To(BeZero(), "nobody knows what the process before evicted, so the first waits too")

		left := map[string]int{}
		count := func() int {
			n := 0
			for _, b := range all {
				if tasks := read(ctx, b).GetSpec().GracefulEvictionTasks; len(tasks) > 0 {
					n++
					if _, known := left[b.GetName()]; !known {
						left[b.GetName()] = len(left)
					}
				}
			}
			return n
		}
		By("evicting the most important first: 4 s at 10 a second")
		run(ctx, c, began.Add(4*time.Second))
		Expect(count()).To(Equal(40))
		for _, b := range all {
			if len(read(ctx, b).GetSpec().GracefulEvictionTasks) > 0 {
				Expect(b.GetSpec().SchedulePriority).NotTo(BeNil(), b.GetName()+" has no priority")
			}
		}

		By("restarting: the new controller goes on after one interval")
		c = failover.New(depsWith(features.New()), evicting())
		look(ctx, c, failover.Next())
		Expect(count()).To(Equal(40))
		run(ctx, c, began.Add(15*time.Second))
		Expect(count()).To(Equal(150))
		for i, b := range all {
			if i%5 == 0 {
				Expect(read(ctx, b).GetSpec().GracefulEvictionTasks).To(BeEmpty(), b.GetName()+" left before those with the older taint")
			}
		}

		By("evicting the rest, and none elsewhere")
		run(ctx, c, began.Add(20*time.Second))
		Expect(count()).To(Equal(200))
		result := look(ctx, c, failover.Next())
		Expect(result.RequeueAfter).To(BeZero(), "nothing waits any more")
	}, SpecTimeout(10*time.Minute))

	It("does not have one that is alone wait for the many of others, whose taint is older", func(ctx SpecContext) {
		join(ctx, "a", "b", "c", "d", "e")
		old, young := down(), down()
		young.TimeAdded = &metav1.Time{Time: clock.Now().Add(time.Second)}
		for i := range 20 {
			placed[*workv1alpha2.ResourceBinding](ctx, fmt.Sprintf("many-%02d", i), []string{"a"})
		}
		alone := placed[*workv1alpha2.ClusterResourceBinding](ctx, "alone", []string{"b"})
		taint(ctx, "a", old)
		taint(ctx, "b", young)
		later(time.Minute)
		c := started(ctx, evicting())
		run(ctx, c, clock.Now().Add(250*time.Millisecond))
		Expect(read(ctx, alone).GetSpec().GracefulEvictionTasks).NotTo(BeEmpty(), "it has one of the first three turns")
	})

	It("stops while too many clusters look unhealthy, says so, and goes on then", func(ctx SpecContext) {
		join(ctx, "a", "b", "c")
		first := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"})
		second := placed[*workv1alpha2.ResourceBinding](ctx, "two", []string{"a"})
		quiet := placed[*workv1alpha2.ResourceBinding](ctx, "quiet", []string{"b"}, tolerating(3600))
		c := started(ctx, evicting())
		ready(ctx, "a", metav1.ConditionFalse)
		taint(ctx, "a", down())
		evictNext(ctx, c, first, "a")
		all := []workv1alpha2.Binding{first, second, quiet}
		Expect(departed(ctx, all)).To(Equal(1), "one of three is down")

		ready(ctx, "b", metav1.ConditionUnknown)
		taint(ctx, "b", down())
		later(time.Second)
		look(ctx, c, failover.AboutCluster("b"))
		look(ctx, c, failover.Next())
		Expect(departed(ctx, all)).To(Equal(1), "two of three are down")
		condition := stopped(ctx, "a")
		Expect(condition).NotTo(BeNil())
		Expect(condition.Reason).To(Equal(failover.ReasonClustersUnhealthy))
		Expect(condition.Message).To(ContainSubstring("2 of 3 clusters look unhealthy"))
		Expect(stopped(ctx, "b")).To(BeNil(), "nothing waits to leave it now")
		Expect(events.About("", "a")).To(ConsistOf(HavePrefix("Warning EvictionsStopped: ")))
		version := clusterOf(ctx, "a").ResourceVersion
		look(ctx, c, failover.Next())
		Expect(clusterOf(ctx, "a").ResourceVersion).To(Equal(version), "it is written once")

		ready(ctx, "b", metav1.ConditionTrue)
		look(ctx, c, failover.Next())
		Expect(departed(ctx, all)).To(Equal(2))
		look(ctx, c, failover.Next())
		Expect(stopped(ctx, "a")).To(BeNil())
		Expect(events.About("", "a")).To(HaveExactElements(HavePrefix("Warning EvictionsStopped: "), HavePrefix("Normal EvictionsResumed: ")))
	})

	It("stops for the taints of policies on ready clusters, and not for those of a person", func(ctx SpecContext) {
		join(ctx, "a", "b", "c")
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"})
		c := started(ctx, evicting())
		policy := &policyv1alpha1.ClusterTaintPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: "down"},
			Spec:       policyv1alpha1.ClusterTaintPolicySpec{Taints: []policyv1alpha1.Taint{{Key: "down", Effect: corev1.TaintEffectNoExecute}}},
		}
		Expect(hub.Create(ctx, policy)).To(Succeed())
		taint(ctx, "a", down())
		taint(ctx, "b", down())
		evictNext(ctx, c, b, "a")
		Expect(targets(read(ctx, b))).To(Equal([]string{"a"}))
		Expect(stopped(ctx, "a")).NotTo(BeNil())
		Expect(hub.Delete(ctx, policy)).To(Succeed())
		look(ctx, c, failover.Next())
		Expect(targets(read(ctx, b))).To(BeEmpty())
	})

	It("stops with a rate of 0, and says so", func(ctx SpecContext) {
		join(ctx, "a", "b")
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"})
		c := started(ctx, evicting(func(o *failover.Options) { o.Rate = 0 }))
		taint(ctx, "a", down())
		evictNext(ctx, c, b, "a")
		later(time.Hour)
		look(ctx, c, failover.Next())
		Expect(targets(read(ctx, b))).To(Equal([]string{"a"}))
		Expect(stopped(ctx, "a")).To(HaveField("Reason", failover.ReasonRateIsZero))

		By("starting with a rate again")
		c = started(ctx, evicting())
		look(ctx, c, failover.Next())
		Expect(targets(read(ctx, b))).To(BeEmpty())
		look(ctx, c, failover.Next())
		Expect(stopped(ctx, "a")).To(BeNil())
	})

	It("forgets what is deleted meanwhile", func(ctx SpecContext) {
		join(ctx, "a", "b")
		b := placed[*workv1alpha2.ResourceBinding](ctx, "one", []string{"a"}, tolerating(30))
		c := started(ctx, evicting())
		taint(ctx, "a", down())
		evictNext(ctx, c, b, "a")
		Expect(hub.Delete(ctx, b)).To(Succeed())
		later(time.Minute)
		look(ctx, c, failover.Next())
		Expect(look(ctx, c, failover.Next()).RequeueAfter).To(BeZero())
		Expect(events.About(b.Namespace, b.Name)).To(BeEmpty())
	})
})
