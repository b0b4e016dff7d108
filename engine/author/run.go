// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"path"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// lawGas is what the laws of a bundle, or of the customizations of a folder, may take
// together. Each law asks several times about the object of each case, that of missing fields
// up to 150 times.
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
		for _, g := range p.Groups {
			g.set.reset()
		}
	}
	p.runCases(r, each)
	p.incomplete = len(p.Errs) > 0
	for _, rules := range p.placement {
		rules.run(r, each)
		p.fail(rules.gaps())
	}
	if p.loader.Coverage != nil {
		r.cover(p)
	}
	p.checkGaps()
	if !p.selection.WithoutLaws {
		p.checkLaws(r)
	}
	r.Errs = p.Errs
	r.Warnings = append(r.Warnings, p.Warnings...)
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
			result := runner.Run(c)
			p.keep(result)
			report := r.add(g, result)
			if each != nil {
				each(report)
			}
			if !g.isTried() {
				continue
			}
			if surcharges += cases.Surcharge(g.Bundles[0], c); surcharges+g.reader.Gas()+runner.Gas() > cases.TrialGas {
				p.fail(cases.OverBudget(g.Bundles[0], i+1))
				break
			}
		}
	}
}

// isTried reports whether the control plane tries the scripts by these cases, and bounds
// what they take.
func (g *Group) isTried() bool { return g.Laws && len(g.Bundles) > 0 }

// checkGaps adds what the cases do not test.
func (p *Plan) checkGaps() {
	for _, g := range p.Groups {
		switch {
		case !g.Complete:
		case g.set != nil:
			p.fail(g.set.gaps(g.Cases))
		default:
			p.fail(cases.Gaps(g.Bundles[0], g.Cases))
		}
	}
}

// checkLaws checks the laws of all groups, of several at a time; what it reports has their
// order.
func (p *Plan) checkLaws(r *Report) {
	found := make([]groupLaws, len(p.Groups))
	var (
		wait sync.WaitGroup
		next atomic.Int64
	)
	for range min(runtime.GOMAXPROCS(0), len(p.Groups)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(p.Groups); i = int(next.Add(1)) - 1 {
				found[i] = p.lawsOf(p.Groups[i])
			}
		})
	}
	wait.Wait()
	for _, f := range found {
		r.addLaws(f.checked, f.broken)
		if f.err != nil {
			p.fail(f.err)
		}
	}
}

// groupLaws is what the laws found about a group.
type groupLaws struct {
	checked int
	broken  []cases.Breach
	err     error
}

// lawsOf checks the laws of one group.
func (p *Plan) lawsOf(g *Group) (found groupLaws) {
	if !g.Laws {
		return found
	}
	runner := p.runner(g)
	for i, c := range g.Cases {
		if found.err = found.check(runner, c, g); found.err != nil {
			break
		}
		if runner.Gas() > lawGas && i+1 < len(g.Cases) {
			found.err = lawsOverBudget(g, i+1)
			break
		}
	}
	return found
}

// check adds what the laws find about the object of one case of a group. The error is that of a panic: on the
// goroutines of checkLaws nobody else recovers it.
func (f *groupLaws) check(runner *cases.Runner, c *cases.Case, g *Group) (err error) {
	defer script.Recover(&err, script.Position{File: c.File, Line: c.Line}, "checking the laws")
	checked, broken := runner.CheckLaws(c, g.expectations()...)
	f.checked += checked
	f.broken = append(f.broken, broken...)
	return nil
}

// lawsOverBudget is the error of scripts whose laws took more than lawGas; checked is the
// number of cases on whose objects they were checked.
func lawsOverBudget(g *Group, checked int) error {
	of, file := "these customizations", ""
	if g.set != nil {
		file = g.Cases[0].File
	} else {
		of, file = "bundle "+g.Bundles[0].Name, path.Join(g.Bundles[0].Dir, bundle.ManifestFile)
	}
	message := fmt.Sprintf("the laws of %s are over their budget: on the objects of its first %d cases they took more than %d gas together; "+
		"keep cases with less to compute, or split the scripts", of, checked, lawGas)
	return &yamldoc.Error{File: file, Message: message}
}

// runner returns what runs the cases of a group.
func (p *Plan) runner(g *Group) *cases.Runner {
	runner := &cases.Runner{
		Bundles: g.Bundles, Customizations: g.Customizations,
		AllowUnchecked: p.selection.AllowUnchecked || g.published, Print: true,
	}
	if g == p.common && !p.isAnswered() {
		runner.Hint = "the bundles of this program were asked, since in no folder above the case are scripts: a " +
			bundle.ManifestFile + " or customizations"
	}
	return runner
}

// by names what answered a case of the group, and where it is; "" where nothing did.
func (g *Group) by(origin string) string {
	switch {
	case origin == "":
		return ""
	case g.set != nil:
		return origin + " " + g.set.where(origin)
	}
	return origin + " " + g.where
}
