// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Update is a case file with the outputs that its cases have now.
type Update struct {
	File string
	// Text is the whole file: only the values of results that were not as expected are other
	// ones; comments, other values and their style stay.
	Text []byte
	// Cases are the names of the cases that were changed, in the order of the file.
	Cases []string
}

// failing is a case whose answer is not as expected.
type failing struct {
	c      *cases.Case
	answer map[string]any
}

// Updates returns the case files whose expectations are not met, with the answers in
// their place, sorted by file. It is called after Run. A case that expects an error, or fails with
// one, is not updated, nor is one whose document says what it changes, or stands for several.
//
// It is an error, and nothing is updated, where something could not be read or loaded: a script that
// does not compile is mended first. A case that cannot be written again as it stands, such as one in JSON,
// is an error with its place.
func (p *Plan) Updates(fsys fs.FS) ([]Update, error) {
	if p.incomplete {
		return nil, fmt.Errorf("no expectation was updated, since there are errors; mend these first")
	}
	files := map[string][]failing{}
	for _, f := range p.failing {
		files[f.c.File] = append(files[f.c.File], f)
	}
	var all []Update
	var problems yamldoc.Problems
	for file, failing := range files {
		u, err := updated(fsys, file, failing)
		if err != nil {
			problems.Add(err)
			continue
		}
		all = append(all, u)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Update) int { return strings.Compare(a.File, b.File) })
	return all, nil
}

// keep notes a case for Updates where its answer is not as expected.
func (p *Plan) keep(result cases.Result) {
	if answer := result.Unexpected(); answer != nil && result.Case.Spelled() {
		p.failing = append(p.failing, failing{result.Case, answer})
	}
}

// updated returns a file with the answers of some of its cases, from the last to the first, so that
// the lines of those before stay.
func updated(fsys fs.FS, file string, all []failing) (Update, error) {
	data, err := yamldoc.ReadFile(fsys, file)
	if err != nil {
		return Update{}, err
	}
	slices.SortFunc(all, func(a, b failing) int { return cmp.Compare(b.c.Line, a.c.Line) })
	u := Update{File: file}
	lines := strings.SplitAfter(string(data), "\n")
	for _, f := range all {
		if lines, err = replaceOutput(lines, f.c.Line, f.answer); err != nil {
			return Update{}, &yamldoc.Error{File: file, Line: f.c.Line, Message: err.Error()}
		}
		u.Cases = append(u.Cases, f.c.Name)
	}
	slices.Reverse(u.Cases)
	u.Text = []byte(strings.Join(lines, ""))
	return u, sameCases(file, data, u.Text)
}

// sameCases returns an error where a file that was updated has not the cases that it had.
func sameCases(file string, before, after []byte) error {
	was, err := cases.Read(nil, file, before)
	if err != nil {
		return err
	}
	is, err := cases.Read(nil, file, after)
	if err != nil {
		return fmt.Errorf("the updated file would not be read: %w", err)
	}
	same := slices.EqualFunc(was, is, func(a, b *cases.Case) bool { return a.Name == b.Name && a.Operation.Name == b.Operation.Name })
	if !same {
		return &yamldoc.Error{File: file, Message: "the updated file would have other cases; write its outputs by hand"}
	}
	return nil
}
