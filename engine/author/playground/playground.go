// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/recording"
)

// Playground evaluates inputs. It is safe for many goroutines.
type Playground struct {
	// Deadline bounds each run by the clock, as engine.Options has it; 0 is no bound, which is for
	// programs that have one thread. It is set before the first use.
	Deadline time.Duration

	compiler *engine.Compiler
	bundles  fs.FS
}

// New returns a playground with the bundles that are folders at the root of a file system. They
// are read when they are asked about.
func New(bundles fs.FS) (*Playground, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	return &Playground{compiler: c, bundles: bundles}, nil
}

// Evaluate asks a script all that it answers. Whatever is wrong with the input is among the
// problems of the answer.
func (p *Playground) Evaluate(in Input) Answer {
	answer := Answer{Operations: []Asked{}, Problems: []Problem{}, Coverage: []Coverage{}}
	object, objectErr := readObject(in.Object)
	args, argumentsErr := readArguments(in.Arguments)
	kind := schema.GroupVersionKind{Version: "v1", Kind: "None"}
	if object != nil {
		kind = object.GroupVersionKind()
	}
	r := p.rules(in, kind, objectErr == nil, args.parameters)
	t := textsOf(in, r.file)
	answer.Problems = append(answer.Problems, t.problems(errors.Join(objectErr, argumentsErr, r.err))...)
	if objectErr != nil || argumentsErr != nil || r.install == nil {
		return answer
	}
	r.coverage.Reset()
	for _, op := range r.operations {
		asked := p.ask(r, t, op, object, args)
		answer.Operations = append(answer.Operations, asked)
		if asked.Problem == nil {
			continue
		}
		answer.Problems = append(answer.Problems, *asked.Problem)
		if r.recording != nil && asked.isAbandoned() {
			break // the run may go on, and write to the recording
		}
	}
	if len(r.operations) > 0 {
		answer.Coverage = covered(r)
	}
	return answer
}

// rules returns the rules of an input. A file of a bundle needs to know the kind.
func (p *Playground) rules(in Input, kind schema.GroupVersionKind, known bool, parameters map[string]string) rules {
	switch {
	case in.Bundle == "" && in.Language != Lua && in.Language != CEL:
		return rules{err: errors.New("language: want lua or cel")}
	case in.Bundle == "":
		return p.alone(in, kind)
	case !known:
		return rules{}
	}
	return p.shipped(in, kind, parameters)
}

// covered returns which lines ran.
func covered(r rules) []Coverage {
	all := []Coverage{}
	for _, file := range r.coverage.Files() {
		_, missed := r.coverage.Lines(file)
		all = append(all, Coverage{File: file, Lines: r.coverage.All(file), Missed: append([]int{}, missed...)})
	}
	return all
}

// ask asks one operation.
func (p *Playground) ask(r rules, t texts, op engine.Operation, object *unstructured.Unstructured, args arguments) Asked {
	asked := Asked{Operation: string(op.Name), Doc: op.Doc, Printed: []string{}}
	request, assumed := args.request(op, object)
	asked.Assumed = assumed
	var printed lines
	i := engine.NewInterpreter(engine.Options{
		Deadline: p.Deadline,
		Print:    printed.add,
		Observe:  asked.observe(len(request.Items)),
	})
	if r.recording != nil {
		r.recording.Reset()
	}
	var answer []any
	err := r.install(i)
	if err == nil {
		answer, err = i.Snapshot().Evaluate(request)
	}
	asked.Printed = printed.all()
	if err == nil {
		err = asked.show(op, object, answer)
	}
	if err != nil {
		problem := t.problem(err)
		problem.Operation = asked.Operation
		asked.Problem = &problem
	}
	if asked.Operation == t.Trace && !asked.isAbandoned() {
		trace := recording.TraceOf(r.recording)
		asked.Trace = &trace
	}
	return asked
}
