// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"regexp"
	"slices"
	"strings"
)

// The forms in which scripts bind names. A script that is half typed is read line by line.
const (
	namePattern = `[A-Za-z_]\w*`
	pathPattern = namePattern + `(?:\s*\.\s*` + namePattern + `|\[[^\[\]]*\])*`
)

var (
	functionForm = regexp.MustCompile(`\bfunction\s+(?:` + namePattern + `[.:])?(` + namePattern + `)\s*\(([^)]*)\)`)
	assignedForm = regexp.MustCompile(`(` + namePattern + `)\s*=\s*function\s*\(([^)]*)\)`)
	localForm    = regexp.MustCompile(`\blocal\s+(` + namePattern + `)\s*=\s*(.+)$`)
	loopForm     = regexp.MustCompile(`\bfor\s+` + namePattern + `\s*,\s*(` + namePattern + `)\s+in\s+i?pairs\s*\(\s*(.+)$`)
	macroForm    = regexp.MustCompile(`(` + pathPattern + `)\s*\.\s*(?:all|exists|exists_one|filter|map)\s*\(\s*(` + namePattern + `)\s*,`)
	getForm      = regexp.MustCompile(`^\s*kube\.get\s*\(\s*(` + pathPattern + `)\s*,\s*["']([\w.]*)["']`)
	pathForm     = regexp.MustCompile(`^\s*(` + pathPattern + `)`)
	stepForm     = regexp.MustCompile(namePattern + `|\[[^\[\]]*\]`)
)

// names are what is known of the names at a cursor.
type names map[string]value

// names reads the text up to the cursor: the parameters of the function that it is in, and what
// locals and loops make of them.
func (s *Server) names(c cursor) names {
	schemas := s.schemas.of(c.files, c.unit.bundleDir())
	entries := c.entries()
	known := names{}
	if c.script() == celLanguage {
		for _, e := range entries {
			known.bind(e, e.op.ParamNames(), objectValue(schemas, e.kinds))
		}
		for _, m := range macroForm.FindAllStringSubmatch(c.text[:c.offset], -1) {
			known[m[2]] = known.path(m[1]).element()
		}
		return known
	}
	for line := range strings.Lines(c.text[:c.offset]) {
		line, _, _ = strings.Cut(line, "--")
		line = strings.TrimRight(line, "\r\n")
		form := functionForm.FindStringSubmatch(line)
		if form == nil {
			form = assignedForm.FindStringSubmatch(line)
		}
		if form != nil {
			params := strings.FieldsFunc(form[2], func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
			if i := slices.IndexFunc(entries, func(e entry) bool { return e.name == form[1] }); i >= 0 {
				known.bind(entries[i], params, objectValue(schemas, entries[i].kinds))
			} else {
				known.forget(params)
			}
		}
		if m := localForm.FindStringSubmatch(line); m != nil {
			known[m[1]] = known.expression(m[2])
		}
		if m := loopForm.FindStringSubmatch(line); m != nil {
			known[m[1]] = known.expression(m[2]).element()
		}
	}
	return known
}

// bind binds the parameters of an entry.
func (n names) bind(e entry, params []string, object value) {
	for i, name := range params {
		if i < len(e.op.Params) {
			n[name] = paramValue(e.op.Params[i], object)
		}
	}
}

// forget removes names that mean something else.
func (n names) forget(all []string) {
	for _, name := range all {
		delete(n, name)
	}
}

// expression returns what is known of an expression that begins a text: a path, or a call of
// kube.get.
func (n names) expression(text string) value {
	if m := getForm.FindStringSubmatch(text); m != nil {
		return n.path(m[1] + "." + m[2])
	}
	if m := pathForm.FindStringSubmatch(text); m != nil && !strings.HasPrefix(strings.TrimSpace(text[len(m[0]):]), "(") {
		return n.path(m[1])
	}
	return nil
}

// path returns what is known of a path such as object.status.conditions[1].
func (n names) path(text string) value {
	steps := stepForm.FindAllString(text, -1)
	if len(steps) == 0 {
		return nil
	}
	v := n[steps[0]]
	for _, step := range steps[1:] {
		key, isIndex := strings.CutPrefix(step, "[")
		key = strings.TrimSuffix(key, "]")
		switch name := strings.Trim(key, `"'`); {
		case !isIndex:
			v = v.field(step)
		case name != key:
			v = v.field(name)
		default:
			v = v.element()
		}
	}
	return v
}
