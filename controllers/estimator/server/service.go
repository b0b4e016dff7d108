// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
	"github.com/dragoman-io/dragoman/controllers/estimator/wire"
)

// Service answers the requests about one cluster. All fields must be set.
type Service struct {
	Cluster   string
	Inventory *inventory.Inventory
	// Synced reports whether the inventory holds the cluster; until then requests are
	// answered by UNAVAILABLE.
	Synced func() bool
	Clock  clock.PassiveClock

	pb.UnimplementedEstimatorServer
	pb.UnimplementedBatchEstimatorServer
}

// Register adds both services to a gRPC server.
func (s *Service) Register(to grpc.ServiceRegistrar) {
	pb.RegisterEstimatorServer(to, s)
	pb.RegisterBatchEstimatorServer(to, s)
}

// MaxAvailableReplicas answers how many more replicas fit.
func (s *Service) MaxAvailableReplicas(_ context.Context, r *pb.MaxAvailableReplicasRequest) (*pb.MaxAvailableReplicasResponse, error) {
	v, err := s.assume(r.GetCluster(), r.GetAssumedWorkloads(), "assumedWorkloads")
	if err != nil {
		return nil, err
	}
	count, err := replicas(v, r.GetReplicaRequirements(), 0, field.NewPath("replicaRequirements"))
	if err != nil {
		return nil, refusal(err)
	}
	return &pb.MaxAvailableReplicasResponse{MaxReplicas: count}, nil
}

// MaxAvailableComponentSets answers how many more whole sets of components fit.
func (s *Service) MaxAvailableComponentSets(_ context.Context, r *pb.MaxAvailableComponentSetsRequest) (*pb.MaxAvailableComponentSetsResponse, error) {
	v, err := s.assume(r.GetCluster(), r.GetAssumedWorkloads(), "assumedWorkloads")
	if err != nil {
		return nil, err
	}
	count, err := sets(v, r.GetNamespace(), r.GetComponents(), 0, field.NewPath("components"))
	if err != nil {
		return nil, refusal(err)
	}
	return &pb.MaxAvailableComponentSetsResponse{MaxSets: count}, nil
}

// GetUnschedulableReplicas answers how many pods of a workload found no node.
func (s *Service) GetUnschedulableReplicas(_ context.Context, r *pb.UnschedulableReplicasRequest) (*pb.UnschedulableReplicasResponse, error) {
	if err := s.check(r.GetCluster()); err != nil {
		return nil, err
	}
	count, err := s.unschedulable(r.GetResource(), r.GetUnschedulableThreshold(), field.NewPath("resource"))
	if err != nil {
		return nil, refusal(err)
	}
	return &pb.UnschedulableReplicasResponse{UnschedulableReplicas: count}, nil
}

// Estimate answers many questions in their order, each with a number or an error of its
// own. The request fails as a whole if its cluster or its assumed workloads are wrong, or
// its context has ended.
func (s *Service) Estimate(ctx context.Context, r *pb.EstimateRequest) (*pb.EstimateResponse, error) {
	v, err := s.assume(r.GetCluster(), r.GetAssumedWorkloads(), "assumed_workloads")
	if err != nil {
		return nil, err
	}
	response := &pb.EstimateResponse{Answers: make([]*pb.Answer, 0, len(r.GetQuestions()))}
	for index, q := range r.GetQuestions() {
		if ctx.Err() != nil {
			return nil, status.FromContextError(ctx.Err()).Err()
		}
		response.Answers = append(response.Answers, answer(s.ask(v, q, field.NewPath("questions").Index(index))))
	}
	return response, nil
}

func (s *Service) ask(v *inventory.View, q *pb.Question, path *field.Path) (int32, error) {
	switch ask := q.GetAsk().(type) {
	case *pb.Question_Replicas:
		return replicas(v, ask.Replicas, q.GetLimit(), path.Child("replicas"))
	case *pb.Question_ComponentSet:
		return sets(v, ask.ComponentSet.GetNamespace(), ask.ComponentSet.GetComponents(), q.GetLimit(), path.Child("component_set", "components"))
	case *pb.Question_UnschedulableReplicas:
		u := ask.UnschedulableReplicas
		return s.unschedulable(u.GetResource(), u.GetThreshold(), path.Child("unschedulable_replicas", "resource"))
	}
	return 0, &wire.FieldError{Field: path.Child("ask"), Err: errors.New("is no question that this estimator knows")}
}

// answer returns the message of a number or an error.
func answer(count int32, err error) *pb.Answer {
	if err != nil {
		s := status.Convert(refusal(err))
		return &pb.Answer{Result: &pb.Answer_Error{Error: &pb.Error{Code: int32(s.Code()), Message: s.Message()}}}
	}
	return &pb.Answer{Result: &pb.Answer_Count{Count: count}}
}

func replicas(v *inventory.View, r *pb.ReplicaRequirements, limit int32, path *field.Path) (int32, error) {
	of, namespace, err := wire.Requirements(r, path)
	if err != nil {
		return 0, err
	}
	return v.Replicas(namespace, of, limit), nil
}

func sets(v *inventory.View, namespace string, components []*pb.Component, limit int32, path *field.Path) (int32, error) {
	set, err := wire.Components(components, path)
	if err != nil {
		return 0, err
	}
	return v.Sets(namespace, set, limit), nil
}

func (s *Service) unschedulable(o *pb.ObjectReference, threshold int64, path *field.Path) (int32, error) {
	owner, err := wire.Owner(o, path)
	if err != nil {
		return 0, err
	}
	return s.Inventory.Unschedulable(owner, time.Duration(threshold), s.Clock.Now()), nil
}

// assume checks the cluster and returns a view with the assumed workloads.
func (s *Service) assume(cluster string, assumed []*pb.AssumedWorkload, name string) (*inventory.View, error) {
	if err := s.check(cluster); err != nil {
		return nil, err
	}
	workloads, err := wire.Workloads(assumed, field.NewPath(name))
	if err != nil {
		return nil, refusal(err)
	}
	return s.Inventory.Assume(workloads...), nil
}

// check refuses requests about another cluster, and all until the cluster was read.
func (s *Service) check(cluster string) error {
	if cluster != s.Cluster {
		return status.Errorf(codes.InvalidArgument, "cluster: this is the estimator of %q, not of %q", s.Cluster, cluster)
	}
	if !s.Synced() {
		return status.Error(codes.Unavailable, "the nodes and pods of the cluster are not read yet")
	}
	return nil
}

// refusal returns the status of a field that is not valid.
func refusal(err error) error { return status.Error(codes.InvalidArgument, err.Error()) }
