// SPDX-License-Identifier: Apache-2.0

// Package controllers is the list of all controllers: which there are, what each needs,
// and how they join a manager. It holds no logic of its own.
package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/admission"
	"github.com/dragoman-io/dragoman/controllers/autoscaler/marker"
	"github.com/dragoman-io/dragoman/controllers/autoscaler/replicas"
	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/controllers/bundle/scale"
	clusterfailover "github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/cluster/lifecycle"
	"github.com/dragoman-io/dragoman/controllers/cluster/orphans"
	clusterstatus "github.com/dragoman-io/dragoman/controllers/cluster/status"
	"github.com/dragoman-io/dragoman/controllers/cluster/taintpolicy"
	"github.com/dragoman-io/dragoman/controllers/cluster/taints"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/dependencies"
	"github.com/dragoman-io/dragoman/controllers/dependencies/attached"
	"github.com/dragoman-io/dragoman/controllers/descheduling"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/eviction"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/federatedquota/assignment"
	quotastatus "github.com/dragoman-io/dragoman/controllers/federatedquota/status"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/metrics"
	"github.com/dragoman-io/dragoman/controllers/namespace"
	"github.com/dragoman-io/dragoman/controllers/placementrule"
	"github.com/dragoman-io/dragoman/controllers/policy"
	policystatus "github.com/dragoman-io/dragoman/controllers/policy/status"
	"github.com/dragoman-io/dragoman/controllers/rebalancer"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/shadow"
	scriptbundlesource "github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/controllers/status"
	"github.com/dragoman-io/dragoman/controllers/template"
	"github.com/dragoman-io/dragoman/controllers/template/kinds"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	workstatus "github.com/dragoman-io/dragoman/controllers/work/status"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Controller is one controller: its name in logs and metrics, and how it joins a
// manager.
type Controller interface {
	Name() string
	Register(ctx context.Context, mgr ctrl.Manager) error
}

// loader is a controller that puts rules into the engine before any controller runs.
type loader interface {
	// Begin starts to do so.
	Begin(ctx context.Context) error
	// Wait returns when all rules are active, or ctx has ended.
	Wait(ctx context.Context) error
}

// Options are what the controllers need beside their dependencies.
type Options struct {
	// Names are the controllers to build, with those that they need in the same process. "*" is
	// all that are on by default, which is also meant where nothing is named, and "-name" is without
	// the one of that name.
	Names []string
	// Admission is how webhooks are served; by default none are.
	Admission admission.Options
	// Bundles are where the bundles are.
	Bundles bundle.Options
	// Cluster are the intervals at which clusters are probed.
	Cluster clusterstatus.Options
	// EvictionTimeout is for eviction tasks without a grace period; 0 means
	// binding.DefaultEvictionTimeout.
	EvictionTimeout time.Duration
	// ClusterFailover is how clusters with NoExecute taints are left; the zero value evicts
	// nothing.
	ClusterFailover clusterfailover.Options
	// Estimators are how the estimators beside members are asked; nil asks none.
	Estimators *estimator.Options
	// Descheduling is when replicas without a node are moved; nil moves none.
	Descheduling *descheduling.Options
	// Namespaces are how namespaces are propagated.
	Namespaces namespace.Options
}

// scale returns the options of the controller bundle.scale: it has the scripts of the bundle
// Generic if that answers for replicas.
func (o Options) scale() scale.Options {
	if !o.Bundles.Answers(bundle.GenericReplicas) {
		return scale.Options{}
	}
	return scale.Options{Embedded: o.Bundles.Embedded, Bundle: bundle.Generic, Parameters: o.Bundles.ParametersOf(bundle.Generic)}
}

// entry is one controller of the list.
type entry struct {
	name  string
	build func() Controller
	// needs are the controllers that must run in the same process.
	needs []string
	// off means that it is built only by its name.
	off bool
}

// What a controller needs in its process: the rules of the engine if it uses the engine.
// The controllers of templates, of policies and of kinds need each other, because some
// start the watches of others; so do those of dependencies.
var (
	rules    = []string{"bundle", "customization", "scriptbundle", "bundle.scale"}
	selected = []string{"policy", "clusterpolicy", "template.kinds"}
	depended = append([]string{"dependencies", "clusterdependencies", "dependencies.attached", "template.kinds"}, rules...)
)

// shared is what the controllers that place bindings share.
type shared struct {
	assumed    *schedule.Assumptions
	estimators *scheduling.Estimators
	rules      *placementrule.Rules
}

// newScheduling returns the controller that places bindings of type B.
func newScheduling[B workv1alpha2.Binding](d Deps, s shared) *scheduling.Controller[B] {
	return scheduling.New[B](d, s.assumed).WithRules(s.rules).WithEstimators(s.estimators)
}

