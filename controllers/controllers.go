// SPDX-License-Identifier: Apache-2.0

// Package controllers is the list of all controllers. It wires them to one manager
// and holds no logic of its own.
package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/featuregate"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/cluster"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/controllers/eviction"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/propagation"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/controllers/status"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller is one controller: its name in logs and metrics, and how it joins a
// manager.
type Controller interface {
	Name() string
	Register(mgr ctrl.Manager) error
}

// Options are what all controllers together need.
type Options struct {
	Interpreter *engine.Interpreter
	Compiler    *engine.Compiler
	// Failures and Metrics are told of the interpreter's runs; Metrics may be nil.
	Failures *customization.Failures
	Metrics  *customization.Metrics
	// Changes is told by others than the controllers when scripts change; nil where
	// nobody else changes any.
	Changes *customization.Changes
	Gates   featuregate.FeatureGate
	// Clock is the real clock by default.
	Clock clock.PassiveClock
	// Cluster are the times of the cluster controller.
	Cluster cluster.Options
	// EvictionTimeout is for eviction tasks without a grace period; 0 means
	// eviction.DefaultTimeout.
	EvictionTimeout time.Duration
}

// Scheme returns all kinds that the controllers know.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, api.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// ManagerOptions completes the options of a manager that is to run the controllers:
// scheme, a cache without what nobody reads, and a client that waits for the cache to
// hold what was written through it. Without the last, a controller that looks again
// right after it wrote sees the object from before, finds it to be as it should, and
// does not write.
func ManagerOptions(o ctrl.Options) (ctrl.Options, error) {
	scheme, err := Scheme()
	if err != nil {
		return o, err
	}
	o.Scheme = scheme
	o.Cache.DefaultTransform = cache.TransformStripManagedFields()
	o.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}
	return o, nil
}

// RegisterIndexes adds the indexes that the controllers look up by to a cache that has
// not started. New calls it.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return index.Register(ctx, indexer)
}

// New returns all controllers for a manager, and loads the customizations that there are
// into the engine. The connections to members live as long as ctx.
func New(ctx context.Context, mgr ctrl.Manager, o Options) ([]Controller, error) {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if err := index.Register(ctx, mgr.GetFieldIndexer()); err != nil {
		return nil, err
	}
	if o.Changes == nil {
		o.Changes = &customization.Changes{}
	}
	customizations := &customization.Controller{
		Client: mgr.GetClient(), Compiler: o.Compiler, Rules: o.Interpreter, Failures: o.Failures, Changes: o.Changes, Metrics: o.Metrics,
	}
	if err := customizations.Load(ctx, mgr.GetAPIReader()); err != nil {
		return nil, err
	}
	members := member.NewRegistry(ctx, mgr.GetClient())
	d := dependencies{
		Options: o, client: mgr.GetClient(), templates: templates.New(mgr.GetCache()), members: members,
		events: mgr.GetEventRecorder("dragoman"),
	}
	all := []Controller{
		cluster.New(d.client, members, o.Clock, o.Cluster),
		customizations,
		&propagation.Controller{Client: d.client, Templates: d.templates, Interpreter: o.Interpreter, Changes: o.Changes, Gates: o.Gates, Events: d.events},
		&execution.Controller{Client: d.client, Members: members, Interpreter: o.Interpreter, Changes: o.Changes, Events: d.events},
		&status.Work{Client: d.client, Members: members, Interpreter: o.Interpreter, Changes: o.Changes, Events: d.events},
	}
	all = append(all, ofBinding[*workv1alpha2.ResourceBinding](d)...)
	return append(all, ofBinding[*workv1alpha2.ClusterResourceBinding](d)...), nil
}

// Register adds controllers to a manager: those named, or all where none is.
func Register(mgr ctrl.Manager, all []Controller, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c Controller) bool { return c.Name() == name }) {
			return fmt.Errorf("there is no controller %q; there are %v", name, Names(all))
		}
	}
	for _, c := range all {
		if len(names) > 0 && !slices.Contains(names, c.Name()) {
			continue
		}
		if err := c.Register(mgr); err != nil {
			return fmt.Errorf("register controller %s: %w", c.Name(), err)
		}
	}
	return nil
}

// Names lists the names of controllers.
func Names(all []Controller) []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return names
}

// dependencies are what the controllers share.
type dependencies struct {
	Options
	client    client.Client
	templates *templates.Templates
	members   *member.Registry
	events    events.EventRecorder
}

// ofBinding returns the controllers that there is one of for each kind of binding.
func ofBinding[B workv1alpha2.Binding](d dependencies) []Controller {
	return []Controller{
		&scheduling.Controller[B]{Client: d.client, Clock: d.Clock, Events: d.events},
		&rendering.Controller[B]{Client: d.client, Templates: d.templates, Interpreter: d.Interpreter, Changes: d.Changes, Gates: d.Gates, Events: d.events},
		&status.Binding[B]{Client: d.client, Templates: d.templates, Interpreter: d.Interpreter, Changes: d.Changes, Events: d.events},
		&failover.Controller[B]{
			Client: d.client, Templates: d.templates, Interpreter: d.Interpreter, Changes: d.Changes, Gates: d.Gates, Clock: d.Clock, Events: d.events,
		},
		&eviction.Controller[B]{Client: d.client, Clock: d.Clock, Events: d.events, Timeout: d.EvictionTimeout},
	}
}
