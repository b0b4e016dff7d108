// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
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
	candidates, err := candidates(in)
	if err != nil {
		r.err = err
		return r
	}
	found := engine.Rules{}
	var errs []error
	for _, op := range candidates {
		program, err := p.compile(in, r, op.Name)
		switch {
		case err == nil:
			found[op.Name] = &engine.Rule{Program: program, Origin: "the script", Expression: in.Language == CEL}
			r.operations = append(r.operations, op)
		case !isMissing(err) && !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }):
			errs = append(errs, err)
		}
	}
	if len(r.operations) == 0 && len(errs) == 0 {
		_, err := p.compile(in, r, nearest(in.Script))
		errs = append(errs, err)
	}
	r.err = errors.Join(errs...)
	r.install = func(i *engine.Interpreter) error {
		return i.Set(engine.Installed, engine.RuleSet{Name: "playground", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: found}})
	}
	return r
}

// compile compiles a script that stands alone for an operation.
func (p *Playground) compile(in Input, r rules, op engine.Op) (script.Program, error) {
	s := engine.Script{File: r.file, Text: in.Script, Operation: op, Strict: true, Coverage: r.coverage, Recording: r.recording}
	if in.Language == CEL {
		return p.compiler.CEL(s)
	}
	return p.compiler.Lua(s)
}

// candidates returns the operations that a script may answer: that of an expression, and those
// whose functions a chunk names. Whether it defines them is seen when it is compiled.
func candidates(in Input) ([]engine.Operation, error) {
	if in.Language == CEL {
		op, err := engine.ParseOperation(cmp.Or(in.Operation, string(engine.InterpretHealth)))
		return []engine.Operation{op}, err
	}
	words := word.FindAllString(in.Script, -1)
	return slices.DeleteFunc(engine.Operations(), func(op engine.Operation) bool { return !slices.Contains(words, op.Entry) }), nil
}

// word matches a name in a chunk.
var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// isMissing reports whether an error of a chunk says that it does not define a function that it
// names, in a comment or a text. A function that is local is probably meant, and so no such.
func isMissing(err error) bool {
	var failure *script.Error
	return errors.As(err, &failure) && failure.Rule == lint.WrongEntryName && !strings.HasSuffix(failure.Message, "remove the word local")
}

// defined finds the names of functions that a chunk defines.
var defined = regexp.MustCompile(`function[ \t]+([A-Za-z_]\w*)|([A-Za-z_]\w*)[ \t]*=[ \t]*function\b`)

// nearest returns the operation that a chunk is probably meant to answer, which answers none: one
// whose function has a name like one of the chunk, or else InterpretHealth.
func nearest(text string) engine.Op {
	var entries []string
	for _, op := range engine.Operations() {
		entries = append(entries, op.Entry)
	}
	for _, m := range defined.FindAllStringSubmatch(text, -1) {
		if op, err := engine.ParseOperation(script.Nearest(m[1]+m[2], entries)); err == nil {
			return op.Name
		}
	}
	return engine.InterpretHealth
}
