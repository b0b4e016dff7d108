// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// stage is how far a Deployment has come.
type stage string

// The stages, in their order.
const (
	isBound     stage = "its binding"
	isPlaced    stage = "its clusters"
	isScheduled stage = "its placement"
	isRendered  stage = "its first Work"
	isApplied   stage = "its first member"
)

// journeys are when the bindings of Deployments came to each stage, and when those were created
// that came in the midst of a backlog. It is safe for many goroutines.
type journeys struct {
	mu      sync.Mutex
	last    time.Time
	reached map[stage]map[string]time.Time
	created map[string]time.Time
}

// note records that a binding has come to a stage.
func (j *journeys) note(s stage, name string) {
	if _, known := j.reached[s][name]; !known {
		j.last = time.Now()
		if j.reached[s] == nil {
			j.reached[s] = map[string]time.Time{}
		}
		j.reached[s][name] = j.last
	}
}

// seeBinding records what a version of a binding shows.
func (j *journeys) seeBinding(b *workv1alpha2.ResourceBinding) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.note(isBound, b.Name)
	if len(b.Spec.Clusters) > 0 {
		j.note(isPlaced, b.Name)
	}
	if meta.IsStatusConditionTrue(b.Status.Conditions, workv1alpha2.Scheduled) {
		j.note(isScheduled, b.Name)
	}
}

// seeWork records what a version of a Work shows.
func (j *journeys) seeWork(w *workv1alpha1.Work) {
	j.mu.Lock()
	defer j.mu.Unlock()
	name := w.Annotations[workv1alpha2.ResourceBindingNameAnnotation]
	if name == "" || binding.ClusterOf(w) == "" {
		return
	}
	j.note(isRendered, name)
	if meta.IsStatusConditionTrue(w.Status.Conditions, workv1alpha1.WorkApplied) {
		j.note(isApplied, name)
	}
}

// missing returns how many of n bindings have not come to a stage, for await.
func (j *journeys) missing(n int, s stage) func() (int, time.Time) {
	return func() (int, time.Time) {
		j.mu.Lock()
		defer j.mu.Unlock()
		return max(0, n-len(j.reached[s])), j.last
	}
}

// missingLive is missing for those that were created in the midst of the backlog.
func (j *journeys) missingLive(s stage) (int, time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.created) - len(j.after(s)), j.last
}

// after returns how long those took to a stage that were created in the midst of the backlog,
// sorted. The caller holds mu.
func (j *journeys) after(s stage) []time.Duration {
	var took []time.Duration
	for name, at := range j.created {
		if reached, ok := j.reached[s][name]; ok {
			took = append(took, reached.Sub(at))
		}
	}
	slices.Sort(took)
	return took
}

// print prints how long they took.
func (j *journeys) print() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range []stage{isBound, isPlaced, isScheduled, isRendered, isApplied} {
		fmt.Printf("  of those created meanwhile, from creation to %s: %s\n", s, quantiles(j.after(s)))
	}
}

// watchBindings records the journeys of all bindings until the context ends.
func (s *site) watchBindings(ctx context.Context) (*journeys, error) {
	j := &journeys{last: time.Now(), reached: map[stage]map[string]time.Time{}, created: map[string]time.Time{}}
	if err := follow(ctx, s.hub, &workv1alpha2.ResourceBindingList{}, j.seeBinding, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	return j, follow(ctx, s.hub, &workv1alpha1.WorkList{}, j.seeWork)
}

// follow calls see for each version of the objects of a kind that comes from now on. A watch that
// begins without a version sends all there is first, and is ended by the API server if that takes
// the client long: under load it may do so again and again, and show nothing in between.
func follow[O client.Object](ctx context.Context, hub client.WithWatch, list client.ObjectList, see func(O), options ...client.ListOption) error {
	begin := func() (watch.Interface, error) {
		if err := hub.List(ctx, list, append(options, client.Limit(1))...); err != nil {
			return nil, err
		}
		return hub.Watch(ctx, list, append(options, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}})...)
	}
	events, err := begin()
	if err != nil {
		return err
	}
	go func() {
		for ctx.Err() == nil {
			for e := range events.ResultChan() {
				if object, ok := e.Object.(O); ok {
					see(object)
				}
			}
			fmt.Println("  a watch has ended and begins again; what came in between is seen late")
			if events, err = begin(); err != nil {
				return
			}
		}
	}()
	return nil
}

// live creates Deployments one after the other and waits until all have come to a member.
func (s *site) live(ctx context.Context, j *journeys, n int, pause time.Duration) error {
	created := map[string]time.Time{}
	for i := range n {
		name := fmt.Sprintf("live-%03d", i)
		created[bindingOf(name).Name] = time.Now()
		if err := s.hub.Create(ctx, newDeployment(name)); err != nil {
			return err
		}
		time.Sleep(pause)
	}
	j.mu.Lock()
	maps.Copy(j.created, created)
	j.mu.Unlock()
	return await(ctx, "live Deployments", func() (int, time.Time) { return j.missingLive(isApplied) })
}
