// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Side is one of two sets of rules that are compared. Its interpreter has Observe as its observer.
// It is not safe for several goroutines.
type Side struct {
	Rules engine.Snapshot
	gas   int64
}

// Observe counts the gas of a run.
func (s *Side) Observe(run engine.Run) { s.gas += run.Usage.Gas }

// Comparison is what changes from one set of rules to the next over some questions. Its JSON form
// is that of dragoman diff -o json and dragoman shadow -o json.
type Comparison struct {
	// Asked is the number of questions that one of the two answered, Same that of equal
	// answers, Changed that of other ones.
	Asked   int `json:"asked"`
	Same    int `json:"same"`
	Changed int `json:"changed"`
	// NewErrors is the number of questions that only the later rules fail, FixedErrors
	// that of those that only the earlier ones fail.
	NewErrors   int `json:"newErrors"`
	FixedErrors int `json:"fixedErrors"`
	// GasBefore and GasAfter are the steps that all questions took.
	GasBefore int64 `json:"gasBefore"`
	GasAfter  int64 `json:"gasAfter"`
	// Changes are the answers that are not the same, grouped; see Sort.
	Changes []Change `json:"changes"`
	// Unasked is what was not asked, and why.
	Unasked []Unasked `json:"unasked,omitempty"`

	groups map[string]int
}

// New returns a comparison without questions.
func New() *Comparison { return &Comparison{Changes: []Change{}, groups: map[string]int{}} }

// Change is a difference that several questions have in common.
type Change struct {
	Operation engine.Op `json:"operation"`
	Kind      string    `json:"kind"`
	// What is one of the constants.
	What What `json:"what"`
	// Differences are those of the first question; its paths are what the questions share.
	Differences []Difference `json:"differences,omitempty"`
	// Message is that of the error.
	Message string `json:"message,omitempty"`
	// Count is how many questions have it in common; Where are the first 1,000 of them.
	Count int      `json:"count"`
	Where []string `json:"where"`
}

// Difference is one of an answer: the path from the result on, and both values as JSON; one that
// is absent has none.
type Difference struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// What is what became of an answer; "" means that it is the same.
type What string

const (
	// Changed is another answer.
	Changed What = "changed"
	// NewError is a failure of the later rules alone, FixedError one of the earlier rules alone.
	NewError   What = "new error"
	FixedError What = "fixed error"
	// NewAnswer means that nothing answered before, NoAnswer that nothing answers any more.
	NewAnswer What = "new answer"
	NoAnswer  What = "no answer"
)

// Answers are what both sides answered to a question; nil where there was none or an error.
type Answers struct {
	What          What
	Before, After []any
}

// Ask asks both sides one question, adds what differs to a group, and returns the answers. where
// names the object to people.
func (c *Comparison) Ask(before, after *Side, q engine.Request, where string) Answers {
	gasBefore, gasAfter := before.gas, after.gas
	was, errBefore := before.Rules.Evaluate(q)
	is, errAfter := after.Rules.Evaluate(q)
	c.GasBefore += before.gas - gasBefore
	c.GasAfter += after.gas - gasAfter
	answers := Answers{Before: was, After: is}
	nothingBefore, nothingAfter := errors.Is(errBefore, engine.ErrNoRule), errors.Is(errAfter, engine.ErrNoRule)
	if nothingBefore && nothingAfter {
		return answers
	}
	c.Asked++
	change := Change{Operation: q.Operation, Kind: q.Object.GetKind()}
	switch {
	case nothingBefore && errAfter != nil, errBefore == nil && errAfter != nil && !nothingAfter:
		c.NewErrors++
		change.What, change.Message = NewError, firstLine(errAfter.Error())
	case nothingBefore:
		change.What = NewAnswer
	case nothingAfter:
		change.What = NoAnswer
	case errBefore != nil && errAfter != nil:
		c.Same++ // how a script fails may change
		return answers
	case errBefore != nil:
		c.FixedErrors++
		change.What, change.Message = FixedError, firstLine(errBefore.Error())
	default:
		change.Differences = differences(q.Operation, was, is)
		if len(change.Differences) == 0 {
			c.Same++
			return answers
		}
		c.Changed++
		change.What = Changed
	}
	c.add(change, where)
	answers.What = change.What
	return answers
}

// differences returns how two answers to a question differ.
func differences(name engine.Op, was, is []any) []Difference {
	op, err := engine.Describe(name)
	if err != nil {
		return nil // it was answered
	}
	var all []Difference
	for i, r := range op.Results {
		for _, d := range cases.Differences(r, was[i], is[i]) {
			all = append(all, Difference{Path: d.Path, Before: d.Want, After: d.Got})
		}
	}
	return all
}

// maxWhere is how many objects of a group are named.
const maxWhere = 1000

// add adds a change to those whose differences have the same paths, or the same message.
func (c *Comparison) add(change Change, where string) {
	key := fmt.Sprint(change.Kind, "\x00", change.Operation, "\x00", change.What, "\x00", change.Message)
	for _, d := range change.Differences {
		key += "\x00" + d.Path
	}
	i, known := c.groups[key]
	if !known {
		i = len(c.Changes)
		c.groups[key] = i
		c.Changes = append(c.Changes, change)
	}
	g := &c.Changes[i]
	g.Count++
	if len(g.Where) < maxWhere {
		g.Where = append(g.Where, where)
	}
}

// Leave records what was not asked about an object.
func (c *Comparison) Leave(left ...Unasked) {
	for _, u := range left {
		i := slices.IndexFunc(c.Unasked, func(known Unasked) bool {
			return known.Operation == u.Operation && known.Kind == u.Kind && known.Reason == u.Reason
		})
		if i < 0 {
			c.Unasked = append(c.Unasked, u)
			continue
		}
		c.Unasked[i].Count += u.Count
	}
}

// Sort sorts the changes by kind, operation and what they are. No question is asked after it.
func (c *Comparison) Sort() {
	c.groups = nil
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(string(a.Operation), string(b.Operation)), strings.Compare(string(a.What), string(b.What)))
	})
}

// Found reports whether an answer is not the same.
func (c *Comparison) Found() bool { return len(c.Changes) > 0 }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
