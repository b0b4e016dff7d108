// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// smokeGas is what the runs of all scripts on empty objects may take together.
const smokeGas = 1_000_000

// smokeNext runs the next script on an empty object of each of its kinds, and reports
// whether there is more to do.
func (d *parsedBundle) smokeNext(c *engine.Compiler) (more bool, err error) {
	if d.smoked == len(d.scripts) {
		return false, d.errs.join()
	}
	s := d.scripts[d.smoked]
	d.smoked++
	for _, kind := range s.versions(d.bundle) {
		rule := *d.bundle.Source.Kinds[kind][s.operation.Name]
		rule.Program = metered{rule.Program, &d.gas}
		err := c.Smoke(kind, s.operation.Name, &rule)
		if d.gas > smokeGas {
			return false, wrong(s.path, "the runs of the bundle's scripts on empty objects took more than %d gas together; "+
				"compute less for an object without fields, or split the bundle", smokeGas)
		}
		if err != nil {
			d.errs.add(err)
			break
		}
	}
	return true, nil
}

// metered is a program that counts the gas of its runs.
type metered struct {
	script.Program
	gas *int64
}

// Run runs the program.
func (m metered) Run(c *script.Call, d script.Decoder) (script.Usage, error) {
	usage, err := m.Program.Run(c, d)
	*m.gas += usage.Gas
	return usage, err
}
