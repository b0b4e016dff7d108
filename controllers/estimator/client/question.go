// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/estimator/wire"
)

// Estimator is what a scheduler needs of a Client.
type Estimator interface {
	// Estimate asks clusters by their names. The result has an answer for each question of
	// each cluster, in their order.
	Estimate(ctx context.Context, requests map[string]Request) map[string][]Answer
	// Forget ends the connection to a cluster.
	Forget(cluster string) error
}

// Request are the questions to one cluster.
type Request struct {
	// Assumed are workloads that were placed on the cluster and have no pods there yet.
	Assumed []*pb.AssumedWorkload
	// Questions are answered each by itself.
	Questions []*pb.Question
}

// Answer is the answer to one question.
type Answer struct {
	// Count is how many replicas or sets fit, or how many pods found no node.
	Count int32
	// Age is how long ago the answer was given; 0 is now. An old answer does not know the
	// assumed workloads of this request.
	Age time.Duration
	// Err is set if there is no answer; it has a status of gRPC.
	Err error
}

// Replicas asks how many replicas fit, at most limit; 0 is no limit. object says what the
// question is about, as "kind=Deployment, name=default/web". The namespace is that of the pods, whose
// quotas count; requirements that name another are about that.
func Replicas(object, namespace string, r *workv1alpha2.ReplicaRequirements, limit int32) (*pb.Question, error) {
	m, err := wire.ReplicaRequirements(r)
	if err != nil {
		return nil, err
	}
	if m == nil {
		m = &pb.ReplicaRequirements{}
	}
	if m.Namespace == "" {
		m.Namespace = namespace
	}
	return &pb.Question{Object: object, Limit: limit, Ask: &pb.Question_Replicas{Replicas: m}}, nil
}

// Sets asks how many whole sets of components fit, at most limit; 0 is no limit.
func Sets(object, namespace string, components []workv1alpha2.Component, limit int32) (*pb.Question, error) {
	m, err := wire.ComponentMessages(components)
	if err != nil {
		return nil, err
	}
	return &pb.Question{Object: object, Limit: limit, Ask: &pb.Question_ComponentSet{ComponentSet: &pb.ComponentSet{Namespace: namespace, Components: m}}}, nil
}

// Unschedulable asks how many pods of a workload have found no node for longer than a
// threshold.
func Unschedulable(object string, o *pb.ObjectReference, threshold time.Duration) *pb.Question {
	return &pb.Question{Object: object, Ask: &pb.Question_UnschedulableReplicas{UnschedulableReplicas: &pb.UnschedulableReplicas{Resource: o, Threshold: int64(threshold)}}}
}

// keyOf is equal for equal questions, whatever they are about.
func keyOf(q *pb.Question) string {
	asked := &pb.Question{Limit: q.GetLimit(), Ask: q.GetAsk()}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(asked)
	if err != nil {
		return "" // text that is not UTF-8; the request fails as well
	}
	return string(b)
}
