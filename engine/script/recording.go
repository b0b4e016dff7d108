// SPDX-License-Identifier: Apache-2.0

package script

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Recording notes what runs do, for tools that show it: which lines ran, in which order,
// what changed on each, and how much gas each took. A program that was compiled with one
// writes to it; it answers as any other does, and takes the same gas. It is for one run
// after another, not for several at once.
type Recording struct {
	most    int
	steps   []*Step
	left    int
	root    *Node
	sources map[string]*recordedSource
	// entry is where the function begins that the engine called last, returned where it returned.
	entry, returned Position
}

// recordedSource is a source whose program writes to a recording.
type recordedSource struct {
	text  string
	lines map[functionLine]*RecordedLine
	place func(Position) Position
}

// functionLine is a line of a function; several functions can share one.
type functionLine struct {
	function string
	line     int
}

// RecordedLine is a line of a function of a script. There is one of it in a recording.
type RecordedLine struct {
	Position
	Function string
}

// Step is one line of a script, or one part of an expression, that ran.
type Step struct {
	Position
	// Depth is how many functions of the script were under way around it.
	Depth int
	// Expression is the part of the expression; "" where the step is a line.
	Expression string
	// Changes are the variables and fields that changed, in the order of their declaration.
	Changes []Change
	// Condition is true or false for a line that asks a condition, else "".
	Condition string
	// Printed are the lines that it printed.
	Printed []string
	// Value is what the line returns, or the value of the expression; "" is none.
	Value string
}

// Change is a variable, or a field, and the value that it got. The value is text for
// people, and is cut where it is long.
type Change struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Set notes a change; the last one of a name counts.
func (s *Step) Set(name, value string) {
	for i := range s.Changes {
		if s.Changes[i].Name == name {
			s.Changes[i].Value = value
			return
		}
	}
	s.Changes = append(s.Changes, Change{name, value})
}

// Node is a line that ran, below the lines whose calls it ran in.
type Node struct {
	Line *RecordedLine
	// Gas is what the line took here, without the functions that it called.
	Gas int64
	// Times is how often it ran here.
	Times int64

	parent   *Node
	children map[*RecordedLine]*Node
	order    []*Node
}

// Child returns the node of a line that runs in a call of n.
func (n *Node) Child(l *RecordedLine) *Node {
	if found := n.children[l]; found != nil {
		return found
	}
	if n.children == nil {
		n.children = map[*RecordedLine]*Node{}
	}
	made := &Node{Line: l, parent: n}
	n.children[l] = made
	n.order = append(n.order, made)
	return made
}

// Parent returns the line whose call n runs in, nil where the engine called it.
func (n *Node) Parent() *Node {
	if n.parent == nil || n.parent.Line == nil {
		return nil
	}
	return n.parent
}

// NewRecording returns a Recording that keeps as many steps, and counts gas however many
// there are.
func NewRecording(steps int) *Recording {
	return &Recording{most: steps, root: &Node{}, sources: map[string]*recordedSource{}}
}

// Reset forgets what ran. Who shows one run calls it after the scripts are loaded, which
// runs them too.
func (r *Recording) Reset() {
	r.steps, r.left, r.root = nil, 0, &Node{}
	r.entry, r.returned = Position{}, Position{}
}

// Enter notes where the function begins that the engine calls.
func (r *Recording) Enter(at Position) { r.entry, r.returned = at, Position{} }

// Return notes where the function returned that the engine called.
func (r *Recording) Return(at Position) { r.returned = at }

// Answer returns where the function begins that the engine called last, and where it returned, with
// positions for people. Of an expression these are its beginning, and the branch whose value it has.
// A position without a line is not known, such as that of the return of a function that failed, or
// that came to its end.
func (r *Recording) Answer() (entry, returned Position) {
	if entry = r.entry; entry.Line > 0 {
		entry = r.placed(entry)
	}
	if returned = r.returned; returned.Line > 0 {
		returned = r.placed(returned)
	}
	return entry, returned
}

