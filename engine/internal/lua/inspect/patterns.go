// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// patterns finds patterns that try the same text in many ways: two items in a row that repeat
// the same class without bound, or three that repeat any character. Their gas grows with the
// square of the length, or faster.
func patterns(f *file) {
	lua.WalkExpressions(f.Statements, func(e ast.Expr) {
		call, ok := e.(*ast.FuncCallExpr)
		if !ok {
			return
		}
		at, plain := 1, false
		name := f.function(call)
		if call.Func == nil {
			name, at = "string."+call.Method, 0
		}
		if name == "string.find" && len(call.Args) > at+2 {
			_, off := call.Args[at+2].(*ast.FalseExpr)
			plain = !off
		}
		if !slices.Contains([]string{"string.find", "string.match", "string.gmatch", "string.gsub"}, name) || len(call.Args) <= at || plain {
			return
		}
		pattern, ok := call.Args[at].(*ast.StringExpr)
		if !ok {
			return
		}
		if part := backtracks(pattern.Value); part != "" {
			f.report(lint.BacktrackingPattern, f.Of(pattern), "%q in the pattern can divide the same text in many ways, and tries all of them where nothing matches", part)
		}
	})
}

// repeated is an item of a pattern that repeats without bound, and where it stands in it.
type repeated struct {
	class      string
	start, end int
}

// backtracks returns the part of a pattern that can match the same text in many ways, or "".
func backtracks(pattern string) string {
	var all []repeated
	wild := 0
	for at := 0; at < len(pattern); {
		item := itemAt(pattern, at)
		end := at + len(item)
		if end < len(pattern) && item != "(" && item != ")" && strings.IndexByte("*+-", pattern[end]) >= 0 {
			this := repeated{item, at, end + 1}
			if n := len(all); n > 0 && all[n-1].class == item && onlyCaptures(pattern[all[n-1].end:at]) {
				return pattern[all[n-1].start:this.end]
			}
			if item == "." {
				wild++
			}
			all = append(all, this)
			end++
		}
		at = end
	}
	if wild >= 3 {
		return pattern
	}
	return ""
}

// onlyCaptures reports whether what stands between two items matches nothing by itself.
func onlyCaptures(between string) bool { return strings.Trim(between, "()") == "" }

// itemAt returns the single character, class or set of a pattern at an index.
func itemAt(pattern string, at int) string {
	rest := pattern[at:]
	switch {
	case rest[0] == '%' && len(rest) > 1:
		return rest[:2]
	case rest[0] == '[':
		end := 1
		if strings.HasPrefix(rest, "[^") {
			end = 2
		}
		for first := true; end < len(rest); first = false {
			if rest[end] == ']' && !first {
				return rest[:end+1]
			}
			if rest[end] == '%' {
				end++
			}
			end++
		}
		return rest
	}
	return rest[:1]
}
