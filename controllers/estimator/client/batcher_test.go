// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/controllers/estimator/client"
)

// recorder is an Estimator that answers with the limit of each question once it may.
type recorder struct {
	mu       sync.Mutex
	requests []client.Request
	// begun is told of each request, go on lets one end.
	begun, goOn chan struct{}
	// err and age are those of all answers.
	err error
	age time.Duration
}

func newRecorder() *recorder {
	return &recorder{begun: make(chan struct{}, 100), goOn: make(chan struct{}, 100)}
}

func (r *recorder) Estimate(_ context.Context, requests map[string]client.Request) map[string][]client.Answer {
	all := map[string][]client.Answer{}
	for name, request := range requests {
		r.mu.Lock()
		r.requests = append(r.requests, request)
		err, age := r.err, r.age
		r.mu.Unlock()
		r.begun <- struct{}{}
		<-r.goOn
		for _, q := range request.Questions {
			all[name] = append(all[name], client.Answer{Count: q.GetLimit(), Err: err, Age: age})
		}
	}
	return all
}

func (r *recorder) Forget(string) error { return nil }

// All that is asked while a request is on its way goes into the next one, and what is equal is
// asked once.
func TestBatcherAsksTogether(t *testing.T) {
	r := newRecorder()
	mark := uint64(0)
	b := client.NewBatcher(r, func(string) ([]*pb.AssumedWorkload, uint64) {
		mark++
		return []*pb.AssumedWorkload{{Namespace: fmt.Sprint(mark)}}, mark
	}, clock.RealClock{})
	var wg sync.WaitGroup
	got := make([]map[string]client.Marked, 31)
	ask := func(i int, q *pb.Question) {
		wg.Go(func() { got[i] = b.Ask(t.Context(), q, []string{"member1"}, 0) })
	}
	ask(0, replicas(t, "first", "1", 7))
	<-r.begun
	for i := 1; i <= 30; i++ {
		ask(i, replicas(t, fmt.Sprint("kind=Deployment, name=", i), "1", int32(i%3+1)))
	}
	for client.Waiting(b, "member1") < 30 {
		time.Sleep(time.Millisecond)
	}
	r.goOn <- struct{}{}
	<-r.begun
	r.goOn <- struct{}{}
	wg.Wait()
	if len(r.requests) != 2 || len(r.requests[0].Questions) != 1 || len(r.requests[1].Questions) != 3 {
		t.Fatalf("got %d requests: %v", len(r.requests), r.requests)
	}
	if a := got[0]["member1"]; a.Count != 7 || a.Mark != 1 {
		t.Errorf("the first answer is %+v", a)
	}
	for i := 1; i <= 30; i++ {
		if a := got[i]["member1"]; a.Count != int32(i%3+1) || a.Mark != 2 {
			t.Errorf("answer %d is %+v", i, a)
		}
	}
	if n := r.requests[1].Assumed[0].GetNamespace(); n != "2" {
		t.Errorf("the second request knows what was assumed as %s, not as it was sent", n)
	}
}

// One that fails is among no answers, and is not waited for the next time; an old answer knows
// nothing that is assumed.
func TestBatcherAfterFailure(t *testing.T) {
	r := newRecorder()
	r.err = status.Error(codes.Unavailable, "gone")
	b := client.NewBatcher(r, func(string) ([]*pb.AssumedWorkload, uint64) { return nil, 5 }, clock.RealClock{})
	r.goOn <- struct{}{}
	if got := b.Ask(t.Context(), replicas(t, "a", "1", 1), []string{"member1"}, 0); len(got) != 0 {
		t.Errorf("an estimator that failed answered %v", got)
	}
	if got := b.Ask(t.Context(), replicas(t, "b", "1", 2), []string{"member1"}, 0); len(got) != 0 {
		t.Errorf("an estimator that hangs answered %v", got)
	}
	r.mu.Lock()
	r.err, r.age = nil, time.Second
	r.mu.Unlock()
	r.goOn <- struct{}{} // the one that hung
	<-r.begun
	<-r.begun
	r.goOn <- struct{}{}
	if got := b.Ask(t.Context(), replicas(t, "c", "1", 3), []string{"member1"}, 0)["member1"]; got.Count != 3 || got.Age != time.Second || got.Mark != 0 {
		t.Errorf("the old answer is %+v", got)
	}
}

// Each cluster has requests of its own, and a caller that gives up leaves the rest alone.
func TestBatcherAsksEach(t *testing.T) {
	one, two := start(t, "member1", "8", true), start(t, "member2", "4", true)
	c, _ := connect(t, time.Minute, one, two)
	b := client.NewBatcher(c, func(string) ([]*pb.AssumedWorkload, uint64) { return nil, 1 }, clock.RealClock{})
	got := b.Ask(t.Context(), replicas(t, "a", "1", 0), []string{"member1", "member2"}, 0)
	if got["member1"].Count != 8 || got["member2"].Count != 4 {
		t.Errorf("got %v", got)
	}
	two.hang.Store(true)
	within, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	got = b.Ask(within, replicas(t, "b", "2", 0), []string{"member1", "member2"}, 0)
	if len(got) != 1 || got["member1"].Count != 4 {
		t.Errorf("while one hangs, got %v", got)
	}
}

// An answer is given again as long as it is fresh, to who takes one that is not new.
func TestBatcherGivesFreshAnswersAgain(t *testing.T) {
	r, now, mark := newRecorder(), clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)), uint64(5)
	close(r.goOn)
	b := client.NewBatcher(r, func(string) ([]*pb.AssumedWorkload, uint64) { return nil, mark }, now)
	ask := func(question string, limit int32, age time.Duration, requests int, why string) {
		t.Helper()
		got := b.Ask(t.Context(), replicas(t, question, "1", limit), []string{"member1"}, age)["member1"]
		if got.Count != limit || len(r.requests) != requests {
			t.Errorf("%s: got %+v by %d requests; want %d by %d", why, got, len(r.requests), limit, requests)
		}
	}
	ask("a", 1, client.Fresh, 1, "the first")
	ask("b", 1, client.Fresh, 1, "equal, and about another object")
	ask("c", 2, client.Fresh, 2, "another question")
	ask("a", 1, client.Fresh, 2, "equal to the one before")
	ask("a", 1, 0, 3, "none that is not new")
	now.SetTime(now.Now().Add(client.Fresh - time.Nanosecond))
	ask("a", 1, client.Fresh, 3, "still fresh")
	now.SetTime(now.Now().Add(time.Nanosecond))
	ask("a", 1, client.Fresh, 4, "not fresh any more")
	mark = 7
	if got := b.Ask(t.Context(), replicas(t, "a", "1", 1), []string{"member1"}, client.Fresh)["member1"]; got.Mark != 5 || len(r.requests) != 4 {
		t.Errorf("got %+v by %d requests; want one that knows what was assumed when it was asked for", got, len(r.requests))
	}
	r.err = status.Error(codes.Unavailable, "gone")
	b.Ask(t.Context(), replicas(t, "d", "1", 3), []string{"member1"}, client.Fresh)
	r.err = nil
	ask("d", 3, client.Fresh, 6, "an error is no answer")
}
