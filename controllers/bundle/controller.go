// SPDX-License-Identifier: Apache-2.0

// Package bundle activates the rules of bundles: those that are embedded in the program,
// and those of a folder, whose changes it follows.
//
// Reads the files of bundles. Writes the rules of the engine, and the log. Runs the cases
// of a bundle before it activates it. Wakes up on changes of the folder. It runs in each
// process that has an engine.
package bundle

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine/bundle/watch"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Options are where the bundles are.
type Options struct {
	// Embedded has a folder for each bundle of the program; nil has none.
	Embedded fs.FS
	// Dir is a folder with a folder for each further bundle, whose rules go before the
	// embedded ones; "" means none.
	Dir string
	// Parameters are values of the parameters of bundles, by bundle.parameter.
	Parameters map[string]string
	// Generic are the questions that the bundle Generic answers about kinds that nobody wrote
	// a script for; nil are GenericAnswers.
	Generic []string
}

// Controller keeps bundles active. It runs whether or not the process leads, since the
// rules are those of the process.
type Controller struct {
	base.Deps
	options   Options
	installed *Installed
	// folder is nil without one, and before Begin. scanned receives the error of its first
	// scan, or nil, once, and is closed then.
	folder  *watch.Directory
	scanned chan error
}

// New returns the controller with a store of its own.
func New(d base.Deps, o Options) *Controller { return NewSharing(d, o, NewInstalled(d, o)) }

// NewSharing returns the controller, which puts the bundles of the folder into a store that others
// use too.
func NewSharing(d base.Deps, o Options, i *Installed) *Controller {
	return &Controller{Deps: d, options: o, installed: i}
}

// Name is the controller's name in logs.
func (c *Controller) Name() string { return "bundle" }

// Load is Begin, and then Wait.
func (c *Controller) Load(ctx context.Context) error {
	if err := c.Begin(ctx); err != nil {
		return err
	}
	return c.Wait(ctx)
}

// Begin activates the embedded bundles, and begins with those of the folder, in another
// goroutine. It is called before any controller runs, so that none uses an engine without
// them. It returns an error if an embedded bundle is broken, or a parameter belongs to no
// bundle.
func (c *Controller) Begin(ctx context.Context) error {
	log := ctrl.LoggerFrom(ctx).WithName(c.Name())
	unknown, err := c.loadEmbedded()
	if err != nil {
		return err
	}
	if c.options.Dir == "" {
		if len(unknown) > 0 {
			return errors.New("no bundle has the parameter " + strings.Join(unknown, ", "))
		}
		return nil
	}
	if len(unknown) > 0 {
		log.Info("left parameters to the bundles of the folder", "parameters", unknown)
	}
	c.folder, c.scanned = c.watch(log), make(chan error, 1)
	go func() {
		defer close(c.scanned)
		c.scanned <- c.scan(log)
	}()
	return nil
}

// scan reads the folder for the first time. The error is that of the folder; a defect is logged: what lies in the
// folder must not end the manager.
func (c *Controller) scan(log logr.Logger) error {
	err := c.scanFolder()
	if stack := base.Stack(err); stack != nil {
		log.Error(err, "could not read the folder of bundles", stack...)
		return nil
	}
	return err
}

func (c *Controller) scanFolder() (err error) {
	defer script.Recover(&err, script.Position{File: c.options.Dir}, "reading the folder of bundles")
	return c.folder.Scan()
}

// Wait returns when the bundles of the folder are active, or ctx has ended. What is left
// then becomes active later. It returns an error if the folder cannot be read; a broken
// bundle in the folder is only logged.
func (c *Controller) Wait(ctx context.Context) error {
	if c.scanned == nil {
		return nil
	}
	select {
	case err := <-c.scanned:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-c.scanned: // ctx had ended before
		return err
	default:
		ctrl.LoggerFrom(ctx).WithName(c.Name()).Info("started before all bundles of the folder were active")
		return nil
	}
}

// Register adds the controller to the manager, if there is a folder to watch.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	if c.folder == nil {
		return nil
	}
	return mgr.Add(c)
}

// Start follows the folder until ctx ends.
func (c *Controller) Start(ctx context.Context) error {
	select {
	case <-c.scanned: // Run scans again, and reports what does not work
		return c.folder.Run(ctx)
	case <-ctx.Done():
		return nil
	}
}

// NeedLeaderElection is false.
func (c *Controller) NeedLeaderElection() bool { return false }

// ParametersOf returns the parameters of one bundle, by their names.
func (o Options) ParametersOf(bundle string) map[string]string {
	own := map[string]string{}
	for key, value := range o.Parameters {
		if parameter, ok := strings.CutPrefix(key, bundle+"."); ok {
			own[parameter] = value
		}
	}
	return own
}

// unknown lists the parameters that belong to none of some bundles, sorted.
func (c *Controller) unknown(bundles []string) []string {
	left := maps.Clone(c.options.Parameters)
	for _, name := range bundles {
		maps.DeleteFunc(left, func(key, _ string) bool { return strings.HasPrefix(key, name+".") })
	}
	return slices.Sorted(maps.Keys(left))
}
