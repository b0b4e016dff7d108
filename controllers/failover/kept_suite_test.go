// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var _ = Describe("the state at an eviction", func() {
	It("is what was kept where the status has it no more, and what is reported where that is newer", func(ctx SpecContext) {
		b := bound[kind](ctx, gadget[kind](nil), []string{"a"}, tolerating(0), keeps("job", "{.jobId}"), keeps("phase", "{.phase}"))
		keptState(ctx, b, `[{"cluster":"a","labels":[{"key":"job","path":"{.jobId}","value":"17","time":"2026-05-04T12:00:00Z"},{"key":"phase","path":"{.phase}","value":"old","time":"2026-05-04T12:00:00Z"}],"values":{"spec.dragoman.io/progress":"42"},"time":"2026-05-04T12:00:00Z"},{"cluster":"b","values":{"spec.dragoman.io/progress":"7"}}]`)
		report(ctx, b, "a", unhealthy, map[string]any{"jobId": "", "phase": "RECONCILING"})
		b, _ = reconciled(ctx, b)
		Expect(tasks(b)["a"].PreservedLabelState).To(Equal(map[string]string{"job": "17", "phase": "RECONCILING"}))
		Expect(tasks(b)["a"].PreservedState).To(Equal(map[string]string{fixture.StateKey: "42"}))
		Expect(eventsAbout(b)).To(BeEmpty())
	})

	It("is what was kept where the status is gone as a whole", func(ctx SpecContext) {
		b := bound[kind](ctx, gadget[kind](nil), []string{"a"}, tolerating(0), keeps("job", "{.jobId}"))
		keptState(ctx, b, `[{"cluster":"a","labels":[{"key":"job","path":"{.jobId}","value":"17","time":"2026-05-04T12:00:00Z"}]}]`)
		report(ctx, b, "a", unhealthy, nil)
		b, _ = reconciled(ctx, b)
		Expect(tasks(b)["a"].PreservedLabelState).To(Equal(map[string]string{"job": "17"}))
	})

	DescribeTable("does not have what can never be a label, and does not wait for it", func(ctx SpecContext, alias, path, why string) {
		b := bound[kind](ctx, gadget[kind](nil), []string{"a"}, tolerating(0), keeps("job", "{.jobId}"), keeps("other", path))
		// A policy that was stored under other rules may have it; this API server refuses it.
		stale := read(ctx, b)
		stale.Spec.Failover.Application.StatePreservation.Rules[1].AliasLabelName = alias
		stale.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "a", Applied: true, Health: unhealthy, Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"17"}`)}}}
		state, err := collect(ctx, stale)
		Expect(err).NotTo(HaveOccurred())
		Expect(state.Labels).To(Equal(map[string]string{"job": "17"}))
		Expect(eventsAbout(b)).To(ConsistOf(And(HavePrefix("Warning StatePreservationIncomplete: statePreservation.rules[1] ("), ContainSubstring(why))))
	},
		Entry("a key", "no/such/key", "{.jobId}", `aliasLabelName "no/such/key" cannot be the key of a label`),
		Entry("a path", "other", "{.jobId[}", "jsonPath is not a JSONPath: unterminated array"),
	)
})

// keptState has a state kept by a binding.
func keptState(ctx context.Context, b kind, text string) {
	GinkgoHelper()
	change(ctx, b, func(b kind) {
		b.Annotations = map[string]string{binding.KeptStateAnnotation: text}
	})
}

// collect collects the state of a binding as it is when it is evicted from a.
func collect(ctx context.Context, b kind) (binding.State, error) {
	d := base.Deps{Client: cached, Templates: tmpls, Interpreter: rules, Gates: features.New(), Clock: clock, Events: events}
	return preservation.Collect(ctx, d, b, b.Spec.Failover.Application.StatePreservation, "a")
}
