// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// sourceSizes are the sizes of the sources that are filled with one form, in bytes.
var sourceSizes = []int{2_000, 8_000, 18_000, 65_000}

// checkedForms are expressions of one form, again and again, that take the type checker of
// CEL long: each makes type variables, or assigns them.
func checkedForms() []Question {
	forms := []text{
		{"lists added", "[]+[]"},
		{"lists", "[]"},
		{"maps", "{}"},
		{"indexes", "[1][0]"},
		{"indexes of dyn", "object[0]"},
		{"equalities", "1==1"},
		{"equal lists", "[]==[]"},
		{"choices", "true?1:2"},
		{"choices of lists", "true?[]:[]"},
		{"no optionals", "optional.none()"},
		{"optionals", "optional.of([])"},
		{"sortBy", "[1].sortBy(x,x)"},
		{"fields", "object.a"},
		{"fields by keys", `object["a"]`},
		{"optional fields", "object.?a"},
		{"optional keys", `object[?"a"]`},
		{"orValue", "object.?a.orValue([])"},
		{"map", "[].map(x,x)"},
		{"map of lists", "[1].map(x,[])"},
		{"filter", "[].filter(x,true)"},
		{"exists", "[].exists(x,true)"},
		{"all", "[].all(x,x==x)"},
		{"exists_one", "[].exists_one(x,true)"},
		{"transformMap", "{}.transformMap(k,v,v)"},
		{"transformList", "{}.transformList(k,v,v)"},
		{"transformMapEntry", "{}.transformMapEntry(k,v,{k:v})"},
		{"bind", "cel.bind(x,[],x)"},
		{"optMap", "object.?a.optMap(x,x)"},
		{"in", "1 in []"},
		{"in a map", "1 in {}"},
		{"dyn", "dyn([])"},
		{"type", "type([])"},
		{"distinct", "[].distinct()"},
		{"flatten", "[[]].flatten()"},
		{"sort", "[1].sort()"},
		{"slice", "[].slice(0,0)"},
		{"reverse", "[].reverse()"},
		{"first", "[].first()"},
		{"sets", "sets.contains([],[])"},
		{"greatest", "math.greatest([1])"},
		{"size", "size([])"},
		{"kube", "kube.list([],[])"},
		{"kube.get", "kube.get(object,[])"},
		{"map literals", "{1:[]}"},
		{"optional entries", "{?1:optional.none()}"},
		{"optional items", "[?optional.none()]"},
		{"less", "1<2"},
		{"sums", "object+object"},
		{"differences", "1 != 2"},
		{"lists in lists", "[[[[]]]]"},
		{"maps in maps", "{1:{1:{}}}"},
		{"min", "[1].min()"},
		{"sum", "[1].sum()"},
		{"join", "[].join()"},
		{"format", "''.format([])"},
		{"unwrap", "optional.unwrap([])"},
	}
	var all []Question
	for _, form := range forms {
		for _, size := range sourceSizes {
			all = append(all, expression(fmt.Sprintf("%d bytes of %s in a list", size, form.name), "["+filled(form.text+",", size)+"1]"))
		}
		all = append(all,
			expression("18,000 bytes of "+form.name+" in a map", "{"+numbered(form.text, 18_000)+"}"),
			expression("18,000 bytes of "+form.name+" as arguments", "[1].all(x, "+filled("dyn("+form.text+")==1||", 18_000)+"true)"),
		)
	}
	return all
}

