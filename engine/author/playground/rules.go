// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// rules are what an input has the engine answer.
type rules struct {
	// file is the name of the script in messages.
	file     string
	coverage *script.Coverage
	// recording is nil where no run is traced.
	recording *script.Recording
	// operations are those that the script answers, in the order of the documents.
	operations []engine.Operation
	// install adds the rules to an interpreter; nil where there are none.
	install func(*engine.Interpreter) error
	// err joins what is wrong.
	err error
}

// maxSteps is how many steps of a trace are kept.
const maxSteps = 500

// newRules returns rules without any, for a script of this name.
func newRules(in Input, file string) rules {
	r := rules{file: file, coverage: script.NewCoverage()}
	if in.Trace != "" {
		r.recording = script.NewRecording(maxSteps)
	}
	return r
}

// alone returns the rules of a script that stands alone, for a kind.
func (p *Playground) alone(in Input, kind schema.GroupVersionKind) rules {
	r := newRules(in, "script."+string(in.Language))
	operations, err := meant(in)
	if err != nil {
		r.err = err
		return r
	}
	compile := p.compiler.Lua
	if in.Language == CEL {
		compile = p.compiler.CEL
	}
	var (
		found = engine.Rules{}
		errs  []error
	)
	for _, op := range operations {
		program, err := compile(engine.Script{File: r.file, Text: in.Script, Operation: op.Name, Strict: true, Coverage: r.coverage, Recording: r.recording})
		switch {
		case err == nil:
			found[op.Name] = &engine.Rule{Program: program, Origin: "the script", Expression: in.Language == CEL}
			r.operations = append(r.operations, op)
		case !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }):
			errs = append(errs, err)
		}
	}
	r.err = errors.Join(errs...)
	r.install = func(i *engine.Interpreter) error {
		return i.Set(engine.Installed, engine.RuleSet{Name: "playground", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: found}})
	}
	return r
}

// assigned finds the names to which a chunk assigns functions, and perhaps other names.
var assigned = regexp.MustCompile(`(?m)^[ \t]*(?:local[ \t]+)?function[ \t]+([A-Za-z_]\w*)|^[ \t]*(?:local[ \t]+)?([A-Za-z_]\w*)[ \t]*=`)

// meant returns the operations that a script probably means to answer, at least one: whether it
// does is seen when it is compiled.
func meant(in Input) ([]engine.Operation, error) {
	if in.Language == CEL {
		if in.Operation == "" {
			in.Operation = string(engine.InterpretHealth)
		}
		op, err := engine.ParseOperation(in.Operation)
		return []engine.Operation{op}, err
	}
	var names, entries []string
	for _, m := range assigned.FindAllStringSubmatch(in.Script, -1) {
		names = append(names, m[1]+m[2])
	}
	var all []engine.Operation
	for _, op := range engine.Operations() {
		if slices.Contains(names, op.Entry) {
			all = append(all, op)
		}
		entries = append(entries, op.Entry)
	}
	if len(all) > 0 {
		return all, nil
	}
	// The error of this one says what is missing.
	near := "InterpretHealth"
	for _, name := range names {
		if found := script.Nearest(name, entries); found != "" {
			near = found
			break
		}
	}
	op, err := engine.ParseOperation(near)
	return []engine.Operation{op}, err
}
