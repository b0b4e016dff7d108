// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// operations are forms of operators, macros and literals, each as short as it can be.
var operations = []string{
	"[]", "{}", "[1]", "{1:1}", "[[]]", "[[],[]]", "{[]:[]}", "[]+[]", "[1]+[1]", "1+1", "1-1", "1*1", "1/1", "1%1", "-1", "- 1", "--1", "-a", "!a", "!!a", "-1.0", "-1.a",
	"1==1", "[]==[]", "a==a", "a!=a", "a<a", "1<1", "1<=1u", "a>=1.0", "1 in a", "a in []", "a in {}", "a&&a", "a||a", "true?1:2", "a?[]:{}", "a?[]:[]", "a?a:a",
	"a[0]", "a[a]", "[][0]", "{}[0]", "[[]][0]", "a[?0]", "[][?0]", "{}[?0]", "a['a']", `a["a"]`, "a.a", "a.?a", "{}.a", "{}.?a", "optional.none().a", "optional.none()[0]", "[?a]", "{?1:a}", "[?optional.none()]",
	"has(a.a)", "has({}.a)", "a.all(x,x)", "a.exists(x,x)", "a.exists_one(x,x)", "a.map(x,x)", "a.map(x,x,x)", "a.filter(x,x)", "[].all(x,true)", "[].map(x,x)", "[].map(x,[])", "[].filter(x,true)",
	"[[]].map(x,x[0])", "a.all(x,y,x)", "a.exists(x,y,x)", "a.existsOne(x,y,x)", "a.transformList(x,y,x)", "a.transformList(x,y,x,y)", "a.transformMap(x,y,x)", "a.transformMap(x,y,x,y)", "a.transformMapEntry(x,y,{x:y})", "{}.transformMap(x,y,[])",
	"[].transformList(x,y,y)", "a.sortBy(x,x)", "[].sortBy(x,x)", "[[]].sortBy(x,x)", "cel.bind(x,1,x)", "cel.bind(x,[],x)", "cel.bind(x,{},x)", "cel.bind(x,[],x==x)", "a.optMap(x,x)", "optional.none().optMap(x,x)", "optional.none().optFlatMap(x,x)", "optional.of([]).optMap(x,x)",
	"math.greatest(1,1)", "math.greatest([])", "math.least(a,a,a)", "'a'", "b'a'", "1.0", "1u", "null", "true", "a", "(1)", "((((((((1))))))))", "'%s'.format([1])", "'%s%d%f'.format([a,a,a])", "int", "type(int)", "google.protobuf.Timestamp",
	"'a'.matches('a')", "'a'.matches(a)", "a.find('[a-z]')", "timestamp('2020-01-01T00:00:00Z')", "duration('1s')", "int('1')", "string(1)", "bytes('a')", "double('1')", "a in ['a','b']", "1 in [1,2,3]",
}

// callForms returns calls of each overload of each function of an environment.
func callForms(c *Compiler) []string {
	var all []string
	for name, f := range c.base.Functions() {
		if _, isOperator := operators.FindReverse(name); isOperator || strings.ContainsAny(name, "@!_") || name == "in" {
			continue
		}
		for _, o := range f.OverloadDecls() {
			args := make([]string, 0, len(o.ArgTypes()))
			for _, t := range o.ArgTypes() {
				args = append(args, example(t))
			}
			if o.IsMemberFunction() {
				all = append(all, fmt.Sprintf("%s.%s(%s)", args[0], name, strings.Join(args[1:], ",")))
			} else {
				all = append(all, fmt.Sprintf("%s(%s)", name, strings.Join(args, ",")))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// example returns a short expression of a type.
func example(t *types.Type) string {
	switch t.Kind() {
	case types.BoolKind:
		return "true"
	case types.BytesKind:
		return "b'a'"
	case types.DoubleKind:
		return "1.0"
	case types.DurationKind:
		return "duration('1s')"
	case types.IntKind:
		return "1"
	case types.ListKind:
		if k := t.Parameters()[0].Kind(); k != types.DynKind && k != types.TypeParamKind {
			return "[" + example(t.Parameters()[0]) + "]"
		}
		return "[]"
	case types.MapKind:
		return "{}"
	case types.NullTypeKind:
		return "null"
	case types.OpaqueKind:
		return "optional.none()"
	case types.StringKind:
		return "'a'"
	case types.TimestampKind:
		return "now"
	case types.TypeKind:
		return "int"
	case types.UintKind:
		return "1u"
	}
	return "a"
}

// arrangements are ways to repeat a form until a source is of a size.
var arrangements = map[string]func(form string, size int) string{
	"list":  func(form string, size int) string { return "[" + repeat(form+",", size) + "1]" },
	"map":   func(form string, size int) string { return "{" + repeat("1:"+form+",", size) + "1:1}" },
	"keys":  func(form string, size int) string { return "{" + repeat(form+":1,", size) + "1:1}" },
	"or":    func(form string, size int) string { return repeat("dyn("+form+")||", size) + "true" },
	"equal": func(form string, size int) string { return "[" + repeat(form+"=="+form+",", size) + "1]" },
	"joined": func(form string, size int) string {
		return "[" + repeat(strings.Repeat(form+"+", 100)+form+",", size) + "1]"
	},
	"in lists": func(form string, size int) string { return "[" + repeat(wrap("[", form, "]"), size) + "1]" },
	"in maps":  func(form string, size int) string { return "[" + repeat(wrap("{1:", form, "}"), size) + "1]" },
	"in dyn":   func(form string, size int) string { return "[" + repeat(wrap("dyn(", form, ")"), size) + "1]" },
	"in loops": func(form string, size int) string { return "[" + repeat(wrap("[1].map(y,", form, ")"), size) + "1]" },
	"in binds": func(form string, size int) string {
		return "[" + repeat(wrap("cel.bind(y,"+form+",", "y", ")"), size) + "1]"
	},
	"choices": func(form string, size int) string { return "[" + repeat(wrap("a?"+form+":", form, ""), size) + "1]" },
	"deep":    func(form string, size int) string { return wrapped("[", "["+repeat(form+",", size)+"1]", "]") },
	"chain":   chain,
}

// chain repeats what is behind the first operand of a form.
func chain(form string, size int) string {
	at := strings.IndexAny(form, ".[+-*/%=!<>&|?")
	if at < 1 {
		return "[" + repeat(form+",", size) + "1]"
	}
	return "[" + repeat(form[:at]+strings.Repeat(form[at:], 50)+",", size) + "1]"
}

// wrap nests a form sixty times, and adds a comma.
func wrap(open, form, closing string) string { return wrapped(open, form, closing) + "," }

func wrapped(open, form, closing string) string {
	return strings.Repeat(open, 60) + form + strings.Repeat(closing, 60)
}

// repeat repeats a text, once at least.
func repeat(s string, size int) string { return strings.Repeat(s, max(1, size/len(s))) }
