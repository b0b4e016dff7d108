// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"

	"github.com/go-logr/logr"

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
		Parameters: c.options.ParametersOf,
		Trial:      trial,
		Replace:    c.replace,
		OnStatus:   func(status bundle.Status) { c.report(log, status) },
	})
	return watch.New(watch.Options{
		Path:    c.options.Dir,
		Apply:   func(fetched []bundle.Content, gone []string) { store.Begin(fetched, gone) },
		Resume:  store.Resume,
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
		log.Error(nil, "refused bundle", "revision", s.Wanted, "stage", s.Stage, "reason", s.Err.Error(), "active", s.Active)
	case s.Stage == bundle.Active:
		log.Info("activated bundle", "bundle", s.Name, "revision", s.Active)
	case s.Wanted == "":
		log.Info("removed bundle")
	default:
		log.Info("left bundle for later, since it takes long to try", "revision", s.Wanted, "stage", s.Stage)
	}
}

// trial tries a bundle by its cases.
func trial(b *bundle.Bundle, files fs.FS) bundle.Trial { return cases.NewTrial(files, b) }
