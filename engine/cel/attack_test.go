package cel

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/dragoman-io/dragoman/engine/script"
)

// nested binds x0 to first, each next one to step, and ends with last; $ stands
// for the one before. A program of a few hundred bytes makes 2^n of something.
func nested(n int, first, step, last string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cel.bind(x0, %s, ", first)
	for i := range n {
		fmt.Fprintf(&b, "cel.bind(x%d, %s, ", i+1, strings.ReplaceAll(step, "$", fmt.Sprint("x", i)))
	}
	b.WriteString(strings.ReplaceAll(last, "$", fmt.Sprint("x", n)))
	b.WriteString(strings.Repeat(")", n+1))
	return b.String()
}

// forever runs body until the limit.
func forever(body string) string {
	return "lists.range(40000).all(i, " + body + ")"
}

// victim is the object of the attacks: what an attacker can put into an object.
func victim() map[string]any {
	var numbers, maps, names []any
	fields := map[string]any{}
	for i := range 1000 {
		numbers = append(numbers, int64(i))
		names = append(names, fmt.Sprint(i))
		maps = append(maps, map[string]any{"a": map[string]any{"b": int64(i)}})
		fields[fmt.Sprint(i)] = map[string]any{"a": int64(i)}
	}
	return map[string]any{
		"s":       strings.Repeat("a", 1000),
		"medium":  strings.Repeat("a", 1<<15),
		"big":     strings.Repeat("a", 1<<20),
		"digits":  strings.Repeat("9", 1<<20),
		"numbers": numbers, "names": names, "maps": maps, "fields": fields,
		"time": "2020-01-01T00:00:00Z", "zone": "Europe/Berlin",
		"pattern": "(a{20}){20}b", "large": strings.Repeat("a{1000}", 140),
		"url":    "http://a/?" + strings.Repeat("a&", 500),
		"semver": "1.0.0-" + strings.Repeat("a.", 400) + "a",
	}
}

// TestAttacks runs expressions that take time or memory without bound in a CEL
// that is limited by cel-go's costs; see doc.go. What they allocate stays near
// what they were let.
func TestAttacks(t *testing.T) {
	tests := map[string]struct {
		source string
		want   script.Code
	}{
		// Those of facts/sandbox.md, section 7.
		"string doubling on dyn":     {nested(40, "object.s", "$+$", "$.size()"), script.Memory},
		"string doubling on string":  {nested(40, "string(object.s)", "$+$", "$.size()"), script.Memory},
		"indexOf on dyn":             {`object.big.indexOf(object.medium + "b")`, script.Gas},
		"indexOf in a loop":          {forever(`object.s.indexOf("b") < 0`), script.Memory},
		"list doubling and exists":   {nested(40, "object.numbers", "$+$", "$.exists(y, y == -1)"), script.Memory},
		"list doubling on list":      {nested(40, "[1]", "$+$", "$.exists(y, y == -1)"), script.Memory},
		"all in all in all in all":   {"lists.range(1000).all(i, lists.range(1000).all(j, lists.range(1000).all(k, lists.range(1000).all(l, true))))", script.Gas},
		"all over dyn, four times":   {"object.numbers.all(i, object.numbers.all(j, object.numbers.all(k, object.numbers.all(l, true))))", script.Gas},
		"range of millions":          {"lists.range(5000000)", script.Gas},
		"range of nearly a million":  {"lists.range(900000)", script.Gas},
		"range in a loop":            {forever("lists.range(10000).size() > 0"), script.Gas},
		"list of lists, doubled":     {nested(40, "[1]", "dyn([$,$])", "$ == $"), script.Gas},
		"typed list of lists":        {nested(60, "[1]", "{1:[$,$]}[1]", "$ == $"), script.Gas},
		"map of maps, doubled":       {nested(40, "{}", "dyn({'a':$,'b':$})", "$ == $"), script.Gas},
		"doubled list as the result": {nested(40, "[1]", "dyn([$,$])", "$"), script.Memory},
		"doubled list as text":       {nested(40, "[1]", "dyn([$,$])", "'%s'.format([$])"), script.Gas},
		"doubled list in a list":     {nested(40, "[1]", "dyn([$,$])", "$ in [$,[$]]"), script.Gas},

		// Calls that make much of little.
		"replace":                {`object.big.replace("a", object.big)`, script.Memory},
		"replace nothing":        {nested(5, "object.s", "$.replace('', $)", "$.size()"), script.Memory},
		"join with a long text":  {`lists.range(10000).map(i, "").join(object.big)`, script.Memory},
		"join one text often":    {`lists.range(10000).map(i, object.big).join()`, script.Gas},
		"split into characters":  {`object.big.split("").size()`, script.Gas},
		"split in a loop":        {forever(`object.medium.split("").size() > 0`), script.Gas},
		"findAll of nothing":     {`object.big.findAll("").size()`, script.Gas},
		"format of digits":       {forever(`"%.100f%.100f".format([1e300, 1e300]) != ""`), script.Gas},
		"format as bits":         {forever(`"%x".format([object.medium]) != ""`), script.Memory},
		"map of a range":         {`lists.range(100000).map(i, [i])`, script.Gas},
		"lists in lists":         {forever(`[[[[[[[[[i]]]]]]]]].size() > 0`), script.Memory},
		"maps in a loop":         {forever(`{"a": 1, "b": 2, "c": i}.size() > 0`), script.Gas},
		"transformMap":           {forever(`object.fields.transformMap(k, v, 1).size() > 0`), script.Gas},
		"concatenation of lists": {forever(`(object.maps + object.maps).size() > 0`), script.Memory},

		// Calls that read long texts, and lookups that hash them.
		"contains":              {forever(`!object.big.contains("b")`), script.Gas},
		"startsWith":            {forever(`object.big.startsWith(object.big)`), script.Gas},
		"size":                  {forever(`object.big.size() > 0`), script.Gas},
		"comparison":            {forever(`object.big <= object.big`), script.Gas},
		"equality":              {forever(`object.big == object.big`), script.Gas},
		"equality of objects":   {forever(`object == object`), script.Gas},
		"key in map":            {forever(`!(object.big in object)`), script.Gas},
		"index":                 {forever(`object[?object.big].orValue(true)`), script.Gas},
		"key of a new map":      {forever(`{object.big: 1}.size() == 1`), script.Gas},
		"member of a constant":  {forever(`!(object.big in ["a", "b"])`), script.Gas},
		"member of a list":      {forever(`!("x" in object.names)`), script.Gas},
		"characters":            {forever(`object.medium.charAt(1) == "a"`), script.Memory},
		"lower case":            {forever(`object.medium.lowerAscii() != ""`), script.Memory},
		"quotes":                {forever(`strings.quote(object.medium) != ""`), script.Gas},
		"conversion to bytes":   {forever(`bytes(object.big).size() > 0`), script.Gas},
		"errors with long text": {forever(`int(object.big) > 1 || true`), script.Gas},

		// Regular expressions and parsers.
		"regular expression":           {forever(`!object.s.matches("(a{20}){20}b")`), script.Gas},
		"computed regular expression":  {forever(`!object.s.matches(object.pattern)`), script.Gas},
		"large regular expression":     {forever(`object.s.matches(object.large) || true`), script.Gas},
		"different regular expression": {forever(`object.s.matches("(a*)*b" + string(i)) || true`), script.Gas},
		"quantity with many digits":    {forever(`isQuantity(object.digits) || true`), script.Gas},
		"quantity with an exponent":    {forever(`isQuantity("0.1e-99999999") || true`), script.Gas},
		"quantities far apart":         {forever(`quantity("1e99").add(quantity("9e-9")).compareTo(quantity("1")) > 0`), script.Gas},
		"time zone":                    {forever(`timestamp(object.time).getHours(object.zone) >= 0`), script.Gas},
		"query":                        {forever(`url(object.url).getQuery().size() > 0`), script.Gas},
		"semver":                       {forever(`semver(object.semver).compareTo(semver(object.semver)) == 0`), script.Gas},
		"name that is too long":        {forever(`format.dns1123Subdomain().validate(object.big).hasValue()`), script.Gas},

		// Lists.
		"sort":     {forever(`object.numbers.sort().size() > 0`), script.Gas},
		"sortBy":   {forever(`object.maps.sortBy(x, x.a.b).size() > 0`), script.Gas},
		"distinct": {forever(`object.numbers.distinct().size() > 0`), script.Gas},
		"sets":     {forever(`sets.equivalent(object.numbers, object.numbers)`), script.Gas},
		"sum":      {forever(`object.numbers.sum() > 0`), script.Gas},
		"slice":    {forever(`object.maps.slice(0, 1000).size() > 0`), script.Memory},
		"filter":   {forever(`object.maps.filter(x, x.a.b > 3).size() > 0`), script.Gas},
		"nothing":  {forever(`true`), script.Gas},
	}
	c := compiler(t)
	object := victim()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := compile(t, c, tc.source)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := runOn(t, p, object)
			runtime.ReadMemStats(&after)
			if got.err == nil || got.err.Code != tc.want {
				t.Errorf("%.80s gave %.80v and the error %v, want one of code %s", tc.source, got.value, got.err, tc.want)
			}
			if made, most := after.TotalAlloc-before.TotalAlloc, uint64(64<<20); made > most {
				t.Errorf("%.80s made %d bytes of %d that it was let", tc.source, made, script.DefaultLimits.Memory)
			}
			if got.usage.Gas > script.DefaultLimits.Gas || got.usage.Memory > script.DefaultLimits.Memory {
				t.Errorf("usage is %v, more than the limits", got.usage)
			}
		})
	}
}

// TestSharedValuesAreNotWalkedForFree gives each function and each operator a
// value that would take for ever to read to its depth.
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
			p, err := c.Compile("test.cel", strings.ReplaceAll(form, "$", name), []string{name}, script.Limits{})
			if err != nil {
				continue
			}
			_, err = p.Run(&script.Call{Names: []string{name}, Args: []any{value}}, &taker{})
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
		"bind lists":     nested(60, "[1]", "[$,$]", "$"),
		"bind maps":      nested(60, "{'a':1}", "{'a':$,'b':$}", "$"),
		"commas":         fill(",", "", ""), "quotes": fill("'''a", "", ""), "garbage": fill("@#$", "", ""), "open calls": fill("a(", "", ""),
		"long text": "'" + fill("a", "", "")[2:] + "'", "greatest": "math.greatest(" + fill("1,", "1", "")[20:] + ")",
	}
	c := compiler(t)
	for name, source := range sources {
		p, err := c.Compile("test.cel", source, []string{"object"}, script.Limits{})
		if err == nil {
			_, err = p.Run(&script.Call{Names: []string{"object"}, Args: []any{map[string]any{}}}, &taker{})
		}
		if failed, ok := err.(*script.Error); err != nil && (!ok || failed.Code == script.Internal) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