// hub returns the list of the hub: rules first, then in the order in which an object
// passes through the controllers.
func hub(d Deps, o Options) []entry {
	s := shared{
		assumed: &schedule.Assumptions{IgnoreGrades: d.Gates != nil && !d.Gates.Enabled(features.CustomizedClusterResourceModeling)},
		rules:   placementrule.New(d.Compiler),
	}
	installed := bundle.NewInstalled(d, o.Bundles)
	var moving []entry
	if o.Estimators != nil {
		client := estimator.New(*o.Estimators)
		s.estimators = scheduling.NewEstimators(client, s.assumed)
		s.estimators.PushOnly = o.Estimators.PushOnly
		if o.Descheduling != nil {
			moving = []entry{{name: "descheduling", build: func() Controller {
				return descheduling.New(d, newScheduling[*workv1alpha2.ResourceBinding](d, s), client, *o.Descheduling)
			}}}
		}
	}
	return slices.Concat(
		[]entry{
			{name: "bundle", build: func() Controller { return bundle.NewSharing(d, o.Bundles, installed) }},
			{name: "customization", build: func() Controller { return customization.New(d) }},
			{name: "scriptbundle", build: func() Controller { return scriptbundle.New(d, installed) }},
			{name: "scriptbundle.source", build: func() Controller { return scriptbundlesource.New(d) }},
			{name: "scriptbundle.shadow", build: func() Controller { return shadow.New(d, installed) }, needs: rules},
			{name: "placementrule", build: func() Controller { return placementrule.NewController(d, s.rules) }},
			{name: "bundle.scale", build: func() Controller { return scale.New(d, o.scale()) }},
			{name: "admission", build: func() Controller { return admission.New(d, o.Admission) }},
			{name: "cluster.lifecycle", build: func() Controller { return lifecycle.New(d) }},
			{name: "cluster.status", build: func() Controller { return clusterstatus.New(d, o.Cluster) }},
			{name: "cluster.orphans", build: func() Controller { return orphans.New(d) }},
			{name: "cluster.taints", build: func() Controller { return taints.New(d) }},
			{name: "cluster.taintpolicy", build: func() Controller { return taintpolicy.New(d) }},
			{name: "cluster.failover", build: func() Controller { return clusterfailover.New(d, o.ClusterFailover) }, needs: rules},
		},
		ofPolicy[*policyv1alpha1.PropagationPolicy](d),
		ofPolicy[*policyv1alpha1.ClusterPropagationPolicy](d),
		[]entry{
			{name: "template", build: func() Controller { return template.New(d) }, needs: slices.Concat(rules, selected)},
			{name: "template.kinds", build: func() Controller { return kinds.New(d) }, needs: []string{"template"}},
		},
		ofBinding[*workv1alpha2.ResourceBinding](d, o, s),
		ofBinding[*workv1alpha2.ClusterResourceBinding](d, o, s),
		[]entry{
			{name: "dependencies", build: func() Controller { return dependencies.New[*workv1alpha2.ResourceBinding](d) }, needs: depended},
			{name: "clusterdependencies", build: func() Controller { return dependencies.New[*workv1alpha2.ClusterResourceBinding](d) }, needs: depended},
			{name: "dependencies.attached", build: func() Controller { return attached.New(d) }, needs: depended},
		},
		[]entry{
			{name: "federatedquota.assignment", build: func() Controller { return assignment.New(d) }},
			{name: "federatedquota.status", build: func() Controller { return quotastatus.New(d) }},
		},
		moving,
		[]entry{
			{name: "hpaScaleTargetMarker", build: func() Controller { return marker.New(d) }, needs: []string{"template"}},
			{name: "deploymentReplicasSyncer", build: func() Controller { return replicas.New(d) }, needs: []string{"template"}, off: true},
		},
		[]entry{{name: "rebalancer", build: func() Controller { return rebalancer.New(d) }}},
		[]entry{{name: "namespace", build: func() Controller { return namespace.New(d, o.Namespaces) }}},
		[]entry{{name: "metrics", build: func() Controller { return metrics.New(d) }}},
		ofWork(d),
	)
}

// ofPolicy returns the controllers of one kind of policy.
func ofPolicy[P policyv1alpha1.Policy](d Deps) []entry {
	return []entry{
		{name: scope.PolicyController[P](), build: func() Controller { return policy.New[P](d) }, needs: []string{"template"}},
		{name: scope.PolicyController[P]() + ".status", build: func() Controller { return policystatus.New[P](d) }},
	}
}

// ofBinding returns the controllers of one kind of binding.
func ofBinding[B workv1alpha2.Binding](d Deps, o Options, s shared) []entry {
	return []entry{
		{name: scope.BindingController[B]("scheduling"), build: func() Controller { return newScheduling[B](d, s) }, needs: ofPreemption(d)},
		{name: scope.BindingController[B]("rendering"), build: func() Controller { return rendering.New[B](d) }, needs: rules},
		{name: scope.BindingController[B]("status"), build: func() Controller { return status.New[B](d) }, needs: rules},
		{name: scope.BindingController[B]("failover"), build: func() Controller { return failover.New[B](d) }, needs: rules},
		{name: scope.BindingController[B]("eviction"), build: func() Controller { return eviction.New[B](d, o.EvictionTimeout) }},
	}
}

// ofPreemption returns what scheduling needs in its process: the state that a binding takes along
// which makes room for another one.
func ofPreemption(d Deps) []string {
	if d.Gates != nil && d.Gates.Enabled(features.PriorityBasedPreemptiveScheduling) {
		return rules
	}
	return nil
}

// ofWork returns the controllers that work in a cluster.
func ofWork(d Deps) []entry {
	return []entry{
		{name: "work.execution", build: func() Controller { return execution.New(d) }, needs: rules},
		{name: "work.status", build: func() Controller { return workstatus.New(d) }, needs: rules},
	}
}

// Hub returns the controllers of the control plane: those that are named, with those that
// they need, or all. It returns an error if there is no controller of a name.
func Hub(d Deps, o Options) ([]Controller, error) {
	all := hub(d, o)
	chosen, err := withNeeded(all, o.Names)
	if err != nil {
		return nil, err
	}
	return build(slices.DeleteFunc(all, func(e entry) bool { return !chosen[e.name] })), nil
}

// Agent returns the controllers that an agent runs instead of the hub, for the one
// cluster that it is in. They need rules in the engine and a connection in d.Members,
// which the agent has to provide.
func Agent(d Deps) []Controller { return build(ofWork(d)) }

// withNeeded returns the names of the requested controllers and of those that they need; all that are
// on by default if none is requested. The error is about a name that there is not, or one that is not
// wanted and needed.
func withNeeded(all []entry, names []string) (map[string]bool, error) {
	wanted, without, err := requested(all, names)
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for left := wanted; len(left) > 0; left = left[1:] {
		if chosen[left[0].name] {
			continue
		}
		chosen[left[0].name] = true
		for _, name := range left[0].needs {
			if without[name] {
				return nil, fmt.Errorf("--controllers: %s needs %s", left[0].name, name)
			}
			left = append(left, all[slices.IndexFunc(all, func(e entry) bool { return e.name == name })])
		}
	}
	return chosen, nil
}

// requested returns the controllers that are requested, and the names of those that are not wanted.
func requested(all []entry, names []string) (wanted []entry, without map[string]bool, _ error) {
	without = map[string]bool{}
	byDefault := !slices.ContainsFunc(names, func(n string) bool { return n != "*" && !strings.HasPrefix(n, "-") }) || slices.Contains(names, "*")
	known := make([]string, len(all))
	for i, e := range all {
		known[i] = e.name
	}
	for _, n := range names {
		name, unwanted := strings.CutPrefix(n, "-")
		i := slices.Index(known, name)
		switch {
		case n == "*":
		case i < 0:
			return nil, nil, fmt.Errorf("--controllers: %s", script.Unknown("controller", name, known))
		case unwanted:
			without[name] = true
		default:
			wanted = append(wanted, all[i])
		}
	}
	for _, e := range all {
		if byDefault && !e.off {
			wanted = append(wanted, e)
		}
	}
	return slices.DeleteFunc(wanted, func(e entry) bool { return without[e.name] }), without, nil
}

func build(entries []entry) []Controller {
	all := make([]Controller, len(entries))
	for i, e := range entries {
		all[i] = e.build()
	}
	return all
}

// Names lists the names of controllers.
func Names(all []Controller) []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return names
}

// RegisterIndexes adds the indexes that the controllers look up by to a cache that has
// not started. Register calls it.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return index.Register(ctx, indexer)
}

// DefaultStartTimeout is how long Register waits for rules.
const DefaultStartTimeout = 5 * time.Second

// Register is RegisterWithin the DefaultStartTimeout.
func Register(ctx context.Context, mgr ctrl.Manager, all []Controller) error {
	return RegisterWithin(ctx, mgr, all, DefaultStartTimeout)
}

// RegisterWithin adds controllers to a manager that has not started. The rules of
// customizations and bundles are active when it returns, but for those that were not
// compiled within the timeout: a customization answers with an error until it is.
func RegisterWithin(ctx context.Context, mgr ctrl.Manager, all []Controller, timeout time.Duration) error {
	if err := index.Register(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	if err := load(ctx, all, timeout); err != nil {
		return err
	}
	for _, c := range all {
		if err := c.Register(ctx, mgr); err != nil {
			return fmt.Errorf("register controller %s: %w", c.Name(), err)
		}
	}
	return nil
}

// load has all controllers put their rules into the engine, and waits for all together no
// longer than the timeout.
func load(ctx context.Context, all []Controller, timeout time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, step := range []func(loader) error{
		func(l loader) error { return l.Begin(ctx) },
		func(l loader) error { return l.Wait(limited) },
	} {
		for _, c := range all {
			l, ok := c.(loader)
			if !ok {
				continue
			}
			if err := step(l); err != nil {
				return fmt.Errorf("load what controller %s activates: %w", c.Name(), err)
			}
		}
	}
	return nil
}
