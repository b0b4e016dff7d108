// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"sync"
	"time"

	pb "github.com/dragoman-io/dragoman/api/estimator"
)

const (
	// mostQuestions is how many different questions go into one request.
	mostQuestions = 1000
	// illPatience is how long an answer is waited for whose estimator has just failed.
	illPatience = 50 * time.Millisecond
)

// Batcher asks an Estimator for many callers. A cluster gets one request at a time: what is asked
// while it is on its way goes into the next one, and equal questions are asked once. It is safe
// for many goroutines.
type Batcher struct {
	estimator Estimator
	assumed   func(cluster string) (workloads []*pb.AssumedWorkload, mark uint64)

	mu    sync.Mutex
	lines map[string]*line
}

// line are the questions to one cluster.
type line struct {
	// asking means that a request is on its way, ill that the last one failed.
	asking, ill bool
	waiting     []waiter
}

type waiter struct {
	question *pb.Question
	key      string
	answer   chan<- Marked
}

// Marked is an answer that knows what was assumed up to a mark.
type Marked struct {
	Answer
	// Mark is that of Assumed right before the request; 0 for an old answer, which may know
	// none of it.
	Mark uint64
}

// NewBatcher returns a Batcher. Assumed returns what is assumed on a cluster at that moment, and a
// number above 0 that grows with each assumption.
func NewBatcher(e Estimator, assumed func(cluster string) (workloads []*pb.AssumedWorkload, mark uint64)) *Batcher {
	return &Batcher{estimator: e, assumed: assumed, lines: map[string]*line{}}
}

// Ask asks the estimators of clusters one question. The result has those that answered in time;
// one that fails delays a caller by illPatience at most, but for the first time.
func (b *Batcher) Ask(ctx context.Context, q *pb.Question, clusters []string) map[string]Marked {
	key := keyOf(q)
	answers := make([]<-chan Marked, len(clusters))
	ill := make([]bool, len(clusters))
	for i, name := range clusters {
		answers[i], ill[i] = b.enqueue(ctx, name, q, key)
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

func (b *Batcher) enqueue(ctx context.Context, cluster string, q *pb.Question, key string) (answer <-chan Marked, ill bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.lines[cluster]
	if l == nil {
		l = &line{}
		b.lines[cluster] = l
	}
	c := make(chan Marked, 1) // nobody may wait for it any more
	l.waiting = append(l.waiting, waiter{question: q, key: key, answer: c})
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
		workloads, mark := b.assumed(cluster)
		answers := b.estimator.Estimate(ctx, map[string]Request{cluster: {Assumed: workloads, Questions: questions}})[cluster]
		ill := false
		for i, waiters := range all {
			a := Marked{Answer: answers[i], Mark: mark}
			if a.Age > 0 {
				a.Mark = 0
			}
			ill = ill || a.Age > 0 || broken(a.Err)
			for _, w := range waiters {
				w.answer <- a
			}
		}
		b.mu.Lock()
		l.ill = ill
		b.mu.Unlock()
	}
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
