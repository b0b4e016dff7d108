// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"strings"

	"github.com/go-logr/logr"

	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/bundle/watch"
)

// Installed are the bundles that go before those of the program: those of the folder, and those
// that other controllers put into its store. Since one store has them all, two that answer the
// same are found.
type Installed struct {
	*bundle.Store
	activator *activation.Activator
	listeners []listener
}

// listener receives the statuses of the bundles whose folder has a prefix.
type listener struct {
	prefix string
	f      func(bundle.Status)
}

// NewInstalled returns an empty store for the engine of d.
func NewInstalled(d base.Deps, o Options) *Installed {
	i := &Installed{activator: d.Activator}
	i.Store = bundle.NewStore(bundle.Options{
		Loader:     bundle.Loader{Compiler: d.Compiler},
		Parameters: o.ParametersOf,
		Trial:      trial,
		Replace:    i.replace,
		OnStatus:   i.report,
	})
	return i
}

// Listen has f called with each status that changed of a bundle whose folder begins with prefix;
// the longest prefix wins. It is called before the store has bundles. f must not block.
func (i *Installed) Listen(prefix string, f func(bundle.Status)) {
	i.listeners = append(i.listeners, listener{prefix, f})
}

// replace activates a bundle in place of another, of which either may be nil.
func (i *Installed) replace(before, after *bundle.Bundle) error {
	var old engine.RuleSet
	if before != nil {
		old = before.Source
	}
	if after == nil {
		i.activator.Remove(engine.Installed, old)
		return nil
	}
	return i.activator.Replace(engine.Installed, old, after.Source, after.Revision)
}

// report counts a refusal, and calls the listener of a status.
func (i *Installed) report(s bundle.Status) {
	if s.Err != nil {
		i.activator.Refused(engine.Installed)
	}
	best := -1
	for k, l := range i.listeners {
		if strings.HasPrefix(s.Dir, l.prefix) && (best < 0 || len(l.prefix) > len(i.listeners[best].prefix)) {
			best = k
		}
	}
	if best >= 0 {
		i.listeners[best].f(s)
	}
}

// watch returns the directory that activates the bundles of the folder and follows their
// changes.
func (c *Controller) watch(log logr.Logger) *watch.Directory {
	c.installed.Listen("", func(s bundle.Status) { c.report(log, s) })
	return watch.New(watch.Options{
		Path:    c.options.Dir,
		Apply:   func(fetched []bundle.Content, gone []string) { c.installed.Begin(fetched, gone) },
		Resume:  c.installed.Resume,
		OnError: func(err error) { log.Error(err, "could not read the folder of bundles", base.Stack(err)...) },
	})
}

// report logs the outcome for a bundle.
func (c *Controller) report(log logr.Logger, s bundle.Status) {
	log = log.WithValues("folder", s.Origin)
	switch {
	case s.Err != nil:
		log.Error(nil, "refused bundle", append(base.Stack(s.Err), "revision", s.Wanted, "stage", s.Stage, "reason", s.Err.Error(), "active", s.Active)...)
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
