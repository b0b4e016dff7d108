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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/estimator/wire"
)

// Estimates are what the estimators of clusters answered about one binding's object, by the name
// of the cluster. One that is not among them did not answer.
type Estimates map[string]Estimate

// Estimate is the answer of one estimator.
type Estimate struct {
	// Fits is how many more replicas fit, or how many more whole sets of components.
	Fits int64
	// Silent means that the estimator has answered before, and has not for a moment.
	Silent bool
	// mark is that of the last assumption that the estimator knew; 0 is none.
	mark uint64
}

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
func NewEstimators(e estimator.Estimator, assumed *Assumptions) *Estimators {
	assumed.Described = true
	all := &Estimators{Clock: clock.RealClock{}, client: e, silent: map[string]time.Time{}}
	all.batcher = estimator.NewBatcher(e, assumed.workloads, estimatorClock{all})
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
func (e *Estimators) ask(ctx context.Context, b workv1alpha2.Binding, clusters []string) Estimates {
	q, err := questionOf(b)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not ask the estimators of clusters")
		return nil
	}
	all := make(Estimates, len(clusters))
	log := ctrl.LoggerFrom(ctx).V(1)
	for name, a := range e.batcher.Ask(ctx, q, clusters, ageOf(b)) {
		all[name] = Estimate{Fits: int64(a.Count), mark: a.Mark}
		log.Info("asked an estimator", "cluster", name, "fits", a.Count, "age", a.Age.String())
	}
	for _, name := range e.silentOf(clusters, all) {
		all[name] = Estimate{Silent: true}
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
func (e *Estimators) silentOf(asked []string, answered Estimates) (silent []string) {
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

// workloads returns what is assumed in a cluster, for its estimator, and the mark of the last
// assumption of all. Equal ones are one workload with the replicas of all.
func (a *Assumptions) workloads(cluster string) (all []*pb.AssumedWorkload, mark uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.clusters[cluster]
	if c == nil {
		return nil, a.mark
	}
	byKey := map[string]*pb.Component{}
	for _, as := range c.all {
		switch w := as.workload; {
		case w == nil:
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
	return all, a.mark
}

// askAgain is how long a binding waits, at least, that the answers of estimators placed nowhere.
const askAgain = 5 * time.Second

// asksAgain returns how long a binding waits that the answers of estimators placed nowhere; 0
// without any answer. No event tells what an estimator sees: a pod that is gone may never have
// been in the status of its cluster, so that its end is no change of that. So it asks again soon,
// and after each time that it has waited once more, up to a minute. While something is
// assumed in their clusters it asks every five seconds: an estimator that sees its pods already
// counts them twice, until the status of the cluster shows them.
func (a *Assumptions) asksAgain(b workv1alpha2.Binding, estimates Estimates, now time.Time) time.Duration {
	c := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled)
	switch {
	case len(estimates) == 0:
		return 0
	case c == nil, c.Status != metav1.ConditionFalse, a.assumedIn(estimates):
		return askAgain
	}
	return min(max(askAgain, now.Sub(c.LastTransitionTime.Time)), retryAfter)
}

// assumedIn reports whether anything is assumed in a cluster whose estimator answered.
func (a *Assumptions) assumedIn(estimates Estimates) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name := range estimates {
		if c := a.clusters[name]; c != nil && len(c.all) > 0 {
			return true
		}
	}
	return false
}

// after returns what is left of the assumptions after a mark, and what the summary has shown of them
// while answers are about that know neither; nil has none.
func (c *assumedCluster) after(mark uint64) corev1.ResourceList {
	sum := corev1.ResourceList{}
	if c == nil {
		return sum
	}
	for _, as := range slices.Backward(c.all) {
		if as.mark <= mark {
			break
		}
		add(sum, as.left)
	}
	for _, s := range c.shown {
		if s.mark > mark {
			add(sum, s.amounts)
		}
	}
	return sum
}
