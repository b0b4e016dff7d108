// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"path"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// lawGas is what the laws of a bundle may take together. Each law asks several times about
// the object of each case.
const lawGas = 10 * cases.TrialGas

// Run runs the cases, then checks the laws and gaps of bundles. It calls each after every
// case, in order; each may be nil. A plan can be run once.
//
// The cases of a bundle end, with an error, where the trial of the control plane would end.
func (p *Plan) Run(each func(CaseReport)) *Report {
	r := newReport()
	if p.loader.Coverage != nil {
		// Lines that ran while bundles were loaded, or in laws, are not checked by a
		// case.
		p.loader.Coverage.Reset()
	}
	p.runCases(r, each)
	for _, rules := range p.placement {
		rules.run(r, each)
		p.fail(rules.gaps())
	}
	if p.loader.Coverage != nil {
		r.cover(p.loader.Coverage)
	}
	p.checkLaws(r)
	r.Errs = p.Errs
	for _, err := range p.Errs {
		r.Errors = append(r.Errors, err.Error())
	}
	return r
}

func (p *Plan) runCases(r *Report, each func(CaseReport)) {
	for _, g := range p.Groups {
		runner := p.runner(g)
		var surcharges int64
		for i, c := range g.Cases {
			report := r.add(runner.Run(c))
			if each != nil {
				each(report)
			}
			if !g.Laws {
				continue
			}
			if surcharges += cases.Surcharge(g.Bundles[0], c); surcharges+runner.Gas() > cases.TrialGas {
				p.fail(cases.OverBudget(g.Bundles[0], i+1))
				break
			}
		}
	}
}

// checkLaws checks the laws and the gaps of bundles.
func (p *Plan) checkLaws(r *Report) {
	for _, g := range p.Groups {
		if g.Complete {
			p.fail(cases.Gaps(g.Bundles[0], g.Cases))
		}
		if !g.Laws {
			continue
		}
		runner := p.runner(g)
		for i, c := range g.Cases {
			r.addLaws(runner.CheckLaws(c))
			if runner.Gas() > lawGas && i+1 < len(g.Cases) {
				p.fail(lawsOverBudget(g.Bundles[0], i+1))
				break
			}
		}
	}
}

// lawsOverBudget is the error of a bundle whose laws took more than lawGas; checked is the
// number of cases on whose objects they were checked.
func lawsOverBudget(b *bundle.Bundle, checked int) error {
	message := fmt.Sprintf("the laws of bundle %s are over their budget: on the objects of its first %d cases they took more than %d gas together; "+
		"keep cases with less to compute, or split the bundle", b.Name, checked, lawGas)
	return &yamldoc.Error{File: path.Join(b.Dir, bundle.ManifestFile), Message: message}
}

// runner returns what runs the cases of a group.
func (p *Plan) runner(g *Group) *cases.Runner {
	return &cases.Runner{
		Bundles: g.Bundles, Customizations: g.Customizations,
		AllowUnchecked: p.selection.AllowUnchecked || g.published,
	}
}
