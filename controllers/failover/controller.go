// SPDX-License-Identifier: Apache-2.0

// Package failover moves an application that stays unhealthy in its cluster to
// another one, with its state.
//
// Reads bindings, and templates for the script that names the state. Writes
// spec.clusters and gracefulEvictionTasks of bindings, and the annotation that keeps
// when a cluster became unhealthy. Asks the engine for state. Wakes up on bindings
// with spec.failover.application, and when rules change.
package failover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct{ base.Deps }

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] { return &Controller[B]{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return bindings.Name[B]("failover") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	wanted := predicate.NewPredicateFuncs(func(o client.Object) bool {
		_, counting := o.GetAnnotations()[binding.UnhealthySinceAnnotation]
		return counting || wantsFailover(o.(workv1alpha2.Binding))
	})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(bindings.New[B](), builder.WithPredicates(wanted)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.InterpretState)).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "binding")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// wantsFailover reports whether the policy moves failed applications.
func wantsFailover(b workv1alpha2.Binding) bool {
	f := b.GetSpec().Failover
	return f != nil && f.Application != nil
}

// Reconcile evicts one binding from the clusters in which it was unhealthy for too long.
// If the policy does not ask for it, or no rule interprets the health of this kind, the
// times are dropped, so that they start again.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	before := b.DeepCopyObject().(B)
	kind := templates.KeyOfReference(&b.GetSpec().Resource).GroupVersionKind
	if !wantsFailover(b) || !c.Interpreter.Snapshot().Supports(kind, engine.InterpretHealth) {
		return c.write(ctx, b, before, binding.Unhealthy{})
	}
	mode := b.GetSpec().Failover.Application.PurgeMode.Canonical()
	if mode != policyv1alpha1.PurgeModeDirectly && !c.Gates.Enabled(features.GracefulEviction) {
		return reconcile.Result{}, reconcile.TerminalError(fmt.Errorf("purge mode %s needs the feature gate GracefulEviction", mode))
	}
	d := binding.FindUnhealthy(b.GetSpec(), b.GetStatus().AggregatedStatus, binding.UnhealthySince(b), c.Clock.Now())
	failed := c.evictAll(ctx, b, &d)
	if failed != nil {
		c.Warn(b, "EvictWorkloadFromClusterFailed", "Failover", failed)
	}
	result, err := c.write(ctx, b, before, d)
	if err == nil && result.RequeueAfter == 0 {
		err = failed // no event will follow, so it is tried again
	}
	return result, err
}

// write writes the binding if it changed.
func (c *Controller[B]) write(ctx context.Context, b, before B, d binding.Unhealthy) (reconcile.Result, error) {
	if err := binding.SetUnhealthySince(b, d.Since); err != nil {
		return reconcile.Result{}, err
	}
	if len(d.Evict) == 0 && maps.EqualFunc(binding.UnhealthySince(before), d.Since, time.Time.Equal) {
		return reconcile.Result{RequeueAfter: d.Wait}, nil
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
	}
	if len(d.Evict) > 0 {
		ctrl.LoggerFrom(ctx).Info("evicted application", "clusters", d.Evict, "purgeMode", b.GetSpec().Failover.Application.PurgeMode.Canonical())
	}
	return reconcile.Result{RequeueAfter: d.Wait}, nil
}

// evictAll changes the binding's spec for each cluster to evict. A cluster whose state
// cannot be preserved stays a target, and is removed from the decision; its time keeps
// running. It does not delay the others.
func (c *Controller[B]) evictAll(ctx context.Context, b B, d *binding.Unhealthy) error {
	var (
		before, evicted []string
		failed          []error
	)
	for _, t := range b.GetSpec().Clusters {
		before = append(before, t.Name)
	}
	behavior := b.GetSpec().Failover.Application
	carried, pending := binding.CarriedState(b.GetSpec())
	for _, cluster := range d.Evict {
		state, err := carried, error(nil)
		if !pending {
			state, err = c.collectState(ctx, b, cluster)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("keep the state of cluster %s: %w", cluster, err))
			continue
		}
		if !c.Gates.Enabled(features.StatefulFailoverInjection) {
			state = binding.State{}
		}
		binding.Evict(b.GetSpec(), binding.Eviction{
			Cluster: cluster, Producer: bindings.EvictionProducer(b), Reason: workv1alpha2.EvictionReasonApplicationFailure,
			PurgeMode: behavior.PurgeMode, GracePeriodSeconds: behavior.GracePeriodSeconds, State: state, Before: before,
		})
		evicted = append(evicted, cluster)
		delete(d.Since, cluster)
	}
	d.Evict = evicted
	return errors.Join(failed...)
}

// collectState returns the state to carry over from a cluster: what the policy's rules
// and the kind's script name. A rule that cannot be evaluated is an event if something
// else names the state; otherwise it is an error, and the application stays where it is
// rather than lose state that must be kept. So it does while the script is not compiled
// yet.
func (c *Controller[B]) collectState(ctx context.Context, b B, cluster string) (binding.State, error) {
	if !c.Gates.Enabled(features.StatefulFailoverInjection) {
		return binding.State{}, nil
	}
	preservation := b.GetSpec().Failover.Application.StatePreservation
	raw := reported(b.GetStatus().AggregatedStatus, cluster)
	labels, failed := binding.ExtractState(preservation, raw)
	values, err := c.interpretState(ctx, b, raw)
	if base.Pending(err) {
		return binding.State{}, err
	}
	failed = errors.Join(failed, err)
	state := binding.State{Labels: labels, Values: values}
	if failed == nil {
		return state, nil
	}
	if len(values) == 0 && (len(labels) == 0 || !state.CoversRules(preservation)) {
		return binding.State{}, failed
	}
	c.Warn(b, "StatePreservationIncomplete", "Failover", failed)
	return state, nil
}

// interpretState returns the state that the kind's script names, of the template with the
// status that the cluster reported.
func (c *Controller[B]) interpretState(ctx context.Context, b B, raw []byte) (map[string]string, error) {
	rules, key := c.Interpreter.Snapshot(), templates.KeyOfReference(&b.GetSpec().Resource)
	if len(raw) == 0 || !rules.Supports(key.GroupVersionKind, engine.InterpretState) {
		return nil, nil
	}
	object, err := c.Templates.Get(ctx, key)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	var status any
	if err := utiljson.Unmarshal(raw, &status); err != nil {
		return nil, fmt.Errorf("read the reported status: %w", err)
	}
	object = &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	object.Object["status"] = status
	return rules.State(object)
}

// reported returns the status that a cluster last reported; nil where there is none.
func reported(items []workv1alpha2.AggregatedStatusItem, cluster string) []byte {
	for i := range items {
		if items[i].ClusterName == cluster && items[i].Status != nil {
			return items[i].Status.Raw
		}
	}
	return nil
}
