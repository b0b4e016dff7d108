// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

var (
	// textUnder matches a path in a text that a function of kube takes, up to the cursor.
	textUnder = regexp.MustCompile(`\bkube\.\w+\s*\(\s*(` + pathPattern + `)\s*,\s*["']([\w.]+)$`)
	pathUnder = regexp.MustCompile(`(` + pathPattern + `)$`)
)

// hover returns what the name under the cursor is; nil where nothing is known of it.
func (s *Server) hover(c cursor) *hover {
	at, from := c.onWord()
	name := c.text[from:at.offset]
	if name == "" {
		return nil
	}
	text := s.described(at, name)
	if text == "" {
		return nil
	}
	return &hover{Contents: plainText(text), Range: c.within(from, at.offset)}
}

// described returns a text about the name that ends at the cursor.
func (s *Server) described(c cursor, name string) string {
	before := c.before()
	language := c.script()
	switch {
	case language == otherLanguage:
		return s.describedKey(c, name)
	case kubeAhead.MatchString(before):
		return describedSymbol(symbols(language), name)
	case paramsAhead.MatchString(before):
		return describedParameter(c.manifest(), name)
	}
	entries := c.entries()
	if i := slices.IndexFunc(entries, func(e entry) bool { return e.name == name }); i >= 0 {
		return entryText(entries[i].op) + "\n\n" + entries[i].op.Doc
	}
	if m := textUnder.FindStringSubmatch(before); m != nil {
		return describedField(m[1]+"."+m[2], s.names(c))
	}
	if m := pathUnder.FindStringSubmatch(before); m != nil {
		return describedField(m[1], s.names(c))
	}
	return ""
}

func describedField(path string, known names) string {
	kind, doc := known.path(path).describe()
	if kind == "" {
		return ""
	}
	return strings.TrimSpace(path + ": " + kind + "\n\n" + doc)
}

func describedSymbol(all []reference.Symbol, name string) string {
	i := slices.IndexFunc(all, func(f reference.Symbol) bool { return f.Name == "kube."+name })
	if i < 0 {
		return ""
	}
	return all[i].Signature + "\n\n" + all[i].Doc
}

func describedParameter(m bundle.Manifest, name string) string {
	i := slices.IndexFunc(m.Parameters, func(p bundle.Parameter) bool { return p.Name == name })
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(parameterText(m.Parameters[i]) + "\n\n" + m.Parameters[i].Description)
}

// describedKey returns a text about a key of a manifest or a case, or about an operation.
func (s *Server) describedKey(c cursor, name string) string {
	known := s.keys(c)
	if known == nil {
		return ""
	}
	if op, err := engine.ParseOperation(name); err == nil && (string(op.Name) == name || op.File == name) {
		return string(op.Name) + ": " + entryText(op) + "\n\n" + op.Doc
	}
	m := keyAhead.FindStringSubmatch(c.before())
	if m == nil {
		return ""
	}
	for _, k := range below(known, c.above(len(m[1]))) {
		if k.Path == name && k.Doc != "" {
			return strings.TrimSuffix(name+": "+k.Type, ": ") + "\n\n" + k.Doc
		}
	}
	return ""
}
