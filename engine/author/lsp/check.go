// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
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
		return s.home(u.dir, at), nil
	}
	return s.alone(at.documents[u.file], at.files), nil
}

// home checks a home, and the open files of it that are no part of what makes it one.
func (s *Server) home(dir string, at snapshot) []finding {
	h := at.files.HomeAt(dir)
	if h == nil {
		return nil // it was one when the check was asked for
	}
	all := s.reviewed(s.checker.Home(at.files, h))
	for _, d := range at.documents {
		switch kind := at.files.Look(d.path).Kind; {
		case kind == source.Cases:
			all = append(all, s.inHome(d, at.files, h)...)
		case kind == source.Script && h.Kind != source.Manifest:
			all = append(all, s.alone(d, at.files)...)
			if source.AnswersOperation(d.path) {
				all = append(all, located(d.path, at.files.Stray(d.path))...)
			}
		}
	}
	return all
}

// inHome checks the cases of a document, or its objects where they are none of a bundle.
func (s *Server) inHome(d *document, files *source.Tree, h *source.Home) []finding {
	f := source.Read(d.path, []byte(d.text))
	if !f.HoldsObjects(h) {
		found := s.checker.Cases(files, d.path)
		if found.Checked > 0 || len(found.Problems) > 0 || h.Kind == source.Manifest || !f.HoldsObjects(nil) {
			return s.reviewed(found)
		}
	}
	if h.Kind == source.Manifest {
		return nil
	}
	return s.reviewed(s.checker.Text(d.path, []byte(d.text)))
}

// caseFindings returns what is wrong with the cases of a document, by the rules of its home.
func (s *Server) caseFindings(d *document, files *source.Tree) []finding {
	if !hasFile(d.path) {
		files = source.New(noFiles{}).With(map[string]string{d.path: d.text})
	}
	return s.reviewed(s.checker.Cases(files, d.path))
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
func (s *Server) alone(d *document, files *source.Tree) []finding {
	switch d.language {
	case luaLanguage:
		return s.chunk(d)
	case celLanguage:
		return s.expression(d)
	}
	return s.objects(d, files)
}

// objects checks objects, or cases. A document of neither has no findings, but for what is no YAML.
func (s *Server) objects(d *document, files *source.Tree) []finding {
	if source.Read(d.path, []byte(d.text)).HoldsObjects(nil) {
		return s.reviewed(s.checker.Text(d.path, []byte(d.text)))
	}
	return s.caseFindings(d, files)
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
		return located(d.path, reference.LuaSyntax(d.path, d.text))
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
	for _, e := range source.Flatten(err) {
		p, placed := source.ProblemOf(e)
		if !placed {
			p.File = file
		}
		all = append(all, finding{p, severityError})
	}
	return all
}
