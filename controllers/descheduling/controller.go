// SPDX-License-Identifier: Apache-2.0

// Package descheduling moves divided replicas whose pods have found no node to clusters that have
// room for them.
//
// Reads bindings, and asks the estimators of clusters how many pods of each have found no node
// for a while. Writes spec.clusters as package scheduling does, and only if all replicas have a
// place then. Asks the engine nothing. Wakes up at each interval.
package descheduling

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// The defaults of Options, as in Karmada.
const (
	DefaultInterval  = 2 * time.Minute
	DefaultThreshold = 5 * time.Minute
)

// Options are when replicas are moved. The zero value is that of the defaults.
type Options struct {
	// Interval is the time between two looks at all bindings.
	Interval time.Duration
	// Threshold is for how long a pod must have found no node.
	Threshold time.Duration
}

// Scheduler places bindings.
type Scheduler interface {
	// Reschedule places a binding as if its targets had fewer replicas by so many, by the name of
	// the cluster, and reports whether it has others then.
	Reschedule(ctx context.Context, b *workv1alpha2.ResourceBinding, without map[string]int32) (moved bool, err error)
}

// Controller looks at all bindings from time to time.
type Controller struct {
	base.Deps
	scheduler Scheduler
	estimator estimator.Estimator
	options   Options
}

// New returns the controller.
func New(d base.Deps, s Scheduler, e estimator.Estimator, o Options) *Controller {
	if o.Interval <= 0 {
		o.Interval = DefaultInterval
	}
	if o.Threshold <= 0 {
		o.Threshold = DefaultThreshold
	}
	return &Controller{Deps: d, scheduler: s, estimator: e, options: o}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "descheduling" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		log := mgr.GetLogger().WithName(c.Name())
		ctx = ctrl.LoggerInto(ctx, log)
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			if err := c.Look(ctx); err != nil && ctx.Err() == nil {
				log.Error(err, "could not look for replicas without a node")
			}
		}, c.options.Interval)
		return nil
	}))
}

// place is one target of a binding.
type place struct {
	binding *workv1alpha2.ResourceBinding
	cluster string
}

// Look moves the replicas of all bindings whose pods have found no node, with one request to each
// estimator.
func (c *Controller) Look(ctx context.Context) error {
	all, err := index.List[*workv1alpha2.ResourceBinding](ctx, base.Cached{Reader: c.Client}, &workv1alpha2.ResourceBindingList{})
	if err != nil {
		return fmt.Errorf("list the bindings: %w", err)
	}
	requests, places := map[string]estimator.Request{}, map[string][]place{}
	for _, b := range all {
		if !isSettled(b) {
			continue
		}
		for _, t := range b.Spec.Clusters {
			if t.Replicas > 0 {
				r := requests[t.Name]
				r.Questions = append(r.Questions, questionOf(b, c.options.Threshold))
				requests[t.Name], places[t.Name] = r, append(places[t.Name], place{b, t.Name})
			}
		}
	}
	if len(requests) == 0 {
		return nil
	}
	for b, without := range unschedulable(c.estimator.Estimate(ctx, requests), places) {
		log := ctrl.LoggerFrom(ctx).WithValues("binding", client.ObjectKeyFromObject(b))
		moved, err := c.scheduler.Reschedule(ctrl.LoggerInto(ctx, log), b, without)
		switch {
		case apierrors.IsConflict(err), apierrors.IsNotFound(err):
			log.V(1).Info("left a binding that changed meanwhile", "reason", err.Error())
		case err != nil:
			log.Error(err, "could not move replicas without a node", "replicas", without)
		case moved:
			log.Info("moved replicas without a node", "replicas", without)
		default:
			log.V(1).Info("replicas without a node stay, since no other cluster has room for all", "replicas", without)
		}
	}
	return nil
}

// unschedulable returns how many replicas of bindings have found no node, by cluster. An old answer
// counts for nothing: its pods may run by now.
func unschedulable(answers map[string][]estimator.Answer, places map[string][]place) map[*workv1alpha2.ResourceBinding]map[string]int32 {
	found := map[*workv1alpha2.ResourceBinding]map[string]int32{}
	for cluster, of := range places {
		for i, a := range answers[cluster] {
			if a.Err != nil || a.Age > 0 || a.Count <= 0 {
				continue
			}
			b := of[i].binding
			if found[b] == nil {
				found[b] = map[string]int32{}
			}
			found[b][of[i].cluster] = a.Count
		}
	}
	return found
}

// isSettled reports whether the replicas of a binding may be moved: they are divided by what
// clusters have room for, and nothing else moves them.
func isSettled(b *workv1alpha2.ResourceBinding) bool {
	return b.DeletionTimestamp == nil && placement.Divides(&b.Spec) && !binding.IsEvicting(&b.Spec) &&
		meta.IsStatusConditionTrue(b.Status.Conditions, workv1alpha2.Scheduled) && b.Status.SchedulerObservedGeneration == b.Generation
}

func questionOf(b *workv1alpha2.ResourceBinding, threshold time.Duration) *pb.Question {
	r := &b.Spec.Resource
	return estimator.Unschedulable(fmt.Sprintf("kind=%s, name=%s/%s", r.Kind, r.Namespace, r.Name),
		&pb.ObjectReference{ApiVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}, threshold)
}