// checked are expressions that take the parser or the type checker of CEL long.
func checked() []Question {
	return []Question{
		expression("18 KB of lists added", "["+filled("[]+[],", 18_000)+"1]"),
		expression("64 KB of lists added", "["+filled("[]+[],", 64_000)+"1]"),
		expression("8 KB of indexes of a path", "["+filled("object.a[0],", 8_000)+"1]"),
		expression("8 KB of sortBy", "["+filled("[object].sortBy(x,x),", 8_000)+"1]"),
		expression("64 KB of lists", "["+filled("[],", 64_000)+"1]"),
		expression("36 KB of equalities", "["+filled("1==1,", 36_000)+"1]"),
		expression("64 KB of choices", "["+filled("true?1:2,", 64_000)+"1]"),
		expression("64 KB of no optionals", "["+filled("optional.none(),", 64_000)+"1]"),
		{Name: "700 honest keys in CEL", Form: Expression, Operation: status, Whole: true, Compile: true, Want: Harmless, Source: "{'a': [" + repeated(`object["a"],`, 700) + "1].size()}", Object: func() map[string]any { return map[string]any{"a": int64(1)} }},
		expression("lists bound in chains", Nested(100, "[]", "$+[]", "$")),
		expression("lists of lists bound in chains", Nested(28, "[[]]", "[$]+[]", "$")),
		expression("chains of map", "[]"+filled(".map(x,[x])", 20_000)),
		expression("chains of filter", "[]"+filled(".filter(x,x==x)", 20_000)),
		expression("chains of optMap", "object.?a"+filled(".optMap(x,[x])", 20_000)),
		expression("macros within macros", repeated("[[]].map(x,", 30)+"[]+[]"+repeated(")", 30)),
		expression("macros within macros with lists", repeated("[[],[],[],[]].map(x,[]==[]?[]:", 30)+"[]"+repeated(")", 30)),
		expression("lists in each argument of macros", "["+filled("[[]].map(x,[x,[],[]]+[]),", 60_000)+"1]"),
		expression("bindings of lists side by side", "["+filled("cel.bind(x,[],x+x),", 60_000)+"1]"),
		expression("choices in chains", filled("true?[]:", 3_000)+"[]"),
		expression("sums of lists in chains", "[]"+filled("+[]", 600)),
		expression("sums in brackets", "["+filled("([]+[]+[]+[]+[]+[]+[]+[]),", 60_000)+"1]"),
		expression("open texts", filled(`"""`, 65_000)),
		expression("open texts of apostrophes", filled(`'''`, 65_000)),
		expression("open raw texts", filled(`r"""`, 65_000)),
		expression("apostrophes", filled(`'`, 65_000)),
		expression("escapes", `"`+filled(`\u0041`, 64_000)+`"`),
		expression("wrong escapes", `"`+filled(`\q`, 64_000)+`"`),
		expression("wrong letters", filled("$", 65_000)),
		expression("wrong letters and words", filled("$a ", 65_000)),
		expression("lines of errors", filled("$\n", 65_000)),
		expression("comments", filled("//\n", 65_000)+"1"),
		expression("a long comment", "//"+filled("x", 64_000)+"\n1"),
		expression("a long name", filled("a", 65_000)),
		expression("unknown names", "["+filled("a,", 64_000)+"1]"),
		expression("unknown functions", "["+filled("a(),", 64_000)+"1]"),
		expression("unknown methods", "["+filled("1.a(),", 64_000)+"1]"),
		expression("a long number", filled("9", 65_000)),
		expression("a long fraction", "0."+filled("9", 64_000)+"e9"),
		expression("a path of names", "a"+filled(".a", 64_000)),
		expression("a path of unknown names", "["+filled("a.b.c.d.e,", 64_000)+"1]"),
		expression("messages", "["+filled("a.b{c:1},", 64_000)+"1]"),
		expression("brackets that do not close", filled("[", 65_000)),
		expression("brackets that only close", filled(")", 65_000)),
		expression("brackets of all kinds", filled("([{", 65_000)),
		expression("commas in calls", "size("+filled(",", 64_000)+")"),
		expression("operators", filled("+", 65_000)),
		expression("questions", filled("?", 65_000)),
		expression("negations", filled("!", 65_000)+"true"),
		expression("constants to fold", "["+filled(`"aaaaaaaa".matches("a"),`, 64_000)+"1]"),
		expression("constant ranges to fold", "["+filled("lists.range(1000000),", 20_000)+"1]"),
		expression("constant texts to fold", "'"+filled("a", 30_000)+"'.replace('','"+filled("b", 30_000)+"').size()"),
		expression("constant formats to fold", "["+filled("'%.99f'.format([1e300]),", 64_000)+"1]"),
		expression("constant durations to fold", "["+filled("duration('1h'),timestamp('2020-01-01T00:00:00Z'),", 64_000)+"1]"),
	}
}

// expression is an attack whose source is the whole expression.
func expression(name, source string) Question {
	return Question{Name: "CEL source: " + name, Form: Expression, Operation: status, Source: source, Whole: true, Compile: true, Want: Bounded}
}

// filled repeats a form until it has about size bytes.
func filled(form string, size int) string { return strings.Repeat(form, size/len(form)) }

