// SPDX-License-Identifier: Apache-2.0

package author

import (
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Run runs the cases, then checks the laws and gaps of bundles. It calls each after every
// case, in order; each may be nil. A plan can be run once.
func (p *Plan) Run(each func(CaseReport)) *Report {
	r := newReport()
	if p.loader.Coverage != nil {
		// Lines that ran while bundles were loaded, or in laws, are not checked by a
		// case.
		p.loader.Coverage.Reset()
	}
	p.runCases(r, each)
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
		for _, c := range g.Cases {
			report := r.add(runner.Run(c))
			if each != nil {
				each(report)
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
		for _, c := range g.Cases {
			r.addLaws(runner.CheckLaws(c))
		}
	}
}

// runner returns what runs the cases of a group.
func (p *Plan) runner(g *Group) *cases.Runner {
	return &cases.Runner{
		Bundles: g.Bundles, Customizations: g.Customizations,
		AllowUnchecked: p.selection.AllowUnchecked || g.published,
	}
}
