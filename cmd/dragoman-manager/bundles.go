// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/bundle/watch"
	"github.com/dragoman-io/dragoman/scripts"
)

const bundleDirUsage = `folder with a folder for each further bundle, such as mounted ConfigMaps; its bundles go
before those of this program, operation by operation, and are trusted as they are. Changes
are activated while this runs; a bundle that is refused, as the log tells with file and
line, leaves the one before in place. Keys of a ConfigMap stand for paths with a dot in
place of the slash, such as FlinkDeployment.health.lua`

// parameters are values of the parameters of bundles, by bundle.parameter.
type parameters map[string]string

// of returns the parameters of one bundle, by their names.
func (p parameters) of(name string) map[string]string {
	own := map[string]string{}
	for key, value := range p {
		if parameter, ok := strings.CutPrefix(key, name+"."); ok {
			own[parameter] = value
		}
	}
	return own
}

// loadBundles returns o an interpreter with the bundles of this program and those of the
// folder, which the manager keeps up to date.
func (f *flags) loadBundles(ctx context.Context, mgr ctrl.Manager, o *controllers.Options) error {
	unknown, err := load(o, scripts.FS, f.parameters)
	if err != nil {
		return err
	}
	if f.bundleDir == "" {
		if len(unknown) > 0 {
			return errors.New("no bundle has the parameter " + strings.Join(unknown, ", "))
		}
		return nil
	}
	if len(unknown) > 0 {
		ctrl.LoggerFrom(ctx).Info("left parameters to the bundles of the folder", "parameters", unknown)
	}
	installed, err := install(ctx, *o, f.bundleDir, f.parameters)
	if err != nil {
		return err
	}
	return mgr.Add(installed)
}

// load returns o a compiler, and an interpreter with the bundles of a file system. It
// tells which parameters none of these bundles has.
func load(o *controllers.Options, fsys fs.FS, p parameters) (unknown []string, err error) {
	if o.Compiler, err = engine.NewCompiler(); err != nil {
		return nil, err
	}
	o.Interpreter = engine.NewInterpreter(engine.Options{Observe: func(run engine.Run) {
		o.Failures.Observe(run)
		o.Metrics.Observe(run)
	}})
	folders, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	left := maps.Clone(p)
	for _, folder := range folders {
		name := folder.Name()
		if !folder.IsDir() {
			continue
		}
		b, err := bundle.Loader{Compiler: o.Compiler}.Load(fsys, name, p.of(name))
		if err != nil {
			return nil, err
		}
		revision, err := bundle.Revision(fsys, name)
		if err != nil {
			return nil, err
		}
		o.Metrics.Activated(engine.Embedded, b.Source, revision) // before the first run, which it counts
		if err := o.Interpreter.Set(engine.Embedded, b.Source); err != nil {
			return nil, err
		}
		maps.DeleteFunc(left, func(key, _ string) bool { return strings.HasPrefix(key, name+".") })
	}
	return slices.Sorted(maps.Keys(left)), nil
}

// installed keeps the bundles of a folder in an interpreter. Each process that has one
// runs it, whether or not it leads.
type installed struct{ *watch.Directory }

// Start watches until ctx ends.
func (i installed) Start(ctx context.Context) error { return i.Run(ctx) }

// NeedLeaderElection is false.
func (i installed) NeedLeaderElection() bool { return false }

// install activates the bundles of a folder, and returns what keeps them so.
func install(ctx context.Context, o controllers.Options, dir string, p parameters) (installed, error) {
	log := ctrl.LoggerFrom(ctx).WithName("bundles")
	store := bundle.NewStore(bundle.Options{
		Loader:     bundle.Loader{Compiler: o.Compiler},
		Rules:      o.Interpreter,
		Parameters: p.of,
		Check:      check,
		OnReplace:  func(before, after *bundle.Bundle) { replaced(o, before, after) },
		OnStatus:   func(status bundle.Status) { tell(log, o, status) },
	})
	d := watch.New(watch.Options{
		Path:   dir,
		Apply:  store.Apply,
		Failed: func(err error) { log.Error(err, "could not see what changed") },
	})
	return installed{d}, d.Scan()
}

// replaced has the metrics and the controllers know that a bundle came in place of
// another.
func replaced(o controllers.Options, before, after *bundle.Bundle) {
	var was, is engine.RuleSet
	if before != nil {
		was = before.Source
	}
	if after != nil {
		is = after.Source
		o.Metrics.Activated(engine.Installed, is, after.Revision)
	}
	if before != nil && was.Name != is.Name {
		o.Metrics.Removed(engine.Installed, was.Name)
	}
	o.Changes.Replaced(was, is)
}

// tell logs what became of a bundle.
func tell(log logr.Logger, o controllers.Options, s bundle.Status) {
	log = log.WithValues("folder", s.Origin)
	switch {
	case s.Err != nil:
		o.Metrics.Refused(engine.Installed)
		log.Info("refused bundle", "revision", s.Wanted, "stage", s.Stage, "reason", s.Err.Error(), "active", s.Active)
	case s.Stage == bundle.Active:
		log.Info("activated bundle", "bundle", s.Name, "revision", s.Active)
	default:
		log.Info("removed bundle")
	}
}

// told tells of a difference, cut to a length for the log.
func told(f cases.Failure) string {
	const most = 300
	text := fmt.Sprintf("%s: want %s, got %s", f.Path, f.Want, f.Got)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// check runs the cases of a bundle. The error joins those that do not pass.
func check(b *bundle.Bundle, files fs.FS) error {
	all, err := cases.InBundle(files, b)
	errs := []error{err}
	runner := cases.Runner{Bundles: []*bundle.Bundle{b}}
	for _, c := range all {
		result := runner.Run(c)
		for _, failure := range result.Failures {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %s", c.File, c.Line, c.Name, told(failure)))
		}
	}
	return errors.Join(errs...)
}