// Source registers the text of a file, so that its lines can be shown.
func (r *Recording) Source(file, text string) { r.source(file).text = text }

// Place registers where the positions of a file are for people, such as in the YAML file
// that a script stands in.
func (r *Recording) Place(file string, place func(Position) Position) { r.source(file).place = place }

func (r *Recording) source(file string) *recordedSource {
	s := r.sources[file]
	if s == nil {
		s = &recordedSource{lines: map[functionLine]*RecordedLine{}}
		r.sources[file] = s
	}
	return s
}

// Line returns what stands for a line of a function in a recording: the same for each call.
func (r *Recording) Line(file, function string, line int) *RecordedLine {
	s, of := r.source(file), functionLine{function, line}
	if s.lines[of] == nil {
		s.lines[of] = &RecordedLine{Position: Position{File: file, Line: line}, Function: function}
	}
	return s.lines[of]
}

// Root returns the node that the calls of the engine are below. Its gas is what no line took:
// what comes before and after the script.
func (r *Recording) Root() *Node { return r.root }

// Keeps reports whether one more step is kept.
func (r *Recording) Keeps() bool { return len(r.steps) < r.most }

// Add notes a step, and returns it so that what comes of it can be noted too; nil where there
// are too many.
func (r *Recording) Add(s Step) *Step {
	if !r.Keeps() {
		r.left++
		return nil
	}
	r.steps = append(r.steps, &s)
	return &s
}

// Steps returns the steps that were kept, in the order in which they ran and with positions for
// people, and how many lines and parts of expressions ran that were not kept.
func (r *Recording) Steps() (kept []Step, left int) {
	for _, s := range r.steps {
		one := *s
		one.Position = r.placed(s.Position)
		kept = append(kept, one)
	}
	return kept, r.left
}

// placed returns a position for people.
func (r *Recording) placed(at Position) Position {
	if s := r.sources[at.File]; s != nil && s.place != nil {
		return s.place(at)
	}
	return at
}

// text returns the source text of a line.
func (r *Recording) text(at Position) string {
	s := r.sources[at.File]
	if s == nil || at.Line < 1 {
		return ""
	}
	lines := strings.SplitN(s.text, "\n", at.Line+1)
	if len(lines) < at.Line {
		return ""
	}
	return strings.TrimRight(lines[at.Line-1], "\r")
}

// Texts returns the source texts of the lines of the steps that were kept, in their order.
func (r *Recording) Texts() []string {
	texts := make([]string, 0, len(r.steps))
	for _, s := range r.steps {
		texts = append(texts, r.text(s.Position))
	}
	return texts
}

// LineGas is what a line took in all its runs.
type LineGas struct {
	Position
	// Function is the function of the line.
	Function string
	// Source is the text of the line.
	Source string
	Gas    int64
	Times  int64
}

// Lines returns what each line took that ran, sorted by file and line, and what no line took.
func (r *Recording) Lines() (all []LineGas, other int64) {
	sums := map[*RecordedLine]*LineGas{}
	for _, n := range r.Nodes() {
		sum := sums[n.Line]
		if sum == nil {
			sum = &LineGas{Position: r.placed(n.Line.Position), Function: n.Line.Function, Source: r.text(n.Line.Position)}
			sums[n.Line] = sum
		}
		sum.Gas += n.Gas
		sum.Times += n.Times
	}
	for _, sum := range slices.Collect(maps.Values(sums)) {
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(a, b LineGas) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	})
	return all, r.root.Gas
}

// Nodes returns the lines that ran, once for each way of calls to them, in the order in which
// they first ran.
func (r *Recording) Nodes() []*Node {
	var all []*Node
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, child := range n.order {
			all = append(all, child)
			walk(child)
		}
	}
	walk(r.root)
	return all
}

// Placed returns the position of a line for people.
func (r *Recording) Placed(l *RecordedLine) Position { return r.placed(l.Position) }
