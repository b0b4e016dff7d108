// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "github.com/dragoman-io/dragoman/api/estimator"
)

const (
	// objectKey is the key of the metadata that name what a published request is about.
	objectKey = "object"
	// askedSingly is for how long an estimator that does not know the service for many
	// questions is asked one by one, before it is tried again.
	askedSingly = 10 * time.Minute
	// atOnce is how many of these requests run at once.
	atOnce = 8
	// mostKept is how many answers of a cluster are kept.
	mostKept = 4096
)

// cluster is the estimator of one cluster.
type cluster struct {
	name    string
	options Options
	conn    *grpc.ClientConn
	batch   pb.BatchEstimatorClient
	single  pb.EstimatorClient

	mu   sync.Mutex
	kept map[string]keptAnswer
	// paused is until when the cluster is not asked, why what it failed by; nil where it
	// answered the last time.
	paused time.Time
	why    error
	// singly is until when it is asked one by one.
	singly time.Time
}

type keptAnswer struct {
	count int32
	at    time.Time
}

func newCluster(name string, conn *grpc.ClientConn, o Options) *cluster {
	return &cluster{
		name: name, options: o, conn: conn, kept: map[string]keptAnswer{},
		batch: pb.NewBatchEstimatorClient(conn), single: pb.NewEstimatorClient(conn),
	}
}

// ask returns an answer to each question: that of the estimator, or an old one.
func (c *cluster) ask(ctx context.Context, r Request) []Answer {
	singly, err := c.begin()
	if err != nil {
		return c.old(r.Questions, err)
	}
	within, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	answers, err := c.put(within, r, singly)
	if status.Code(err) == codes.Unavailable && c.answered() {
		// The connection broke since the last answer, as it does where a machine stood still. It
		// is made again within the time; an estimator that is gone costs that time once.
		answers, err = c.put(within, r, singly, grpc.WaitForReady(true))
	}
	if err != nil {
		err = fmt.Errorf("estimator of cluster %s: %w", c.name, err)
		if ctx.Err() == nil { // the caller did not give up
			c.pause(err)
		}
		return c.old(r.Questions, err)
	}
	c.keep(r.Questions, answers)
	return answers
}

// put asks all questions together, or one by one where the estimator knows no other way.
func (c *cluster) put(ctx context.Context, r Request, singly bool, options ...grpc.CallOption) ([]Answer, error) {
	if !singly {
		answers, err := c.together(ctx, r, options)
		if status.Code(err) != codes.Unimplemented {
			return answers, err
		}
		c.askSingly()
	}
	return c.each(ctx, r, options)
}

// together asks all questions in one request.
func (c *cluster) together(ctx context.Context, r Request, options []grpc.CallOption) ([]Answer, error) {
	response, err := c.batch.Estimate(ctx, &pb.EstimateRequest{Cluster: c.name, AssumedWorkloads: r.Assumed, Questions: r.Questions}, options...)
	if err != nil {
		return nil, err
	}
	if len(response.Answers) != len(r.Questions) {
		return nil, status.Errorf(codes.Internal, "got %d answers to %d questions", len(response.Answers), len(r.Questions))
	}
	answers := make([]Answer, len(response.Answers))
	for index, a := range response.Answers {
		switch result := a.GetResult().(type) {
		case *pb.Answer_Count:
			answers[index].Count = result.Count
		case *pb.Answer_Error:
			answers[index].Err = status.Error(codes.Code(result.Error.GetCode()), result.Error.GetMessage())
		default:
			answers[index].Err = status.Error(codes.Internal, "the answer is empty")
		}
	}
	return answers, nil
}

// each asks the questions one by one by the published service. The error is that of a
// question for which the estimator, not the question, is to blame.
func (c *cluster) each(ctx context.Context, r Request, options []grpc.CallOption) ([]Answer, error) {
	answers := make([]Answer, len(r.Questions))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for index, q := range r.Questions {
		group.Go(func() error {
			count, err := c.published(metadata.AppendToOutgoingContext(ctx, objectKey, q.GetObject()), q, r.Assumed, options)
			if broken(err) {
				return err
			}
			if limit := q.GetLimit(); limit > 0 {
				count = min(count, limit)
			}
			answers[index] = Answer{Count: count, Err: err}
			return nil
		})
	}
	return answers, group.Wait()
}

// broken reports whether an error says nothing about the question.
func broken(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.ResourceExhausted, codes.Unauthenticated, codes.PermissionDenied:
		return true
	}
	return false
}

func (c *cluster) published(ctx context.Context, q *pb.Question, assumed []*pb.AssumedWorkload, options []grpc.CallOption) (int32, error) {
	switch ask := q.GetAsk().(type) {
	case *pb.Question_Replicas:
		r, err := c.single.MaxAvailableReplicas(ctx, &pb.MaxAvailableReplicasRequest{Cluster: c.name, ReplicaRequirements: ask.Replicas, AssumedWorkloads: assumed}, options...)
		return r.GetMaxReplicas(), err
	case *pb.Question_ComponentSet:
		set := ask.ComponentSet
		r, err := c.single.MaxAvailableComponentSets(ctx, &pb.MaxAvailableComponentSetsRequest{Cluster: c.name, Namespace: set.GetNamespace(), Components: set.GetComponents(), AssumedWorkloads: assumed}, options...)
		return r.GetMaxSets(), err
	case *pb.Question_UnschedulableReplicas:
		u := ask.UnschedulableReplicas
		r, err := c.single.GetUnschedulableReplicas(ctx, &pb.UnschedulableReplicasRequest{Cluster: c.name, Resource: u.GetResource(), UnschedulableThreshold: u.GetThreshold()}, options...)
		return r.GetUnschedulableReplicas(), err
	}
	return 0, status.Error(codes.InvalidArgument, "the question asks nothing")
}

// begin reports whether the questions are to be asked one by one. The error is why the
// cluster is not to be asked at all.
func (c *cluster) begin() (singly bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.options.Clock.Now()
	if now.Before(c.paused) {
		return false, c.why
	}
	return now.Before(c.singly), nil
}

func (c *cluster) askSingly() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.singly = c.options.Clock.Now().Add(askedSingly)
}

func (c *cluster) pause(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused, c.why = c.options.Clock.Now().Add(c.options.Pause), why
}

// answered reports whether the estimator answered the last time that it was asked.
func (c *cluster) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why == nil && len(c.kept) > 0
}

// keep remembers the answers.
func (c *cluster) keep(questions []*pb.Question, answers []Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.options.Clock.Now()
	c.why = nil
	for index, q := range questions {
		if answers[index].Err != nil {
			continue
		}
		if len(c.kept) >= mostKept {
			clear(c.kept)
		}
		c.kept[keyOf(q)] = keptAnswer{answers[index].Count, now}
	}
}

// old returns the last answers that are not too old, and an error for the others.
func (c *cluster) old(questions []*pb.Question, err error) []Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	answers := failed(questions, err)
	now := c.options.Clock.Now()
	for index, q := range questions {
		k, ok := c.kept[keyOf(q)]
		if age := now.Sub(k.at); ok && age <= c.options.MaxAge {
			// An age of 0 would be an answer of now.
			answers[index] = Answer{Count: k.count, Age: max(age, 1)}
		}
	}
	return answers
}

func failed(questions []*pb.Question, err error) []Answer {
	answers := make([]Answer, len(questions))
	for index := range answers {
		answers[index].Err = err
	}
	return answers
}
