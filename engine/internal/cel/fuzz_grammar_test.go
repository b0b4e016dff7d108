// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// grammar writes expressions on object that compile more often than not: every operator,
// macro and result, with operands whose type is known only in the run.
type grammar struct {
	*rand.Rand
	// names are the variables of the loops around.
	names []string
}

// productions are the rules. In one V stands for an expression, L for a list, M for a
// map, T for a text, B for a condition, X for the name of a new variable, and Y for an
// expression that sees it, where no letter stands beside them.
var productions = map[byte][]string{
	'V': {
		"V", "L", "M", "T", "B", "V + V", "V - V", "V * V", "V / V", "V % V", "-V", "B ? V : V", "L[V]", "M[T]", "M[?T].orValue(V)", "object.?status.?replicas",
		"int(V)", "double(V)", "uint(V)", "size(V)", "dyn(V)", "type(V)", "optional.of(V)", "optional.none()", "object.?spec.?none.optMap(X, Y)", "cel.bind(X, V, Y)",
		"quantity(T)", "now", "timestamp(object.status.since)", "duration(\"1h\")", "bytes(T)", "math.greatest(V, V)", "math.least(L)", "L.sum()", "L.min()", "L.first()", "M.a.b", "object.spec[T]",
	},
	'L': {
		"[V, V]", "[?object.?spec.?items, V]", "object.spec.items", "L + L", "L.map(X, Y)", "L.filter(X, Y)", "M.map(X, Y)", "L.transformList(X, Y)", "M.transformList(i, X, Y)", "lists.range(5)", "L.distinct()",
		"L.sort()", "L.sortBy(X, Y)", "L.reverse()", "L.flatten()", "L.slice(0, 1)", "T.split(T)", "object.status.conditions", "[]",
	},
	'M': {
		"{T: V}", "{?T: object.?spec}", "object.spec", "object.metadata.labels", "object", "{}", "M.transformMap(i, X, Y)", "L.transformMapEntry(i, X, {string(i): Y})", "kube.echo(M)", "{\"a\": V, \"b\": M}",
	},
	'T': {
		"\"a\"", "\"\"", "string(V)", "T + T", "object.metadata.name", "T.replace(T, T)", "T.upperAscii()", "\"%s\".format([V])", "L.join(T)", "T.substring(1)", "T.charAt(0)", "T.trim()", "\"replicas\"",
	},
	'B': {
		"true", "V == V", "V != V", "V < V", "V >= V", "!B", "B && B", "B || B", "V in L", "T in M", "has(object.spec.items)", "L.exists(X, Y)", "L.all(X, Y)", "L.exists_one(X, Y)", "M.all(i, X, Y)", "T.contains(T)", "T.matches(T)",
		"isQuantity(T)", "sets.contains(L, L)", "object.?spec.hasValue()",
	},
}

// terminals are the rules when the expression is deep enough.
var terminals = map[byte][]string{
	'V': {"1", "-3", "2.5", "7u", "null", "object.spec.replicas", "object.spec.none", "object.spec.ratio", "9223372036854775807"},
	'L': {"[1, 2]", "object.spec.items", "[]"}, 'M': {"{}", "object.spec", "{\"a\": 1}"}, 'T': {"\"a\"", "object.metadata.name", "object.spec.cpu"}, 'B': {"true", "false", "object.spec.replicas > 1"},
}

// expression writes an expression of a kind.
func (g *grammar) expression(kind byte, depth int) string {
	if kind == 'V' && len(g.names) > 0 && g.IntN(3) == 0 {
		return g.names[g.IntN(len(g.names))]
	}
	list := productions[kind]
	if depth == 0 {
		list = terminals[kind]
	}
	production := list[g.IntN(len(list))]
	fresh := fmt.Sprintf("x%d", len(g.names))
	var b strings.Builder
	for i := range len(production) {
		c := production[i]
		switch {
		case isLetter(production, i-1) || isLetter(production, i+1):
			b.WriteByte(c)
		case strings.IndexByte("VLMTB", c) >= 0:
			b.WriteString("(" + g.expression(c, max(depth-1, 0)) + ")")
		case c == 'X':
			b.WriteString(fresh)
		case c == 'Y':
			g.names = append(g.names, fresh)
			b.WriteString("(" + g.expression("VB"[g.IntN(2)], max(depth-1, 0)) + ")")
			g.names = g.names[:len(g.names)-1]
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isLetter reports whether there is a letter at place i.
func isLetter(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i]|0x20) >= 'a' && (s[i]|0x20) <= 'z'
}

// FuzzGrammar runs expressions of the grammar; what is fuzzed is its randomness.
func FuzzGrammar(f *testing.F) {
	for i := range uint64(20) {
		f.Add(i, i, uint8(i))
	}
	c := compiler(f, Function{Name: "echo", Max: 1, Call: func(args []any) (any, int64, error) { return args[0], 1, nil }})
	limits := script.Limits{Gas: 20_000, Memory: 1 << 20, String: 1 << 16}
	f.Fuzz(func(t *testing.T, seed, stream uint64, depth uint8) {
		g := grammar{Rand: rand.New(rand.NewPCG(seed, stream))}
		source := g.expression('V', int(depth%5))
		p, err := c.Compile("fuzz.cel", source, dyn("object"), limits)
		if err != nil {
			if failed := err.(*script.Error); failed.Code != script.Syntax {
				t.Fatalf("%s\nCompile returned an error of code %s: %v", source, failed.Code, failed)
			}
			return
		}
		object := plain(t, deployment)
		call := &script.Call{Names: []string{"object"}, Args: []any{object}, Now: noon, Limits: limits}
		first, second := runCall(t, p, call), runCall(t, p, call)
		if first.err != nil && first.err.Code == script.Internal {
			t.Fatalf("%s\ninternal error: %v", source, first.err)
		}
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Fatalf("%s\ntwo runs differ:\n%s", source, diff)
		}
		if diff := cmp.Diff(plain(t, deployment), object); diff != "" {
			t.Fatalf("%s\nthe run changed its input:\n%s", source, diff)
		}
		if _, err := json.Marshal(first.value); err != nil {
			t.Fatalf("%s\nthe result does not encode: %v", source, err)
		}
	})
}

// TestGrammarCompiles shows that the grammar writes expressions that run.
func TestGrammarCompiles(t *testing.T) {
	c := compiler(t, Function{Name: "echo", Max: 1, Call: func(args []any) (any, int64, error) { return args[0], 1, nil }})
	ran, answered := 0, 0
	for seed := range uint64(1000) {
		g := grammar{Rand: rand.New(rand.NewPCG(seed, 7))}
		p, err := c.Compile("test.cel", g.expression('V', 3), dyn("object"), script.Limits{})
		if err != nil {
			continue
		}
		ran++
		if runOn(t, p, plain(t, deployment)).err == nil {
			answered++
		}
	}
	t.Logf("of 1000 expressions %d compile and %d return a result", ran, answered)
	if ran < 400 || answered < 150 {
		t.Errorf("of 1000 expressions %d compile and %d return a result: they prove little", ran, answered)
	}
}
