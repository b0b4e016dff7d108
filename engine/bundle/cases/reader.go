// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Reader reads the cases of some files, and bounds what they hold together. It is for one
// goroutine at a time.
type Reader struct {
	yaml *yamldoc.Budget
	// compiler compiles the conditions of cases; nil compiles none.
	compiler *engine.Compiler
	// file is what is being read, and lines are its lines, once they were wanted.
	file  []byte
	lines []string
	// compiled are the conditions so far, by operation and text; sources and bytes are what they take
	// together.
	compiled       map[string]*engine.Assertion
	sources, bytes int64
	// gas is what their compilation takes of TrialGas.
	gas int64
	// patterns is the length of the patterns of all cases so far, in bytes.
	patterns int
}

const (
	// maxPattern is the maximum length of a pattern in bytes, maxPatterns that of all
	// patterns together: compiling a byte of a pattern takes up to 30 us.
	maxPattern  = 1 << 10
	maxPatterns = 16 << 10
)

// fileReader returns the reader of one file that a user names.
func fileReader(c *engine.Compiler) *Reader {
	return &Reader{yaml: yamldoc.NewBudget("file", yamldoc.FileLimits(), yamldoc.FileLimits()), compiler: c}
}

// BundleReader returns the reader of the cases of a bundle. A file may have 2 MiB and 50,000
// values, and all files 4 MiB and 200,000 values together; a value behind an alias counts
// for each alias. With a nil compiler the conditions of cases are read and not compiled.
func BundleReader(c *engine.Compiler) *Reader {
	file := yamldoc.Limits{Text: 2 << 20, Documents: 1000, Values: 50_000, Bytes: 4 << 20, Depth: 200}
	bundle := yamldoc.Limits{Text: 4 << 20, Documents: 2000, Values: 200_000, Bytes: 8 << 20}
	return &Reader{yaml: yamldoc.NewBudget("bundle", file, bundle), compiler: c}
}

// Read returns the cases of a file; see the function Read.
func (r *Reader) Read(file string, data []byte) (all []*Case, err error) {
	defer script.Recover(&err, script.Position{File: file}, "reading the cases")
	r.file, r.lines = data, nil
	defer func() { r.file, r.lines = nil, nil }()
	d := documents{reader: r}
	if err := r.yaml.Each(file, data, d.add); err != nil || !d.holds {
		return nil, err
	}
	return d.cases, d.problems.Err()
}

// documents are those of one file, as they are read.
type documents struct {
	reader   *Reader
	cases    []*Case
	problems yamldoc.Problems
	// holds reports whether one looks like a case.
	holds bool
	// base is what the next cases start from; nil for none. After one that is wrong no case is read before the
	// next base: what it would be made of is not known.
	base   map[string]any
	broken bool
}

// add reads a document: a base, or one that stands for cases.
func (d *documents) add(n yamldoc.Node) {
	if isBase(n) {
		base, err := d.reader.readBase(n)
		d.base, d.broken = base, err != nil
		d.problems.Add(err)
		return
	}
	d.holds = d.holds || looksLikeCase(n)
	if d.broken {
		return
	}
	rows, err := d.reader.rows(n)
	d.problems.Add(err)
	for _, row := range rows {
		c, err := d.reader.readCase(row, d.base)
		if err != nil {
			d.problems.Add(err)
			continue
		}
		c.repeated = len(rows) > 1
		d.cases = append(d.cases, c)
	}
}

// pattern compiles the pattern of a message.
func (r *Reader) pattern(text string) (*regexp.Regexp, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a pattern of %d bytes; want at most %d", len(text), maxPattern)
	}
	if r.patterns += len(text); r.patterns > maxPatterns {
		return nil, fmt.Errorf("the patterns of all cases have more than %d bytes; want shorter ones, or code and at in their place", maxPatterns)
	}
	if folds(text) && strings.ContainsAny(text, `[\`) {
		return nil, fmt.Errorf("a pattern that ignores case cannot have classes and escapes; write both cases, such as [Aa]")
	}
	return regexp.Compile(text)
}

// folds reports whether a pattern may ignore case: the parser then looks up each character
// of a class by itself.
func folds(pattern string) bool {
	for {
		_, flags, found := strings.Cut(pattern, "(?")
		if !found {
			return false
		}
		set, _, _ := strings.Cut(flags, "-")
		set = set[:len(set)-len(strings.TrimLeft(set, "imsU"))]
		if strings.Contains(set, "i") {
			return true
		}
		pattern = flags
	}
}
