// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/script"
)

// noEntry returns the error of a program that lacks the function entry, nil where it has
// it. It calls the function: an error that has no line came before the call.
func noEntry(program script.Program, u Script, op *Operation, entry string) *script.Error {
	call := &script.Call{Entry: entry, Args: make([]any, len(op.Params)), Params: u.Params, Limits: u.Limits}
	_, err := program.Run(call, decoderFunc(ignoreResults))
	var failure *script.Error
	if !errors.As(err, &failure) || failure.Line > 0 || len(failure.Trace) > 0 || failure.Code != script.Type {
		return nil
	}
	return failure
}

// defined finds the functions that a chunk defines by name.
var defined = regexp.MustCompile(`(?m)^[ \t]*(local[ \t]+)?function[ \t]+([A-Za-z_][\w.:]*)|^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*function\b`)

// missingEntry returns the error of a chunk that lacks the function of its operation, at
// the line of the one that was probably meant for it.
func missingEntry(u Script, entry string) error {
	source := u.Text
	e := script.Errorf(script.Syntax, "the script does not define the function %s", entry)
	e.File, e.Line, e.Rule = u.File, 1, lint.WrongEntryName
	var names []string
	lines := map[string]int{}
	for _, m := range defined.FindAllStringSubmatchIndex(source, -1) {
		at := m[4]
		if at < 0 {
			at = m[6]
		}
		name := source[at:max(m[5], m[7])]
		if m[2] >= 0 && name == entry {
			e.Line = 1 + strings.Count(source[:at], "\n")
			e.Message = fmt.Sprintf("the function %s is local; remove the word local", entry)
			return e
		}
		names = append(names, name)
		lines[name] = 1 + strings.Count(source[:at], "\n")
	}
	switch near := script.Nearest(entry, names); {
	case near != "":
		e.Line = lines[near]
		e.Message += fmt.Sprintf("; is %s meant for it?", near)
	case len(names) > 0:
		e.Line = lines[names[0]]
		e.Message += "; it defines " + script.List(names)
	}
	return e
}
