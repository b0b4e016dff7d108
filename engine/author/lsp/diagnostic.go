// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
)

// origin is what diagnostics are said to come from.
const origin = "dragoman"

// finding is what a check found.
type finding struct {
	source.Problem
	severity int
}

// failed returns the finding of what kept a check from being made.
func failed(err error) finding {
	return finding{source.Problem{Message: err.Error()}, severityError}
}

// main returns the file that stands for a unit.
func (u unit) main() string {
	switch {
	case u.dir == "":
		return u.file
	case u.kind == source.Customizations:
		return path.Join(u.dir, source.CustomizationsFile)
	case u.kind == source.PlacementRules:
		return path.Join(u.dir, source.PlacementRulesFile)
	}
	return path.Join(u.dir, bundle.ManifestFile)
}

// marked returns findings as diagnostics by the path of their file. Those without a file, or about a
// folder, are at the main file of the unit.
func marked(u unit, at snapshot, found []finding) map[string][]diagnostic {
	files := map[string][]diagnostic{}
	lines := map[string][]string{}
	for _, f := range found {
		name := f.File
		if info, err := fs.Stat(at.files, name); (err != nil || info.IsDir()) && at.documents[name] == nil {
			f.Message = strings.TrimPrefix(name+": ", ": ") + f.Message
			name, f.Line, f.Column = u.main(), 0, 0
		}
		if lines[name] == nil {
			data, _ := fs.ReadFile(at.files, name) // what cannot be read has no text to mark
			lines[name] = strings.Split(string(data), "\n")
		}
		files[name] = append(files[name], f.diagnostic(lines[name]))
	}
	for name, all := range files {
		slices.SortStableFunc(all, func(a, b diagnostic) int {
			return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
		})
		files[name] = slices.CompactFunc(all, func(a, b diagnostic) bool { return a == b })
	}
	return files
}

// diagnostic returns a finding as one in a file of some lines.
func (f finding) diagnostic(lines []string) diagnostic {
	line := min(max(f.Line, 1), len(lines)) - 1
	start, end := diag.Span(lines[line], f.Column, "")
	message := f.Text()
	if f.Rule != "" {
		message += fmt.Sprintf("\n(dragoman docs lint %s)", f.Rule)
	}
	return diagnostic{
		Range:    textRange{position{line, start}, position{line, end}},
		Severity: f.severity, Code: f.Rule, Source: origin, Message: message,
	}
}

// publish sends the diagnostics of a unit: of its open documents, of files with any, and of those
// that had some and have none any more. The mutex is held, so that they come in the order of the
// checks.
func (s *Server) publish(u unit, at snapshot, files map[string][]diagnostic) {
	names := map[string]bool{}
	for name := range files {
		names[name] = true
	}
	for name := range at.documents {
		names[name] = true
	}
	for name, owner := range s.work.owners {
		if owner == u {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p := diagnosticParams{URI: uriOf(name), Diagnostics: files[name]}
		if d := at.documents[name]; d != nil {
			p.URI, p.Version = d.uri, d.version
		}
		if p.Diagnostics == nil {
			p.Diagnostics = []diagnostic{}
		}
		if owner, has := s.work.owners[name]; has && owner != u && len(p.Diagnostics) == 0 {
			continue // another unit has it now
		}
		s.send("textDocument/publishDiagnostics", p)
		s.work.owners[name] = u
		if len(p.Diagnostics) == 0 {
			delete(s.work.owners, name)
		}
	}
}
