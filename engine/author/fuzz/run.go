// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/compare"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Finding is something that is wrong for some objects.
type Finding struct {
	Kind string `json:"kind"`
	// Operation is that of the script that fails, or of the case that a law was checked on.
	Operation engine.Op `json:"operation"`
	// Law is the name of the law that is broken; "" for an error of a script.
	Law string `json:"law,omitempty"`
	// Message is the error, or how the answers differ.
	Message string `json:"message"`
	// Run is the first run that found it, Times how many did.
	Run   uint64 `json:"run"`
	Times int    `json:"times"`
	// Object shows it, and is as small as it could be made.
	Object *unstructured.Unstructured `json:"object"`

	key string
	// question is what the operation was asked.
	question engine.Request
}

// Report is what was found.
type Report struct {
	Seed     uint64    `json:"seed"`
	Objects  int       `json:"objects"`
	Answers  int       `json:"answers"`
	Findings []Finding `json:"findings"`
}

// Options are what is asked.
type Options struct {
	Bundle *bundle.Bundle
	Kinds  []Kind
	Seed   uint64
	// Runs is how many objects of each kind are made.
	Runs int
}

// Run asks the scripts of a bundle about objects of kinds. An error that a script raises by itself, of code
// User, is none: it refuses an object. Findings of one script, code and line, or of one law and answer,
// are one.
func Run(o Options) (*Report, error) {
	i := engine.NewInterpreter(engine.Options{Clock: cases.Clock()})
	if err := i.Set(engine.Embedded, o.Bundle.Source); err != nil {
		return nil, err
	}
	f := &fuzzer{rules: i.Snapshot(), runner: &cases.Runner{Bundles: []*bundle.Bundle{o.Bundle}}, report: &Report{Seed: o.Seed, Findings: []Finding{}}}
	for run := range uint64(o.Runs) {
		for _, k := range o.Kinds {
			f.try(k, run)
		}
	}
	return f.report, nil
}

// fuzzer looks for findings.
type fuzzer struct {
	rules  engine.Snapshot
	runner *cases.Runner
	report *Report
}

// try makes one object and keeps what is new about it.
func (f *fuzzer) try(k Kind, run uint64) {
	object := k.object(f.report.Seed, run)
	f.report.Objects++
	found, answers := f.ask(object, run)
	f.report.Answers += answers
	for _, one := range found {
		if known := f.known(one.key); known != nil {
			known.Times++
			continue
		}
		one.Run, one.Times = run, 1
		one.Object = k.shrunk(object, func(o *unstructured.Unstructured) bool {
			all, _ := f.ask(o, run)
			for _, other := range all {
				if other.key == one.key {
					one.Message, one.question = other.Message, other.question
					return true
				}
			}
			return false
		})
		f.report.Findings = append(f.report.Findings, one)
	}
}

func (f *fuzzer) known(key string) *Finding {
	for i := range f.report.Findings {
		if f.report.Findings[i].key == key {
			return &f.report.Findings[i]
		}
	}
	return nil
}

// ask asks all about an object, and checks the laws on a case of one of its operations, which one depends
// on the run. It returns what is wrong, each once, and how many answers there were.
func (f *fuzzer) ask(object *unstructured.Unstructured, run uint64) (found []Finding, answers int) {
	var asked []engine.Request
	seen := map[string]bool{}
	add := func(one Finding) {
		if !seen[one.key] {
			seen[one.key] = true
			found = append(found, one)
		}
	}
	questions, _ := compare.Questions(object.DeepCopy(), engine.Operations(), f.rules)
	for _, q := range questions {
		_, err := f.rules.Evaluate(q)
		if errors.Is(err, engine.ErrNoRule) {
			continue
		}
		answers++
		asked = append(asked, q)
		if failure := failureOf(err); failure != nil {
			add(Finding{
				Kind: object.GetKind(), Operation: q.Operation, Message: firstLine(err.Error()),
				question: q, key: fmt.Sprintf("%s %s %s %s:%d %s", object.GetKind(), q.Operation, failure.Code, failure.File, failure.Line, failure.Expression),
			})
		}
	}
	if len(asked) == 0 {
		return found, answers
	}
	q := asked[run%uint64(len(asked))]
	for _, b := range f.broken(q) {
		add(b)
	}
	return found, answers
}

// broken returns the laws that are broken for a request.
func (f *fuzzer) broken(q engine.Request) []Finding {
	var all []Finding
	c := &cases.Case{File: "object", Name: "fuzz", Question: q}
	for _, op := range engine.Operations() {
		if op.Name == q.Operation {
			c.Operation = op
		}
	}
	_, breaches := f.runner.CheckLaws(c)
	for _, b := range breaches {
		first := b.Failures[0]
		answer, _, _ := strings.Cut(first.Path, " ")
		all = append(all, Finding{
			Kind: q.Object.GetKind(), Operation: q.Operation, Law: b.Law.Name,
			Message: fmt.Sprintf("%s: want %s, got %s", first.Path, shown(first.Want), shown(first.Got)),
			key:     fmt.Sprintf("%s law %s %s", q.Object.GetKind(), b.Law.Name, answer),
		})
	}
	return all
}

// failureOf returns the error of a script; nil where it raised that by itself, or there is none.
func failureOf(err error) *script.Error {
	var failure *script.Error
	if !errors.As(err, &failure) || failure.Code == script.User {
		return nil
	}
	return failure
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// maxShown is how much of a value a message has, in bytes.
const maxShown = 200

func shown(value []byte) string {
	switch {
	case value == nil:
		return "nothing"
	case len(value) > maxShown:
		return string(value[:maxShown]) + "..."
	}
	return string(value)
}
