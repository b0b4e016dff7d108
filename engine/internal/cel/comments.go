// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/cel/parse"
	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// Comments returns the comments of an expression, in order.
func Comments(source string) []lint.Comment {
	var all []lint.Comment
	parse.Comments(source, func(at int, text string) {
		before := source[:at]
		all = append(all, lint.Comment{Line: 1 + strings.Count(before, "\n"), Column: at - strings.LastIndex(before, "\n"), Text: text})
	})
	return all
}
