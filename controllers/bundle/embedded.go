// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// loadEmbedded activates the embedded bundles. It returns the parameters that none of
// them has.
func (c *Controller) loadEmbedded() ([]string, error) {
	if c.options.Embedded == nil {
		return c.unknown(nil), nil
	}
	entries, err := fs.ReadDir(c.options.Embedded, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if err := c.loadOne(entry.Name()); err != nil {
			return nil, err
		}
		names = append(names, entry.Name())
	}
	return c.unknown(names), nil
}

// loadOne activates one embedded bundle. Its cases are not run: they were when the
// program was built.
func (c *Controller) loadOne(name string) error {
	b, err := bundle.Loader{Compiler: c.Compiler}.Load(c.options.Embedded, name, c.options.ParametersOf(name))
	if err != nil {
		return err
	}
	if name == Generic {
		b.Source = c.options.restrict(b.Source)
	}
	revision, err := bundle.Revision(c.options.Embedded, name)
	if err != nil {
		return err
	}
	return c.Activator.Replace(engine.Embedded, engine.RuleSet{}, b.Source, revision)
}
