// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/dragoman-io/dragoman/engine/internal/cel/check"
)

// TestParsesAndChecksLikeCel reads sources as this package does and as cel-go does: the
// trees, their types, overloads and places must be the same, and what one refuses the
// other must refuse.
func TestParsesAndChecksLikeCel(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	c := compiler(t, Function{Name: "echo", Max: 1, Call: func(args []any) (any, int64, error) { return args[0], 1, nil }})
	in, err := c.scope(dyn("object"))
	if err != nil {
		t.Fatal(err)
	}
	sources := oddSources()
	trees := 0
	for _, source := range sources {
		if likeCel(t, c, in, source) {
			trees++
		}
		if t.Failed() {
			return
		}
	}
	if trees < 1500 {
		t.Errorf("of %d sources %d have a tree: they prove little", len(sources), trees)
	}
}

// oddSources are expressions of the grammar, with faults in half of them, and tokens in
// any order.
func oddSources() []string {
	r := rand.New(rand.NewPCG(1, 2))
	sources := []string{"", " ", "// a", "1 // a", "[,]", "{,}", "[1,]", "{1:1,}", "f(1,)", "[,1]", "---1", "-9223372036854775808", "--9223372036854775808", "1.e", "!-1", "!!-1", "-!a", "-1u", ".a", ".a.b", ".f(1)", "`a`", "a.`b`()", "a.?b()", "a.?b.c[?1]"}
	for seed := range uint64(2000) {
		g := grammar{Rand: rand.New(rand.NewPCG(seed, 7))}
		source := g.expression('V', int(seed%5))
		sources = append(sources, source, mutated(r, source))
	}
	for range 10_000 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		sources = append(sources, b.String())
	}
	return sources
}

// fragments are pieces of sources.
var fragments = []string{
	"1", "-", "-", "!", "a", "object", ".", "?", ":", "[", "]", "(", ")", "{", "}", ",", "'x'", `"""a"b"""`, `r'\n'`, `b'\xff'`, "1.5", ".5", "1e3", "0x1F", "2u", "0xAu", "==", "in", "&&", "||", "+", "*", "<", "true", "null",
	" ", "\n", "// c\n", "if", ".map(", "x", `'\u00e4'`, "`a-b`", "has(", "size(", "[?", ".?", "optional.of(", "1.", "e", "br'a'", `R"b"`, "'''q'''", "''", ".all(", "-1", "--1", `\`, `'\101'`, "@", "'", `"""`,
}

// mutated leaves a byte out, puts a fragment in, or exchanges two bytes.
func mutated(r *rand.Rand, source string) string {
	at, other := r.IntN(len(source)), r.IntN(len(source))
	switch r.IntN(3) {
	case 0:
		return source[:at] + source[at+1:]
	case 1:
		return source[:at] + fragments[r.IntN(len(fragments))] + source[at:]
	}
	b := []byte(source)
	b[at], b[other] = b[other], b[at]
	return string(b)
}

// likeCel compares one source, and reports whether it has a tree.
func likeCel(t *testing.T, c *Compiler, in scope, source string) bool {
	t.Helper()
	wanted, issues := in.env.Parse(source)
	got, err := c.parser.Parse(source)
	if err != nil && strings.Contains(err.Error(), "a message cannot be made") {
		return false
	}
	if (issues.Err() == nil) != (err == nil) {
		t.Errorf("%q: Parse gave the error %v, cel-go %v", source, err, issues.Err())
	}
	if err != nil || issues.Err() != nil {
		return false
	}
	if got, want := dump(got), dump(wanted.NativeRep()); got != want {
		t.Errorf("%q is parsed as\n%s\nand by cel-go as\n%s", source, got, want)
		return false
	}
	checked, issues := in.env.Check(wanted)
	left := maxSteps
	typed, faults := check.Check(got, in.names, &left)
	for i := range faults {
		faults[i].Rule = "" // cel-go knows none
	}
	switch {
	case issues.Err() != nil:
		// Format strings are looked at later here.
		if want := messages(issues); typed != nil && !strings.Contains(want, "format") || typed == nil && fmt.Sprint(faults) != want {
			t.Errorf("%q: Check gave\n%v, cel-go\n%v", source, faults, want)
		}
	case typed == nil:
		t.Errorf("%q: Check gave the faults %v, cel-go none", source, faults)
	default:
		if got, want := dump(typed), dump(checked.NativeRep()); got != want {
			t.Errorf("%q is checked as\n%s\nand by cel-go as\n%s", source, got, want)
		}
	}
	return true
}

// messages returns the issues in the form of faults. cel-go names type variables, and has
// two messages for a field that is missing.
func messages(issues *cel.Issues) string {
	var faults []check.Fault
	for _, e := range issues.Errors() {
		m := strings.ReplaceAll(e.Message, " (in container '')", "")
		if i := strings.Index(m, "_var"); i >= 0 {
			m = m[:i] + "dyn" + strings.TrimLeft(m[i+4:], "0123456789")
		}
		if strings.HasPrefix(m, "unexpected failed resolution") {
			m = "undefined field 'b'"
		}
		faults = append(faults, check.Fault{Node: e.ExprID, Message: m})
	}
	return fmt.Sprint(faults)
}

// dump writes a tree with all that the plan and messages need.
func dump(tree *ast.AST) string {
	var b strings.Builder
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		at, _ := tree.SourceInfo().GetOffsetRange(e.ID())
		fmt.Fprintf(&b, "%d at %d: ", e.ID(), at.Start)
		if tree.IsChecked() {
			fmt.Fprintf(&b, "%v ", tree.GetType(e.ID()))
			if r := tree.ReferenceMap()[e.ID()]; r != nil {
				fmt.Fprintf(&b, "%s %v %v ", r.Name, r.OverloadIDs, r.Value)
			}
		}
		b.WriteString(line(e) + "\n")
	}))
	return b.String()
}

// line writes one node.
func line(e ast.Expr) string {
	switch e.Kind() {
	case ast.LiteralKind:
		return fmt.Sprintf("literal %T %q", e.AsLiteral(), fmt.Sprint(e.AsLiteral()))
	case ast.IdentKind:
		return "name " + e.AsIdent()
	case ast.SelectKind:
		return fmt.Sprint("field ", e.AsSelect().FieldName(), e.AsSelect().IsTestOnly(), e.AsSelect().Operand().ID())
	case ast.CallKind:
		c := e.AsCall()
		return fmt.Sprint("call ", c.FunctionName(), c.IsMemberFunction(), c.Target().ID(), ids(c.Args()))
	case ast.ListKind:
		return fmt.Sprint("list ", ids(e.AsList().Elements()), slices.Clone(e.AsList().OptionalIndices()))
	case ast.MapKind:
		s := "map"
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			s += fmt.Sprint(" ", entry.ID(), m.Key().ID(), m.Value().ID(), m.IsOptional())
		}
		return s
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		return fmt.Sprint("loop ", c.IterVar(), c.IterVar2(), c.AccuVar(), ids([]ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}))
	}
	return "unknown"
}

func ids(all []ast.Expr) []int64 {
	found := make([]int64, len(all))
	for i, e := range all {
		found[i] = e.ID()
	}
	return found
}
