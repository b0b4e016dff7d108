// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// TestSharedValuesAreNotWalkedForFree passes each function and each operator a value that
// would take forever to read to its depth.
func TestSharedValuesAreNotWalkedForFree(t *testing.T) {
	forms := []string{
		"$+$", "$-$", "$<$", "$==$", "$!=$", "$&&true", "$||true", "!$", "-$", "$?1:2", "$ in $", "$ in [$]", "1 in $",
		"$[$]", "$[0]", "$[?$]", "{'a':1}[$]", "{'a':1}[?$]", "$.x", "$.?x", "has($.x)", "{$:$}", "[$,$]", "{?'a':$}", "[?$]",
		"$.map(x,x)", "$.filter(x,x)", "$.all(x,x)", "$.exists_one(x,x)", "$.transformList(i,v,v)", "$.transformMap(i,v,v)",
		"$.transformMapEntry(i,v,{v:v})", "[$,$].transformMapEntry(i,v,{'a':v})", "[$,$].transformMapEntry(i,v,{v:v})",
		"$.sortBy(x,x)", "math.greatest($)", "$.optMap(x,x)", "$.or($)", "$.orValue($)", "type($)", "{'a':$}=={'a':$}",
		"optional.of($)==optional.of($)", "optional.unwrap([optional.of(1),$])", "'a'[$]", "[$]+[$]",
	}
	for name := range compiler(t).base.Functions() {
		if _, isOperator := operators.FindReverse(name); isOperator || strings.ContainsAny(name, "@!_") || name == "in" {
			continue
		}
		for _, args := range []string{"$", "$,$", "$,$,$", "$,'a'", "'a',$", "$,1", "'a',$,$"} {
			first, rest, _ := strings.Cut(args, ",")
			forms = append(forms, name+"("+args+")", first+"."+name+"("+rest+")")
		}
	}
	slices.Sort(forms)
	c := compiler(t)
	for _, form := range forms {
		for name, value := range sharedValues() {
			p, err := c.Compile("test.cel", strings.ReplaceAll(form, "$", name), dyn(name), script.Limits{})
			if err != nil {
				continue
			}
			_, err = p.Run(&script.Call{Names: []string{name}, Args: []any{value}}, &decoder{})
			if err != nil && err.(*script.Error).Code == script.Internal {
				t.Errorf("%s with %s: %v", form, name, err)
			}
		}
	}
}

// sharedValues are values of 2^60 parts that hold each part twice: plain, and as
// cel-go holds what an expression made.
func sharedValues() map[string]any {
	var plainList, plainMap any = int64(1), int64(1)
	var list, object ref.Val = types.Int(1), types.Int(1)
	for range 60 {
		plainList = []any{plainList, plainList}
		plainMap = map[string]any{"a": plainMap, "b": plainMap}
		list = types.NewRefValList(types.DefaultTypeAdapter, []ref.Val{list, list})
		object = types.NewRefValMap(types.DefaultTypeAdapter, map[ref.Val]ref.Val{types.String("a"): object, types.String("b"): object})
	}
	return map[string]any{"plainList": plainList, "plainMap": plainMap, "list": list, "map": object}
}

// TestCompilationIsBounded compiles what takes parsers and type checkers long.
func TestCompilationIsBounded(t *testing.T) {
	const most = 64 << 10
	fill := func(open, core, closing string) string {
		n := (most - len(core)) / (len(open) + len(closing))
		return strings.Repeat(open, n) + core + strings.Repeat(closing, n)
	}
	sources := map[string]string{
		"brackets": fill("(", "1", ")"), "lists": fill("[", "1", "]"), "maps": fill("{1:", "1", "}"), "signs": fill("-", "1", ""),
		"not": fill("!", "true", ""), "sum": fill("1+", "1", ""), "or": fill("true||", "true", ""), "choices": fill("true?1:", "1", ""),
		"path": fill("", "object", ".a"), "optional path": fill("", "object", ".?a"), "index": fill("", "object", "[0]"),
		"calls": fill("size(", "object", ")"), "methods": fill("", "object", ".size()"), "items": "[" + fill("1,", "1", "") + "]",
		"entries": "{" + fill("1:1,", "1:1", "") + "}", "unknown names": "[" + fill("zz,", "1", "") + "]",
		"lists of lists": strings.Repeat("[", 120) + "1" + strings.Repeat("]", 120),
		"maps of maps":   strings.Repeat("[1].map(x,", 60) + "x" + strings.Repeat(")", 60),
		"map of map":     "[1]" + strings.Repeat(".map(x,x)", 60),
		"optMap":         strings.Repeat("object.?a.optMap(x,", 60) + "x" + strings.Repeat(")", 60),
		"optMap chain":   "object.?a" + strings.Repeat(".optMap(x,x)", 60),
		"sortBy chain":   "[1]" + strings.Repeat(".sortBy(x,x)", 60),
		"bind lists":     attack.Nested(60, "[1]", "[$,$]", "$"),
		"bind maps":      attack.Nested(60, "{'a':1}", "{'a':$,'b':$}", "$"),
		"commas":         fill(",", "", ""), "quotes": fill("'''a", "", ""), "garbage": fill("@#$", "", ""), "open calls": fill("a(", "", ""),
		"long text": "'" + fill("a", "", "")[2:] + "'", "greatest": "math.greatest(" + fill("1,", "1", "")[20:] + ")",
	}
	c := compiler(t)
	for name, source := range sources {
		p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
		if err == nil {
			_, err = p.Run(&script.Call{Names: []string{"object"}, Args: []any{map[string]any{}}}, &decoder{})
		}
		if failed, ok := err.(*script.Error); err != nil && (!ok || failed.Code == script.Internal) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
