// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/pattern"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Reader reads the cases of some files, and bounds what they hold together. It is for one
// goroutine at a time.
type Reader struct {
	yaml *yamldoc.Budget
	// full means that yaml had too little left.
	full bool
	// compiler compiles the conditions of cases; nil compiles none.
	compiler *engine.Compiler
	// file is what is being read, and lines are its lines, once they were wanted.
	file  []byte
	lines *yamldoc.Lines
	// compiled are the conditions so far, by operation and text; sources and bytes are what they take
	// together.
	compiled       map[string]*engine.Assertion
	sources, bytes int64
	// gas is what reading took of TrialGas so far, and most is how much it may take.
	gas, most int64
	// patterns is the length of the patterns of all cases so far, in bytes, and instructions what they stand for.
	patterns     int
	instructions int64
}

const (
	// maxPattern is the maximum length of a pattern in bytes, maxPatterns that of all
	// patterns together: compiling a byte of a pattern takes up to 30 us.
	maxPattern  = 1 << 10
	maxPatterns = 16 << 10
	// maxInstructions is what all patterns together stand for; one takes about 110 bytes.
	maxInstructions = 50_000
	// unitsPerGas is how many units of pattern.Compile a unit of gas is.
	unitsPerGas = 2
)

// fileReader returns the reader of one file that a user names.
func fileReader(c *engine.Compiler) *Reader {
	return &Reader{yaml: yamldoc.NewBudget("file", yamldoc.FileLimits(), yamldoc.FileLimits()), compiler: c, most: TrialGas}
}

// BundleReader returns the reader of the cases of a bundle. A file may have 2 MiB and 50,000
// values, and all files 4 MiB and 200,000 values together; a value behind an alias counts
// for each alias. With a nil compiler the conditions of cases are read and not compiled.
func BundleReader(c *engine.Compiler) *Reader {
	file := yamldoc.Limits{Text: 2 << 20, Documents: 1000, Values: 50_000, Bytes: 4 << 20, Depth: 200}
	bundle := yamldoc.Limits{Text: 4 << 20, Documents: 2000, Values: 200_000, Bytes: 8 << 20}
	return &Reader{yaml: yamldoc.NewBudget("bundle", file, bundle), compiler: c, most: TrialGas}
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
	base   *base
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
			if d.reader.spent() {
				return
			}
			continue
		}
		c.repeated = len(rows) > 1
		d.cases = append(d.cases, c)
	}
}

// spent reports whether one of the budgets is: all that is read then is refused for it.
func (r *Reader) spent() bool { return r.full || r.gas > r.most }

// fits takes values and bytes that are made of what was read, and reports whether there were as many left.
func (r *Reader) fits(values, bytes int) bool {
	r.full = !r.yaml.Take(values, bytes)
	return !r.full
}

// errInstructions is the error of patterns that are short and stand for too much.
var errInstructions = fmt.Errorf("the patterns of all cases stand for more than %d instructions; want fewer repetitions, or code and at in their place", maxInstructions)

// pattern compiles the pattern of a message.
func (r *Reader) pattern(text string) (*pattern.Pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a pattern of %d bytes; want at most %d", len(text), maxPattern)
	}
	if r.patterns += len(text); r.patterns > maxPatterns {
		return nil, fmt.Errorf("the patterns of all cases have more than %d bytes; want shorter ones, or code and at in their place", maxPatterns)
	}
	if folds(text) && strings.ContainsAny(text, `[\`) {
		return nil, fmt.Errorf("a pattern that ignores case cannot have classes and escapes; write both cases, such as [Aa]")
	}
	if r.instructions > maxInstructions {
		return nil, errInstructions
	}
	compiled, err := pattern.Compile(text, func(units int64) error { return r.take((units + unitsPerGas - 1) / unitsPerGas) })
	if err != nil {
		return nil, err
	}
	if r.instructions += compiled.Instructions; r.instructions > maxInstructions {
		return nil, errInstructions
	}
	return compiled, nil
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
