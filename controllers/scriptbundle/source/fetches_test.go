// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// asked returns fetches of a controller that has started, and what they enqueue.
func asked(t *testing.T) (*fetches, func() string) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	return newFetches(&waker{ctx: t.Context(), queue: queue}), func() string {
		r, _ := queue.Get()
		queue.Done(r)
		return r.Name
	}
}

// hang asks a registry that does not answer.
func hang(ctx context.Context) answer {
	<-ctx.Done()
	return answer{err: ctx.Err()}
}

func TestFetchesEnd(t *testing.T) {
	g := NewWithT(t)
	f, next := asked(t)
	f.timeout = time.Millisecond
	f.begin("a", question{generation: 1}, "registry.example.com", hang)
	g.Expect(next()).To(Equal("a"))
	a, _ := f.take("a", question{generation: 1})
	g.Expect(a.err).To(MatchError("the registry registry.example.com did not answer within 1ms: context deadline exceeded"))
	_, running := f.take("a", question{generation: 1})
	g.Expect(running).To(BeFalse(), "an answer is taken once")
}

func TestFetchesSurviveAPanic(t *testing.T) {
	g := NewWithT(t)
	f, next := asked(t)
	f.begin("a", question{}, "registry.example.com", func(context.Context) answer { panic("an artifact like no other") })
	g.Expect(next()).To(Equal("a"))
	a, _ := f.take("a", question{})
	g.Expect(a.err).To(MatchError(HavePrefix("reading from the registry registry.example.com stopped by a defect of dragoman: an artifact like no other (at fetches_test.go:")))
}

func TestFetchesOfARegistryWaitForEachOtherOnly(t *testing.T) {
	g := NewWithT(t)
	f, next := asked(t)
	begun := make(chan string, 9)
	blocked := func(name string) func(context.Context) answer {
		return func(ctx context.Context) answer {
			begun <- name
			return hang(ctx)
		}
	}
	f.begin("a", question{}, "one", blocked("a"))
	f.begin("b", question{}, "one", blocked("b"))
	g.Expect([]string{<-begun, <-begun}).To(ConsistOf("a", "b"))
	f.begin("c", question{}, "one", blocked("c"))
	f.begin("d", question{}, "two", func(context.Context) answer { return answer{digest: "d"} })
	g.Expect(next()).To(Equal("d"))
	g.Expect(begun).To(BeEmpty(), "c waits")
	a, _ := f.take("c", question{})
	g.Expect(a).To(BeNil())
	f.drop("a")
	g.Expect(<-begun).To(Equal("c"))
}

func TestFetchesAnswerTheLastQuestion(t *testing.T) {
	g := NewWithT(t)
	f, next := asked(t)
	f.begin("a", question{generation: 1}, "one", hang)
	_, running := f.take("a", question{generation: 2})
	g.Expect(running).To(BeFalse())
	f.begin("a", question{generation: 2}, "one", func(context.Context) answer { return answer{digest: "second"} })
	g.Expect(next()).To(Equal("a"))
	a, _ := f.take("a", question{generation: 2})
	g.Expect(a).To(Equal(&answer{digest: "second"}))
}
