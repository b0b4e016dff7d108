// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-logr/logr"

	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/bundle/watch"
)

// watch returns the directory that activates the bundles of the folder and follows their
// changes.
func (c *Controller) watch(log logr.Logger) *watch.Directory {
	store := bundle.NewStore(bundle.Options{
		Loader:     bundle.Loader{Compiler: c.Compiler},
		Parameters: c.parameters,
		Check:      check,
		Replace:    c.replace,
		OnStatus:   func(status bundle.Status) { c.report(log, status) },
	})
	return watch.New(watch.Options{
		Path:    c.options.Dir,
		Apply:   store.Apply,
		OnError: func(err error) { log.Error(err, "could not read the folder of bundles") },
	})
}

// replace activates a bundle in place of another, of which either may be nil.
func (c *Controller) replace(before, after *bundle.Bundle) error {
	var old engine.RuleSet
	if before != nil {
		old = before.Source
	}
	if after == nil {
		c.Activator.Remove(engine.Installed, old)
		return nil
	}
	return c.Activator.Replace(engine.Installed, old, after.Source, after.Revision)
}

// report logs the outcome for a bundle.
func (c *Controller) report(log logr.Logger, s bundle.Status) {
	log = log.WithValues("folder", s.Origin)
	switch {
	case s.Err != nil:
		c.Activator.Refused(engine.Installed)
		log.Info("refused bundle", "revision", s.Wanted, "stage", s.Stage, "reason", s.Err.Error(), "active", s.Active)
	case s.Stage == bundle.Active:
		log.Info("activated bundle", "bundle", s.Name, "revision", s.Active)
	default:
		log.Info("removed bundle")
	}
}

// check runs the cases of a bundle. The error joins those that do not pass.
func check(b *bundle.Bundle, files fs.FS) error {
	all, err := cases.InBundle(files, b)
	errs := []error{err}
	runner := cases.Runner{Bundles: []*bundle.Bundle{b}}
	for _, c := range all {
		result := runner.Run(c)
		for _, failure := range result.Failures {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %s", c.File, c.Line, c.Name, describe(failure)))
		}
	}
	return errors.Join(errs...)
}

// describe returns a difference, cut to a length for the log.
func describe(f cases.Failure) string {
	const most = 300
	text := fmt.Sprintf("%s: want %s, got %s", f.Path, f.Want, f.Got)
	if clipped := base.Clip(text, most); clipped != text {
		return clipped + "..."
	}
	return text
}