// numbered are entries of a map literal, each with another key.
func numbered(value string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d:%s,", i, value)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// folded is a class that folds 125,000 runes.
const folded = `(?i)[B-\x{1e942}]`

// regexps are regular expressions that take long to parse.
func regexps() []Question {
	object := func(size int) func() map[string]any {
		return func() map[string]any { return map[string]any{"p": filled(folded, size), "s": "ab"} }
	}
	constant := func(size int) Question {
		return expression(fmt.Sprintf("regular expression of %d bytes of folded classes", size), fmt.Sprintf("{'m': object.s.matches(r%q)}", raw(filled(folded, size))))
	}
	return []Question{
		constant(4_000), constant(8_000), constant(64_000),
		{Name: "regular expression of 3.4 KB at run time", Form: Expression, Operation: status, Object: object(3_400), Want: Bounded, Source: `{'m': object.s.matches(object.p)}`},
		{Name: "regular expression of 1 KB at run time", Form: Expression, Operation: status, Object: object(1_000), Want: Bounded, Source: `{'m': object.s.matches(object.p)}`},
		{Name: "regular expressions of 1 KB at run time", Form: Expression, Operation: status, Object: object(1_000), Want: Bounded, Source: Forever(`object.s.matches(object.p + string(i)) || true`)},
		{Name: "regular expressions of one class at run time", Form: Expression, Operation: status, Object: object(20), Want: Bounded, Source: Forever(`object.s.matches(object.p + string(i)) || true`)},
	}
}

// regexpForms are forms of regular expressions, again and again, that take long to parse,
// to compile or to match.
func regexpForms() []Question {
	patterns := []text{
		{"folded classes", folded},
		{"folded classes in groups", `(?i:[B-\x{1e942}])`},
		{"folded classes of letters", `(?i)\pL`},
		{"folded negated letters", `(?i)\PL`},
		{"folded classes of all", `(?i)[\x{0}-\x{10ffff}]`},
		{"folded negated classes", `(?i)[^b]`},
		{"folded lists of classes", `(?i)[\pL\pN\pS]`},
		{"classes of letters", `\pL`},
		{"negated classes", `[^\pL]`},
		{"counts", `a{1000}`},
		{"counts of classes", `\pL{500}`},
		{"counts in counts", `((a{30}){30})`},
		{"optional counts", `(a{0,30}){0,30}`},
		{"empty groups", `(|a)*`},
		{"alternatives", `a|b|c|d|`},
		{"groups", `(a)`},
		{"open groups", `(`},
		{"classes of ranges", `[a-bd-eg-hj-km-np-qs-tv-w]`},
		{"flags", `(?i)(?s)(?m)(?U)`},
		{"scripts", `\p{Greek}\p{Han}\p{Cyrillic}`},
		{"names", `(?P<n>a)`},
		{"repeats of repeats", `(a*)*`},
		{"folded words", `(?i)straße`},
		{"escapes of classes", `[\x{41}-\x{10ffff}]`},
		{"switches within", `a(?i)[B-\x{1e942}](?-i)b`},
	}
	var all []Question
	for _, p := range patterns {
		for _, size := range []int{len(p.text), 1_000, 4_000, 60_000} {
			pattern := filled(p.text, max(size, len(p.text)))
			object := func() map[string]any { return map[string]any{"p": pattern, "s": strings.Repeat("ab", 500)} }
			what := fmt.Sprintf("%s, %d bytes", p.name, len(pattern))
			all = append(all, expression("regular expression of "+what, fmt.Sprintf("{'m': object.s.matches(r%q)}", raw(pattern))))
			if size > 4_000 {
				continue
			}
			all = append(all,
				Question{Name: "regular expression at run time of " + what, Form: Expression, Operation: status, Object: object, Want: Bounded, Source: Forever("object.s.matches(object.p) || true")},
				Question{Name: "different regular expressions of " + what, Form: Expression, Operation: status, Object: object, Want: Bounded, Source: Forever("object.s.matches(object.p + string(i)) || true")},
				Question{Name: "find of " + what, Form: Expression, Operation: status, Object: object, Want: Bounded, Source: Forever(`object.s.find(object.p) == "" || object.s.findAll(object.p, 3).size() > 0 || true`)},
			)
		}
	}
	return all
}

// raw is a text that may stand between the quotes of a raw string: it has none.
func raw(s string) rawText { return rawText(s) }

// rawText formats as a raw string of CEL.
type rawText string

// Format writes the text between quotes, unchanged.
func (r rawText) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, `"%s"`, string(r)) }
