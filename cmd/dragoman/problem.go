// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// printProblem shows an error. Of the error of a script it also shows the line, the
// expression, and the calls under way.
func printProblem(w io.Writer, indent string, err error) {
	if err.Error() == "" {
		return
	}
	fmt.Fprintf(w, "%serror: %s\n", indent, indented(indent, err.Error()))
	var failure *script.Error
	if !errors.As(err, &failure) {
		return
	}
	if failure.Snippet != "" {
		fmt.Fprintf(w, "%s  %s\n", indent, indented(indent+"  ", failure.Snippet))
	}
	fmt.Fprintf(w, "%scode: %s\n", indent, failure.Code)
	if failure.Expression != "" {
		fmt.Fprintf(w, "%sexpression: %s\n", indent, failure.Expression)
	}
	if trace := strings.TrimSuffix(failure.Backtrace(), "\n"); trace != "" {
		fmt.Fprintf(w, "%scalls, innermost first:\n%s%s\n", indent, indent, indented(indent, trace))
	}
}

// indented puts indent before each line but the first.
func indented(indent, text string) string {
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent)
}
