// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	pb "github.com/dragoman-io/dragoman/api/estimator"
)

const (
	// mostQuestions is how many different questions go into one request.
	mostQuestions = 1000
	// illPatience is how long an answer is waited for whose estimator has just failed.
	illPatience = 50 * time.Millisecond
	// Fresh is for how long an answer is given again, to who takes one that is not new.
	Fresh = time.Second
)

// Batcher asks an Estimator for many callers. A cluster gets one request at a time: what is asked
// while it is on its way goes into the next one, equal questions are asked once, and an answer that is
// fresh is given again. It is safe for many goroutines.
type Batcher struct {
	estimator Estimator
	assumed   func(cluster string) (workloads []*pb.AssumedWorkload, mark uint64)
	clock     clock.PassiveClock

	mu    sync.Mutex
	lines map[string]*line
}

// line are the questions to one cluster.
type line struct {
	// asking means that a request is on its way, ill that the last one failed.
	asking, ill bool
	waiting     []waiter
	// fresh are the last answers by the keys of their questions.
	fresh map[string]Marked
}

type waiter struct {
	question *pb.Question
	key      string
	answer   chan<- Marked
}

// Marked is an answer that knows what was assumed up to a mark.
type Marked struct {
	Answer
	// Mark is that of what was assumed right before the request; 0 for an old answer, which may know
	// none of it.
	Mark uint64
	// asked is when it was asked for.
	asked time.Time
}

// NewBatcher returns a Batcher. Assumed returns what is assumed on a cluster at that moment, and a
// number above 0 that grows with each assumption.
func NewBatcher(e Estimator, assumed func(cluster string) (workloads []*pb.AssumedWorkload, mark uint64), c clock.PassiveClock) *Batcher {
	return &Batcher{estimator: e, assumed: assumed, clock: c, lines: map[string]*line{}}
}

// Ask asks the estimators of clusters one question. The result has those that answered in time;
// one that fails delays a caller by illPatience at most, but for the first time. An answer may have
// been given before, up to an age.
func (b *Batcher) Ask(ctx context.Context, q *pb.Question, clusters []string, age time.Duration) map[string]Marked {
	key := keyOf(q)
	answers := make([]<-chan Marked, len(clusters))
	ill := make([]bool, len(clusters))
	for i, name := range clusters {
		answers[i], ill[i] = b.enqueue(ctx, name, waiter{question: q, key: key}, age)
	}
	got := make(map[string]Marked, len(clusters))
	collect := func(i int, end <-chan struct{}) {
		select {
		case a := <-answers[i]:
			if a.Err == nil {
				got[clusters[i]] = a
			}
		case <-end:
		}
	}
	for i := range clusters {
		if !ill[i] {
			collect(i, ctx.Done())
		}
	}
	within, cancel := context.WithTimeout(ctx, illPatience)
	defer cancel()
	for i := range clusters {
		if ill[i] {
			collect(i, within.Done())
		}
	}
	return got
}

// Forget closes the line of a cluster that is gone.
func (b *Batcher) Forget(cluster string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.lines[cluster]; l != nil && !l.asking {
		delete(b.lines, cluster)
	}
}

// enqueue puts a question to a cluster, unless an answer is there that is young enough.
func (b *Batcher) enqueue(ctx context.Context, cluster string, w waiter, age time.Duration) (answer <-chan Marked, ill bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.lines[cluster]
	if l == nil {
		l = &line{}
		b.lines[cluster] = l
	}
	c := make(chan Marked, 1) // nobody may wait for it any more
	if a, known := l.fresh[w.key]; known && b.clock.Since(a.asked) < age {
		c <- a
		return c, false
	}
	w.answer = c
	l.waiting = append(l.waiting, w)
	if !l.asking {
		l.asking = true
		go b.serve(context.WithoutCancel(ctx), cluster, l) // it serves other callers too
	}
	return c, l.ill
}

// serve sends requests until no question waits.
func (b *Batcher) serve(ctx context.Context, cluster string, l *line) {
	for {
		b.mu.Lock()
		all, questions := l.next()
		if len(questions) == 0 {
			l.asking = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		asked := b.clock.Now()
		workloads, mark := b.assumed(cluster)
		answers := b.estimator.Estimate(ctx, map[string]Request{cluster: {Assumed: workloads, Questions: questions}})[cluster]
		b.mu.Lock()
		l.ill = false
		fresh, given := map[string]Marked{}, make([]Marked, len(all))
		for i, waiters := range all {
			a := Marked{Answer: answers[i], Mark: mark, asked: asked}
			switch {
			case a.Age > 0:
				a.Mark, l.ill = 0, true
			case a.Err != nil:
				l.ill = l.ill || broken(a.Err)
			default:
				fresh[waiters[0].key] = a
			}
			given[i] = a
		}
		l.renew(fresh, asked)
		b.mu.Unlock()
		for i, waiters := range all {
			for _, w := range waiters {
				w.answer <- given[i]
			}
		}
	}
}

// renew keeps the answers of a request in place of older ones, and drops those that are not fresh.
func (l *line) renew(fresh map[string]Marked, now time.Time) {
	for key, a := range l.fresh {
		if _, again := fresh[key]; !again && now.Sub(a.asked) < Fresh {
			fresh[key] = a
		}
	}
	l.fresh = fresh
}

// next takes questions off a line: those who wait for each, and the questions.
func (l *line) next() (all [][]waiter, questions []*pb.Question) {
	at := map[string]int{}
	taken := 0
	for _, w := range l.waiting {
		i, known := at[w.key]
		if !known {
			if len(questions) == mostQuestions {
				break
			}
			i = len(questions)
			at[w.key] = i
			all, questions = append(all, nil), append(questions, w.question)
		}
		all[i] = append(all[i], w)
		taken++
	}
	l.waiting = l.waiting[taken:]
	return all, questions
}
