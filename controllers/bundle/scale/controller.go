// SPDX-License-Identifier: Apache-2.0

// Package scale has kinds divided by the scale subresource of their CRDs, where nobody wrote a
// script that does.
//
// Reads CRDs. Writes the rules of the engine. Wakes up on CRDs whose spec changed. It runs in
// each process that has an engine.
package scale

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Options are the scripts.
type Options struct {
	// Embedded has the bundle in the folder Bundle; nil has none, and then nothing is divided.
	Embedded fs.FS
	Bundle   string
	// Parameters are values of the parameters of the bundle.
	Parameters map[string]string
}

// Controller reconciles CRDs. It runs whether or not the process leads, since the rules are
// those of the process.
type Controller struct {
	base.Deps
	options Options
	// scripts is nil before Begin, and where there are none.
	scripts *bundle.Bundle

	mu sync.Mutex
	// active are the rule sets in the engine, and paths what they were made of, by CRD.
	active map[string]engine.RuleSet
	paths  map[string]Paths
}

// New returns the controller.
func New(d base.Deps, o Options) *Controller {
	return &Controller{Deps: d, options: o, active: map[string]engine.RuleSet{}, paths: map[string]Paths{}}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "bundle.scale" }

// page is how many CRDs are read at once. They are large.
const page = 50

// Begin activates the rules for the CRDs that are there. It is called before any controller
// runs: one that asked before would find no replicas, and place as a whole what is divided.
func (c *Controller) Begin(ctx context.Context) error {
	if err := c.load(); err != nil || c.scripts == nil {
		return err
	}
	for next := ""; ; {
		var crds apiextensionsv1.CustomResourceDefinitionList
		if err := c.Reader.List(ctx, &crds, client.Limit(page), client.Continue(next)); err != nil {
			return fmt.Errorf("list CRDs, for the scale subresources of kinds without scripts: %w", err)
		}
		for i := range crds.Items {
			if err := c.activate(crds.Items[i].Name, PathsOf(&crds.Items[i])); err != nil {
				return err
			}
		}
		if next = crds.Continue; next == "" {
			return nil
		}
	}
}

// load reads the scripts, if there are any.
func (c *Controller) load() error {
	if c.options.Embedded == nil {
		return nil
	}
	if _, err := fs.Stat(c.options.Embedded, c.options.Bundle); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var err error
	c.scripts, err = bundle.Loader{Compiler: c.Compiler}.Load(c.options.Embedded, c.options.Bundle, c.options.Parameters)
	return err
}

// Wait returns at once: Begin waits.
func (c *Controller) Wait(context.Context) error { return nil }

// Register adds the controller to the manager, if there are scripts.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	if c.scripts == nil {
		return nil
	}
	o := c.Options(mgr, c.Name(), "crd")
	o.NeedLeaderElection = new(false)
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&apiextensionsv1.CustomResourceDefinition{}, builder.OnlyMetadata, builder.WithPredicates(base.GenerationChanged{})).
		WithOptions(o).
		Complete(c)
}

// Reconcile activates the rules for one CRD.
func (c *Controller) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := c.Reader.Get(ctx, r.NamespacedName, &crd); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("read CRD %s: %w", r.Name, err)
	}
	return reconcile.Result{}, c.activate(r.Name, PathsOf(&crd))
}

// activate has the engine answer for the kinds of a CRD by these paths, and for no others.
func (c *Controller) activate(crd string, paths Paths) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.active[crd]
	switch {
	case paths.equal(c.paths[crd]):
		return nil
	case len(paths) > 0:
		after := c.scripts.Scaled(crd, paths)
		if err := c.Activator.Replace(engine.Derived, before, after, paths.revision()); err != nil {
			return fmt.Errorf("activate the scale subresource of CRD %s: %w", crd, err)
		}
		c.active[crd], c.paths[crd] = after, paths
	case known:
		c.Activator.Remove(engine.Derived, before)
		delete(c.active, crd)
		delete(c.paths, crd)
	}
	return nil
}
