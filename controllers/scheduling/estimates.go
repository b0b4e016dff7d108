// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/estimator/wire"
)

// silentFor is for how long an estimator counts as silent that answered before. Most are back by then:
// the machine stood still, or the estimator was started again.
const silentFor = 30 * time.Second

// Estimators ask the estimators of clusters for the controllers of both kinds of binding. They
// tell them what is assumed.
type Estimators struct {
	// PushOnly asks none about clusters in pull mode. It is set before the first use.
	PushOnly bool
	// Clock is set before the first use.
	Clock clock.PassiveClock

	client  estimator.Estimator
	batcher *estimator.Batcher

	mu sync.Mutex
	// silent are since when estimators that have answered before do not, by their clusters; zero is
	// that one answered the last time.
	silent map[string]time.Time
}

// NewEstimators returns Estimators that ask by a client.
func NewEstimators(e estimator.Estimator, assumed *schedule.Assumptions) *Estimators {
	assumed.Describe = described
	all := &Estimators{Clock: clock.RealClock{}, client: e, silent: map[string]time.Time{}}
	all.batcher = estimator.NewBatcher(e, func(cluster string) ([]*pb.AssumedWorkload, uint64) {
		described, mark := assumed.Described(cluster)
		return united(described), mark
	}, estimatorClock{all})
	return all
}

// estimatorClock is the clock of Estimators, which is set after they are made.
type estimatorClock struct{ *Estimators }

// Now returns the time.
func (c estimatorClock) Now() time.Time { return c.Clock.Now() }

// Since returns how long ago a time was.
func (c estimatorClock) Since(t time.Time) time.Duration { return c.Clock.Since(t) }

// ask asks the estimators of clusters about the object of a binding. A question that cannot be
// put is logged, and nobody answers it.
func (e *Estimators) ask(ctx context.Context, b workv1alpha2.Binding, clusters []string) schedule.Estimates {
	q, err := questionOf(b)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not ask the estimators of clusters")
		return nil
	}
	all := make(schedule.Estimates, len(clusters))
	log := ctrl.LoggerFrom(ctx).V(1)
	for name, a := range e.batcher.Ask(ctx, q, clusters, ageOf(b)) {
		all[name] = schedule.Estimate{Fits: int64(a.Count), Mark: a.Mark}
		log.Info("asked an estimator", "cluster", name, "fits", a.Count, "age", a.Age.String())
	}
	for _, name := range e.silentOf(clusters, all) {
		all[name] = schedule.Estimate{Silent: true}
		log.Info("an estimator does not answer that did before", "cluster", name)
	}
	return all
}

// ageOf returns how old the answers about a binding may be: those that wait for room want to know what
// there is now.
func ageOf(b workv1alpha2.Binding) time.Duration {
	if meta.IsStatusConditionFalse(b.GetStatus().Conditions, workv1alpha2.Scheduled) {
		return 0
	}
	return estimator.Fresh
}

// silentOf returns the clusters whose estimators have answered before, and have not for a moment.
func (e *Estimators) silentOf(asked []string, answered schedule.Estimates) (silent []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.Clock.Now()
	for _, name := range asked {
		since, known := e.silent[name]
		_, answers := answered[name]
		switch {
		case answers:
			e.silent[name] = time.Time{}
			continue
		case !known:
			continue
		case since.IsZero():
			since = now
			e.silent[name] = since
		}
		if now.Sub(since) < silentFor {
			silent = append(silent, name)
		}
	}
	return silent
}

// forget ends the connection to the estimator of a cluster that is gone.
func (e *Estimators) forget(ctx context.Context, cluster string) {
	e.batcher.Forget(cluster)
	e.mu.Lock()
	delete(e.silent, cluster)
	e.mu.Unlock()
	if err := e.client.Forget(cluster); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not close the connection to an estimator", "cluster", cluster)
	}
}

// mostSets is how many sets of components are asked for: the cluster with room for most gets one.
const mostSets = 100

// questionOf returns what an estimator is asked about a binding's object: how many more whole
// sets fit, or how many more replicas.
func questionOf(b workv1alpha2.Binding) (*pb.Question, error) {
	spec := b.GetSpec()
	object := fmt.Sprintf("kind=%s, name=%s", spec.Resource.Kind, strings.TrimPrefix(spec.Resource.Namespace+"/"+spec.Resource.Name, "/"))
	if len(spec.Components) > 0 {
		return estimator.Sets(object, spec.Resource.Namespace, spec.Components, mostSets)
	}
	return estimator.Replicas(object, spec.Resource.Namespace, spec.ReplicaRequirements, 0)
}

// assumedWorkload is what an assumption is to an estimator: sets of components, or the replicas of one.
type assumedWorkload struct {
	message *pb.AssumedWorkload
	// key is that of workloads that differ only in their replicas; empty if it has several
	// components.
	key string
}

// describe returns what the object of a binding adds to a cluster by one of the targets; nil if
// that has no form for estimators.
func describe(spec *workv1alpha2.ResourceBindingSpec, targets []workv1alpha2.TargetCluster, cluster string) *assumedWorkload {
	components := spec.Components
	if len(components) == 0 {
		at := slices.IndexFunc(targets, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
		if at < 0 {
			return nil
		}
		added := targets[at].Replicas
		for i := range spec.Clusters {
			if spec.Clusters[i].Name == cluster {
				added -= spec.Clusters[i].Replicas
			}
		}
		one := workv1alpha2.Component{Replicas: added}
		if r := spec.ReplicaRequirements; r != nil {
			one.ReplicaRequirements = &workv1alpha2.ComponentReplicaRequirements{
				NodeClaim: r.NodeClaim, ResourceRequest: r.ResourceRequest, PriorityClassName: r.PriorityClassName,
			}
		}
		components = []workv1alpha2.Component{one}
	}
	messages, err := wire.ComponentMessages(components)
	if err != nil {
		return nil
	}
	w := &assumedWorkload{message: &pb.AssumedWorkload{Namespace: spec.Resource.Namespace, Components: messages}}
	if len(messages) == 1 {
		each := &pb.AssumedWorkload{Namespace: spec.Resource.Namespace, Components: []*pb.Component{{ReplicaRequirements: messages[0].GetReplicaRequirements()}}}
		if raw, err := (proto.MarshalOptions{Deterministic: true}).Marshal(each); err == nil {
			w.key = string(raw)
		}
	}
	return w
}

// described is describe for assumptions.
func described(spec *workv1alpha2.ResourceBindingSpec, targets []workv1alpha2.TargetCluster, cluster string) any {
	if w := describe(spec, targets, cluster); w != nil {
		return w
	}
	return nil
}

// united returns what is assumed in a cluster for its estimator. Equal ones are one workload with the
// replicas of all.
func united(described []any) (all []*pb.AssumedWorkload) {
	byKey := map[string]*pb.Component{}
	for _, one := range described {
		w, ok := one.(*assumedWorkload)
		switch {
		case !ok:
		case w.key == "":
			all = append(all, w.message)
		case byKey[w.key] != nil:
			sum := byKey[w.key]
			sum.Replicas = int32(min(int64(sum.GetReplicas())+int64(w.message.Components[0].GetReplicas()), math.MaxInt32))
		default:
			one := w.message.Components[0]
			byKey[w.key] = &pb.Component{Name: one.GetName(), ReplicaRequirements: one.GetReplicaRequirements(), Replicas: one.GetReplicas()}
			all = append(all, &pb.AssumedWorkload{Namespace: w.message.GetNamespace(), Components: []*pb.Component{byKey[w.key]}})
		}
	}
	return all
}
