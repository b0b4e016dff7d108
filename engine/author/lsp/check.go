// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// checker checks units with one compiler, which keeps what it compiled.
type checker struct {
	*author.Checker
	compiler *engine.Compiler
}

// check returns what is wrong with a unit, and what is probably not meant there. The error is that
// of a checker that cannot be made.
func (s *Server) check(u unit, at snapshot) ([]finding, error) {
	if s.checker == nil {
		compiler, err := engine.NewCompiler()
		if err != nil {
			return nil, err
		}
		c, err := author.NewChecker(compiler, "")
		if err != nil {
			return nil, err
		}
		s.checker = &checker{c, compiler}
	}
	if u.dir != "" {
		return s.bundle(u.dir, at), nil
	}
	return s.alone(at.documents[u.file]), nil
}

// bundle checks a bundle, and the open cases of it.
func (s *Server) bundle(dir string, at snapshot) []finding {
	all := s.reviewed(s.checker.Bundle(at.files, dir))
	for _, d := range at.documents {
		if path.Base(path.Dir(d.path)) == bundle.CasesDir && cases.IsCaseFile(d.path) {
			all = append(all, s.caseFindings(d)...)
		}
	}
	return all
}

// caseFindings returns what is wrong with the cases of a document.
func (s *Server) caseFindings(d *document) []finding {
	_, err := cases.BundleReader(s.checker.compiler).Read(d.path, []byte(d.text))
	return located(d.path, err)
}

// reviewed returns the findings of a check, with those of the review and of the rules.
func (s *Server) reviewed(f *author.Findings) []finding {
	if s.Review != nil {
		f.Review(s.Review)
	}
	f.Lint(s.checker.Checker, nil)
	var all []finding
	for _, p := range f.Problems {
		all = append(all, finding{p, severityError})
	}
	for _, p := range f.Warnings {
		all = append(all, finding{p, severityWarning})
	}
	for _, err := range f.Errs {
		all = append(all, failed(err))
	}
	return all
}

// alone checks a document that is in no bundle.
func (s *Server) alone(d *document) []finding {
	switch d.language {
	case luaLanguage:
		return s.chunk(d)
	case celLanguage:
		return s.expression(d)
	}
	return s.objects(d)
}

// objects checks objects, or cases. A document of neither has no findings, but for what is no YAML.
func (s *Server) objects(d *document) []finding {
	nodes, err := yamldoc.Read(d.path, []byte(d.text))
	if err != nil {
		return located(d.path, err)
	}
	isObject := func(n yamldoc.Node) bool { return n.Get("apiVersion").Value != nil && n.Get("kind").Value != nil }
	if slices.ContainsFunc(nodes, isObject) {
		return s.reviewed(s.checker.Text(d.path, []byte(d.text)))
	}
	return s.caseFindings(d)
}

// metaFile begins a file that defines types for the Lua language server, and is no script.
const metaFile = "---@meta"

// word matches a name in a chunk.
var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// chunk compiles a script in Lua for the operations whose functions it names. One that names none,
// such as a module, has no findings but those of the syntax.
func (s *Server) chunk(d *document) []finding {
	if strings.HasPrefix(d.text, metaFile) {
		return nil
	}
	words := word.FindAllString(d.text, -1)
	var errs []error
	answers := false
	for _, op := range engine.Operations() {
		if !slices.Contains(words, op.Entry) {
			continue
		}
		answers = true
		_, err := s.checker.compiler.Lua(engine.Script{File: d.path, Text: d.text, Operation: op.Name, Strict: true})
		if err != nil && !isAbsent(err) {
			errs = append(errs, err)
		}
	}
	if !answers {
		return located(d.path, author.LuaSyntax(d.path, d.text))
	}
	return located(d.path, errors.Join(errs...))
}

// isAbsent reports whether an error says that a chunk does not define a function that it names.
func isAbsent(err error) bool {
	failure, ok := errors.AsType[*script.Error](err)
	return ok && failure.Rule == lint.WrongEntryName && !strings.HasSuffix(failure.Message, "remove the word local")
}

// expression compiles an expression for the operation that its file is named after, or for any.
func (s *Server) expression(d *document) []finding {
	name := strings.TrimSuffix(path.Base(d.path), path.Ext(d.path))
	candidates := engine.Operations()
	if i := slices.IndexFunc(candidates, func(op engine.Operation) bool { return op.File == name }); i >= 0 {
		candidates = candidates[i : i+1]
	}
	var first error
	for _, op := range candidates {
		_, err := s.checker.compiler.CEL(engine.Script{File: d.path, Text: d.text, Operation: op.Name, Strict: true})
		if err == nil {
			return nil
		}
		if first == nil || op.Name == engine.InterpretHealth {
			first = err
		}
	}
	return located(d.path, first)
}

// located returns what an error joins as findings. One without a place is at the beginning of a
// file.
func located(file string, err error) []finding {
	var all []finding
	for _, e := range author.Flatten(err) {
		p := author.Problem{File: file, Message: e.Error()}
		var place *yamldoc.Error
		var failure *script.Error
		switch {
		case errors.As(e, &place):
			p.File, p.Line, p.Message = place.File, place.Line, place.Message
		case errors.As(e, &failure):
			p.File, p.Line, p.Column, p.Rule, p.Message = failure.File, failure.Line, failure.Column, failure.Rule, failure.Message
		default:
			p.Message = fmt.Sprint(e)
		}
		all = append(all, finding{p, severityError})
	}
	return all
}
