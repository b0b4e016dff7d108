// SPDX-License-Identifier: Apache-2.0

package author

import (
	"io"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Report is the result of a plan. Its JSON form is that of dragoman test -o json.
type Report struct {
	// Passed and Failed are numbers of cases.
	Passed int           `json:"passed"`
	Failed int           `json:"failed"`
	Kinds  []*KindReport `json:"kinds"`
	Cases  []CaseReport  `json:"cases"`
	// Skipped is the number of cases that were not run, because they say so.
	Skipped int        `json:"skipped"`
	Laws    LawsReport `json:"laws"`
	// Coverage is nil unless it was asked for.
	Coverage []FileCoverage `json:"coverage,omitempty"`
	// Warnings are what is probably not meant in customizations.
	Warnings []source.Problem `json:"warnings"`
	// Errors are the texts of Errs: what could not be read or loaded, and the gaps that
	// the cases of a bundle leave.
	Errors []string `json:"errors"`
	Errs   []error  `json:"-"`
}

// KindReport counts the cases of a kind, written Kind.group.
type KindReport struct {
	Kind   string `json:"kind"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
}

// CaseReport is the result of a case.
type CaseReport struct {
	File       string `json:"file"`
	Line       int    `json:"line"`
	Name       string `json:"name"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Operation  string `json:"operation"`
	// AnsweredBy names the bundle, the customization or the rule that answered, and where it
	// is, such as bundle kubernetes of this program; "" where nothing did.
	AnsweredBy string `json:"answeredBy"`
	Passed     bool   `json:"passed"`
	// Skipped is why the case was not run, "" for one that was.
	Skipped  string          `json:"skipped,omitempty"`
	Gas      int64           `json:"gas"`
	Failures []cases.Failure `json:"failures"`
	// Unchecked are the results that the output of the case does not name.
	Unchecked []string `json:"unchecked,omitempty"`
	// Printed are the lines that the script printed, each with file and line; the first of them
	// where there are many.
	Printed []string `json:"printed,omitempty"`
	// Err is the error of the run, expected or not.
	Err error `json:"-"`
}

// LawsReport is the number of laws that were checked, and the breaches.
type LawsReport struct {
	Checked int            `json:"checked"`
	Broken  []BreachReport `json:"broken"`
}

// BreachReport is a law that does not hold on the object of a case.
type BreachReport struct {
	Law      string          `json:"law"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Failures []cases.Failure `json:"failures"`

	group string
}

func newReport() *Report {
	return &Report{Kinds: []*KindReport{}, Cases: []CaseReport{}, Laws: LawsReport{Broken: []BreachReport{}}, Errors: []string{}, Warnings: []source.Problem{}}
}

// add counts a result of a group.
func (r *Report) add(g *Group, result cases.Result) CaseReport {
	c := result.Case
	kind := r.kind(c.Kind().GroupKind().String())
	switch {
	case result.Skipped():
		r.Skipped++
	case result.Passed():
		r.Passed++
		kind.Passed++
	default:
		r.Failed++
		kind.Failed++
	}
	failures := result.Failures
	if failures == nil {
		failures = []cases.Failure{}
	}
	report := CaseReport{
		File: c.File, Line: c.Line, Name: c.Name, APIVersion: c.Kind().GroupVersion().String(), Kind: c.Kind().Kind,
		Operation: string(c.Operation.Name), AnsweredBy: g.by(result.Origin), Passed: result.Passed(), Skipped: c.Skip, Gas: result.Gas, Failures: failures, Unchecked: result.Unchecked,
		Printed: result.Printed, Err: result.Err,
	}
	r.Cases = append(r.Cases, report)
	return report
}

// kind returns the counts of a kind.
func (r *Report) kind(name string) *KindReport {
	for _, k := range r.Kinds {
		if k.Kind == name {
			return k
		}
	}
	k := &KindReport{Kind: name}
	r.Kinds = append(r.Kinds, k)
	return k
}

// addLaws counts the laws that were checked on a case.
func (r *Report) addLaws(checked int, broken []cases.Breach) {
	r.Laws.Checked += checked
	for _, b := range broken {
		kind := b.Case.Kind()
		r.Laws.Broken = append(r.Laws.Broken, BreachReport{
			Law: b.Law.Name, File: b.Case.File, Line: b.Case.Line, Name: b.Case.Name, Kind: kind.Kind, Failures: b.Failures,
			group: kind.Group,
		})
	}
}

// WriteJSON writes the report as one indented JSON document.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }
