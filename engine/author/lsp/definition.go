// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var (
	// moduleForm matches the name of a module, with a function of it in a manifest.
	moduleForm = regexp.MustCompile(`\blib\.(` + namePattern + `)(?:\.(` + namePattern + `))?`)
	// requiredForm matches a variable that has a module.
	requiredForm = regexp.MustCompile(`\blocal\s+(` + namePattern + `)\s*=\s*require\s*\(?\s*["']lib\.(` + namePattern + `)["']`)
	calledForm   = regexp.MustCompile(`(` + namePattern + `)\.(` + namePattern + `)$`)
)

// definition returns where a module, or a function of one, is defined; nil where the cursor is on
// neither.
func (s *Server) definition(c cursor) *location {
	if c.unit.bundleDir() == "" {
		return nil
	}
	line := c.text[c.start:c.end]
	for _, m := range moduleForm.FindAllStringSubmatchIndex(line, -1) {
		if at := c.offset - c.start; at < m[0] || at > m[1] {
			continue
		}
		function := ""
		if m[4] >= 0 {
			function = line[m[4]:m[5]]
		}
		return c.inModule(line[m[2]:m[3]], function)
	}
	at, _ := c.onWord()
	called := calledForm.FindStringSubmatch(at.before())
	if called == nil {
		return nil
	}
	for _, m := range requiredForm.FindAllStringSubmatch(c.text, -1) {
		if m[1] == called[1] {
			return c.inModule(m[2], called[2])
		}
	}
	return nil
}

// inModule returns where a module defines a function, or its beginning where it is not seen.
func (c cursor) inModule(module, function string) *location {
	file := path.Join(c.unit.bundleDir(), "lib", module+".lua")
	data, err := fs.ReadFile(c.files, file)
	if err != nil {
		return nil
	}
	found := location{URI: uriOf(file)}
	if function == "" {
		return &found
	}
	name := regexp.QuoteMeta(function)
	form := regexp.MustCompile(`\bfunction\s+(?:` + namePattern + `[.:])?(` + name + `)\b|(?m)(?:^|[.{,\s])(` + name + `)\s*=[^=]`)
	if m := form.FindStringSubmatchIndex(string(data)); m != nil {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		text := strings.ToValidUTF8(string(data), "?")
		found.Range = textRange{positionAt(text, from), positionAt(text, to)}
	}
	return &found
}
