// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// decoder keeps what a run returned.
type decoder struct {
	results []any
	err     error
}

func (t *decoder) Decode(results []any, _ script.Meter) error {
	t.results = append(t.results[:0], results...)
	return t.err
}

// dyn returns variables of any type.
func dyn(names ...string) []Variable {
	var variables []Variable
	for _, name := range names {
		variables = append(variables, Variable{Name: name})
	}
	return variables
}

// typed returns variables of which items is a list and replicas a number.
func typed(names ...string) []Variable {
	variables := dyn(names...)
	for i := range variables {
		variables[i].Type = map[string]VariableType{"items": List, "replicas": Int}[variables[i].Name]
	}
	return variables
}

// outcome is what one run returned.
type outcome struct {
	value any
	usage script.Usage
	err   *script.Error
}

// compiler makes a compiler with the functions of a test.
func compiler(t testing.TB, functions ...Function) *Compiler {
	t.Helper()
	c, err := New(functions)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return c
}

// compile compiles an expression on object that must compile.
func compile(t testing.TB, c *Compiler, source string) script.Program {
	t.Helper()
	p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
	if err != nil {
		t.Fatalf("Compile(%q): %v", source, err)
	}
	return p
}

// runOn runs a program on an object.
func runOn(t testing.TB, p script.Program, object any) outcome {
	t.Helper()
	return runCall(t, p, &script.Call{Names: []string{"object"}, Args: []any{object}, Now: noon})
}

// runCall makes a call.
func runCall(t testing.TB, p script.Program, c *script.Call) outcome {
	t.Helper()
	var got decoder
	usage, err := p.Run(c, &got)
	if err == nil {
		if len(got.results) != 1 {
			t.Fatalf("the run returned %d results, want 1", len(got.results))
		}
		return outcome{value: got.results[0], usage: usage}
	}
	var failed *script.Error
	if !errors.As(err, &failed) {
		t.Fatalf("the error is a %T, want a *script.Error: %v", err, err)
	}
	return outcome{usage: usage, err: failed}
}

// noon is the time of the runs of the tests.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// plain reads JSON as a plain value: whole numbers are int64.
func plain(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return normal(v)
}

func normal(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n
		}
		f, _ := x.Float64()
		return f
	case []any:
		for i := range x {
			x[i] = normal(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = normal(x[k])
		}
	}
	return v
}

// deployment is the object of most tests.
const deployment = `{
	"metadata": {"name": "web", "generation": 3, "labels": {"b": "2", "a": "1", "c": "3"}},
	"spec": {"replicas": 2, "cpu": "500m", "ratio": 0.5, "items": [1, 2, 3], "empty": {}, "none": null},
	"status": {"conditions": [{"type": "Ready", "status": "True"}], "since": "2026-01-01T00:00:00Z"}
}`

func TestValues(t *testing.T) {
	tests := map[string]struct {
		source string
		want   string
	}{
		"number":                     {`object.spec.replicas + 1`, `3`},
		"large number stays exact":   {`9007199254740993`, `9007199254740993`},
		"unsigned":                   {`3u`, `3`},
		"double":                     {`object.spec.ratio * 3.0`, `1.5`},
		"mixed comparison":           {`object.spec.replicas > 1.5`, `true`},
		"string":                     {`object.metadata.name + "!"`, `"web!"`},
		"null":                       {`object.spec.none`, `null`},
		"list":                       {`object.spec.items.map(x, x * 2)`, `[2,4,6]`},
		"map":                        {`{"a": {"b": [object.spec.replicas]}}`, `{"a":{"b":[2]}}`},
		"optional entry":             {`{?"a": object.?spec.?replicas, ?"b": object.?spec.?missing}`, `{"a":2}`},
		"optional none":              {`object.?spec.?missing`, `null`},
		"optional value":             {`object.?spec.?replicas`, `2`},
		"optional in a list":         {`[optional.of(1), optional.none()]`, `[1,null]`},
		"orValue":                    {`object.?status.?phase.orValue("none")`, `"none"`},
		"bind":                       {`cel.bind(n, object.spec.replicas, n * n)`, `4`},
		"optMap":                     {`object.?spec.?replicas.optMap(n, n + 1).orValue(0)`, `3`},
		"quantity":                   {`quantity("1Gi").add(quantity("512Mi"))`, `"1536Mi"`},
		"quantity of a field":        {`quantity(object.spec.cpu).isLessThan(quantity("1"))`, `true`},
		"is it a quantity":           {`[isQuantity("1Ki"), isQuantity("1e300"), isQuantity("x")]`, `[true,false,false]`},
		"time":                       {`now`, `"2026-01-02T12:00:00Z"`},
		"time difference":            {`now - timestamp(object.status.since)`, `"129600s"`},
		"duration":                   {`duration("90m")`, `"5400s"`},
		"time in another zone":       {`now.getHours("+02:00")`, `14`},
		"time without zone is UTC":   {`timestamp("2026-01-01T01:30:00+02:00").getHours()`, `23`},
		"params":                     {`params.registry`, `"example.org"`},
		"map in order of keys":       {`object.metadata.labels.map(k, k)`, `["a","b","c"]`},
		"transformList":              {`object.metadata.labels.transformList(k, v, k + v)`, `["a1","b2","c3"]`},
		"transformMap":               {`object.metadata.labels.transformMap(k, v, k != "b", v + v)`, `{"a":"11","c":"33"}`},
		"transformMapEntry":          {`object.metadata.labels.transformMapEntry(k, v, {v: k})`, `{"1":"a","2":"b","3":"c"}`},
		"filter":                     {`object.spec.items.filter(x, x > 1)`, `[2,3]`},
		"exists_one":                 {`object.status.conditions.exists_one(c, c.type == "Ready")`, `true`},
		"sort":                       {`[3, 1, 2].sort()`, `[1,2,3]`},
		"sortBy":                     {`[{"n": 2}, {"n": 1}].sortBy(x, x.n).map(x, x.n)`, `[1,2]`},
		"flatten":                    {`[[1], [2, [3]]].flatten(2)`, `[1,2,3]`},
		"distinct":                   {`[1, 2, 1].distinct()`, `[1,2]`},
		"sets":                       {`sets.contains(object.spec.items, [1, 3])`, `true`},
		"math":                       {`math.greatest(object.spec.items.sum(), 5)`, `6`},
		"range":                      {`lists.range(3)`, `[0,1,2]`},
		"list concatenation":         {`object.spec.items + [4] + []`, `[1,2,3,4]`},
		"matches":                    {`object.metadata.name.matches("^w.b$")`, `true`},
		"matches what is computed":   {`object.metadata.name.matches("^" + "w")`, `true`},
		"find":                       {`"a1b22".find("[0-9]+")`, `"1"`},
		"findAll":                    {`"a1b22".findAll("[0-9]+")`, `["1","22"]`},
		"findAll with a limit":       {`"a1b22".findAll("[0-9]+", 1)`, `["1"]`},
		"split and join":             {`"a,b,c".split(",").join("-")`, `"a-b-c"`},
		"replace":                    {`"a-b-c".replace("-", "", 1)`, `"ab-c"`},
		"format":                     {`"%s has %d of %.1f".format(["x", 2, 1.25])`, `"x has 2 of 1.2"`},
		"indexOf":                    {`"image:tag".indexOf(":")`, `5`},
		"indexOf in a list":          {`["a", "b"].indexOf("b")`, `1`},
		"strings":                    {`[" a ".trim(), "A".lowerAscii(), "abc".substring(1), "abc".charAt(1), "ab".reverse(), strings.quote("a")]`, `["a","a","bc","b","ba","\"a\""]`},
		"url":                        {`url("https://example.org:80/a?b=c").getPort()`, `"80"`},
		"ip":                         {`cidr("10.0.0.0/8").containsIP("10.1.2.3") && isIP("::1")`, `true`},
		"semver":                     {`semver("1.2.3").isGreaterThan(semver("1.2.0"))`, `true`},
		"format of a name":           {`format.dns1123Label().validate("A_").hasValue()`, `true`},
		"equality":                   {`object.spec.items == [1, 2, 3] && object.metadata.labels != {"a": "1"}`, `true`},
		"equality of optionals":      {`object.?a == optional.none() && optional.of([1]) == optional.of([1])`, `true`},
		"in":                         {`2 in object.spec.items && !("x" in object.metadata.labels) && object.metadata.name in ["web", "api"]`, `true`},
		"index by what is computed":  {`object.metadata.labels["" + "a"] + object[?"x" + "y"].orValue("-")`, `"1-"`},
		"conditional":                {`(object.spec.replicas > 1 ? object.metadata : object.spec).name`, `"web"`},
		"or beside an error":         {`object.missing == 1 || true`, `true`},
		"conversion":                 {`[string(1), string(1.5), string(true)]`, `["1","1.5","true"]`},
		"int of a string":            {`int("12") + int(object.status.since.substring(0, 4))`, `2038`},
		"list of a constant":         {`["a", "b"]`, `["a","b"]`},
		"a loop in a loop":           {`[1, 2].map(x, [3, 4].map(y, x * y))`, `[[3,4],[6,8]]`},
		"a message for protobuf's":   {`type(now) == google.protobuf.Timestamp`, `true`},
		"unwrap":                     {`[optional.of(1), optional.none()].unwrapOpt()`, `[1]`},
		"first and last":             {`object.spec.items.first().value() + object.spec.items.last().value()`, `4`},
		"escapes and other alphabet": {`"Größe\n".size()`, `6`},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := runCall(t, compile(t, c, tc.source), &script.Call{
				Names: []string{"object"}, Args: []any{plain(t, deployment)}, Now: noon,
				Params: map[string]any{"registry": "example.org"},
			})
			if got.err != nil {
				t.Fatalf("%s: %v", tc.source, got.err)
			}
			if diff := cmp.Diff(plain(t, tc.want), got.value); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.source, diff)
			}
		})
	}
}

func TestRuntimeErrors(t *testing.T) {
	tests := map[string]struct {
		source     string
		want       string
		expression string
	}{
		"missing key":            {`object.status.phase == "Running"`, `test.cel:1:14: no such key: phase`, "object.status.phase"},
		"missing key on the way": {`object.status.jobStatus.state`, `test.cel:1:14: no such key: jobStatus`, "object.status.jobStatus"},
		"second line":            {"object.spec.replicas > 1 &&\n  object.status.phase == 1", `test.cel:2:16: no such key: phase`, "object.status.phase"},
		"missing index":          {`object.spec.items[7]`, `test.cel:1:18: index out of bounds: 7`, "object.spec.items[7]"},
		"missing dynamic key":    {`object.metadata.labels["x" + "y"]`, `test.cel:1:23: no such key: xy`, ""},
		"missing param":          {`params.x`, `test.cel:1:7: no such key: x`, "params.x"},
		"types of +":             {`object.metadata.name + object.spec.replicas`, `test.cel:1:22: no such overload: string + int`, ""},
		"types of <":             {`object.metadata.name < object.spec.replicas`, `test.cel:1:22: no such overload: string < int`, ""},
		"types of a method":      {`object.spec.replicas.startsWith("a")`, `test.cel:1:32: no such overload: startsWith(int, string)`, ""},
		"types of ==":            {`quantity("1") == object.spec.replicas`, `test.cel:1:15: no such overload: kubernetes.Quantity == int`, ""},
		"not a bool":             {`object.spec.replicas && true`, `test.cel:1:22: no such overload: &&`, ""},
		"division by zero":       {`1 / (object.spec.replicas - 2)`, `test.cel:1:3: division by zero`, ""},
		"overflow":               {`9223372036854775807 + object.spec.replicas`, `test.cel:1:21: integer overflow`, ""},
		"conversion":             {`int(object.metadata.name)`, `test.cel:1:4: type conversion error from 'string' to 'int'`, ""},
		"not a quantity":         {`quantity(object.metadata.name)`, `test.cel:1:9: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`, ""},
		"large quantity":         {`quantity("0.1e-99999999")`, `test.cel:1:9: the quantity has too many digits`, ""},
		"long text":              {`semver("1.0." + lists.range(2000).map(i, "0").join())`, `test.cel:1:7: the text is longer than 1024 bytes`, ""},
		"orValue without .?":     {`object.spec.replicas.orValue(1)`, `test.cel:1:29: orValue needs an optional value, such as object.?field or list[?0]`, ""},
		"value of none":          {`object.?a.value()`, `test.cel:1:16: optional.none() dereference`, ""},
		"entry not optional":     {`{?"a": object.spec}`, `test.cel:1:14: an entry with ? needs an optional value, and this is of type map`, ""},
		"item not a string":      {`["a", {"b": 1}].join(",")`, `test.cel:1:21: item 1 is of type map, not a string`, ""},
		"item not optional":      {`optional.unwrap(dyn([optional.of(1), 2]))`, `test.cel:1:16: item 1 is not optional`, ""},
		"bad expression":         {`"a".matches("(" + object.metadata.name)`, "test.cel:1:12: regular expression: missing closing ): `(web`", ""},
		"large expression":       {`"a".matches("(abcdef|x){900}" + object.metadata.name)`, `test.cel:1:12: the regular expression is too large`, ""},
		"key of bytes":           {`{dyn(b"a"): 1}`, `test.cel:1:5: a key cannot be of type bytes`, ""},
		"not iterable":           {`object.spec.replicas.all(x, true)`, `test.cel:1:12: a loop needs a list or a map, and this is of type int`, ""},
		"in a loop":              {`object.spec.items.map(x, x / 0)`, `test.cel:1:28: division by zero`, ""},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := runOn(t, compile(t, c, tc.source), plain(t, deployment))
			if got.err == nil {
				t.Fatalf("%s returned %v, want the error %s", tc.source, got.value, tc.want)
			}
			if got.err.Code != script.Type {
				t.Errorf("code is %s, want %s", got.err.Code, script.Type)
			}
			if got.err.Error() != tc.want {
				t.Errorf("error is\n\t%s\nwant\n\t%s", got.err, tc.want)
			}
			if got.err.Expression != tc.expression && tc.expression != "" {
				t.Errorf("expression is %q, want %q", got.err.Expression, tc.expression)
			}
		})
	}
}

func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("ä", 1<<18)
	c := compiler(t)
	for _, source := range []string{`object[object.long]`, `int(object.long)`, `{"a": {object.long: b"x"}}`} {
		got := runOn(t, compile(t, c, source), map[string]any{"long": long})
		if got.err == nil || len(got.err.Message) > diag.MaxMessage+3 || !utf8.ValidString(got.err.Message) {
			t.Errorf("%s returned the error %.2000v, want a short one", source, got.err)
		}
	}
	_, err := c.Compile("test.cel", strings.Repeat("a", 1<<15), nil, script.Limits{})
	if err == nil || len(err.Error()) > diag.MaxMessage+20 {
		t.Errorf("Compile returned the error %.2000v, want a short one", err)
	}
}

func TestResultErrors(t *testing.T) {
	tests := map[string]struct{ source, want string }{
		"bytes":         {`b"x"`, `test.cel:1:1: a result cannot hold a value of type bytes`},
		"type":          {`type(1)`, `test.cel:1:5: a result cannot hold a value of type type`},
		"path":          {`{"a": [1, {"b": b"x"}]}`, `test.cel:1:1: a[1].b: a result cannot hold a value of type bytes`},
		"first path":    {`{"c": b"", "a": b"", "b": b""}`, `test.cel:1:1: a: a result cannot hold a value of type bytes`},
		"key":           {`{"a": {1: 2}}`, `test.cel:1:1: a: a key is of type int; a result has string keys only`},
		"unsigned":      {`[18446744073709551615u]`, `test.cel:1:1: [0]: 18446744073709551615 is larger than an int`},
		"infinity":      {`1.0 / 0.0`, `test.cel:1:5: +Inf is not a number that a result can hold`},
		"deep":          {strings.Repeat("[", 65) + strings.Repeat("]", 65), `test.cel:1:1: ` + strings.Repeat("[0]", 64) + `: the result nests deeper than 64`},
		"of kubernetes": {`semver("1.2.3")`, `test.cel:1:7: a result cannot hold a value of type kubernetes.Semver`},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := compile(t, c, tc.source)
			for range 10 {
				got := runOn(t, p, nil)
				if got.err == nil || got.err.Code != script.Result || got.err.Error() != tc.want {
					t.Fatalf("%s returned %v and the error\n\t%v\nwant a Result error\n\t%s", tc.source, got.value, got.err, tc.want)
				}
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	tests := map[string]struct {
		source  string
		want    string
		snippet string
	}{
		"empty":                 {``, `test.cel:1:1: unexpected end of the expression`, ""},
		"unfinished":            {`1 +`, `test.cel:1:4: unexpected end of the expression`, "1 +\n   ^"},
		"second line":           {"1 +\n\t)", `test.cel:2:2: unexpected ')'`, " )\n ^"},
		"undeclared":            {`object.a == foo`, `test.cel:1:13: undeclared reference to 'foo'; known are now, object, params`, "object.a == foo\n            ^"},
		"variable of another":   {`items.size()`, `test.cel:1:1: undeclared reference to 'items'; known are now, object, params`, "items.size()\n^"},
		"several":               {`foo + bar`, `test.cel:1:1: undeclared reference to 'foo'; 1:7: undeclared reference to 'bar'; known are now, object, params`, ""},
		"many":                  {`a + b + c + d + e + f + g`, `test.cel:1:1: undeclared reference to 'a'; 1:5: undeclared reference to 'b'; 1:9: undeclared reference to 'c'; 1:13: undeclared reference to 'd'; 1:17: undeclared reference to 'e'; 2 more`, ""},
		"types":                 {`1 + "a"`, `test.cel:1:3: '+' does not take (int, string)`, "1 + \"a\"\n  ^"},
		"types of a choice":     {`true ? 1 : "a"`, `test.cel:1:6: '?:' does not take (bool, int, string)`, ""},
		"regular expression":    {`"a".matches("(")`, "test.cel:1:12: regular expression: missing closing ): `(`", ""},
		"large regular":         {`"a".matches("(a{500}){500}")`, "test.cel:1:12: regular expression: invalid repeat count: `{500}`", ""},
		"constant conversion":   {`int("a")`, `test.cel:1:4: type conversion error from 'string' to 'int'`, ""},
		"message":               {`1 + google.protobuf.Int64Value{value: 1}`, `test.cel:1:31: a message cannot be made here; use a map`, ""},
		"constant key of bytes": {`{b"a": 1}`, `test.cel:1:2: a key cannot be of type bytes`, ""},
		"internal names":        {`@round(1)`, `test.cel:1:1: unexpected '@'`, "@round(1)\n^"},
		"internal functions":    {`cel.@mapInsert({}, 1, 1)`, `test.cel:1:5: unexpected '@'`, ""},
		"nesting":               {strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), `test.cel:1:129: the expression nests deeper than 128`, ""},
		"chain":                 {"1" + strings.Repeat("+1", 2000), `test.cel:1:258: the expression nests deeper than 128`, ""},
		"precision of format":   {`"%.101f".format([1.0])`, `test.cel:1:16: could not parse formatting clause: error while parsing precision: precision 101 exceeds maximum allowed precision 100`, ""},
		"unknown kube":          {`kube.nope(1)`, `test.cel:1:1: there is no function "kube.nope"; there are none`, ""},
		"wide characters":       {`"ä" + foo`, `test.cel:1:7: undeclared reference to 'foo'; known are now, object, params`, "\"ä\" + foo\n      ^"},
		"reserved word":         {`1 + if`, `test.cel:1:5: reserved identifier: if`, ""},
		"number out of range":   {`99999999999999999999`, `test.cel:1:1: invalid int literal`, ""},
		"two expressions":       {`1 2`, `test.cel:1:3: unexpected '2'`, ""},
		"time that is no time":  {`timestamp("yesterday")`, `test.cel:1:10: invalid RFC 3339 timestamp "yesterday"`, ""},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := c.Compile("test.cel", tc.source, dyn("object"), script.Limits{})
			var got *script.Error
			if !errors.As(err, &got) {
				t.Fatalf("Compile(%.60q) gave the error %v, want a *script.Error", tc.source, err)
			}
			if got.Code != script.Syntax {
				t.Errorf("code is %s, want %s", got.Code, script.Syntax)
			}
			if got.Error() != tc.want {
				t.Errorf("error is\n\t%s\nwant\n\t%s", got, tc.want)
			}
			if got.Snippet != tc.snippet && tc.snippet != "" {
				t.Errorf("snippet is\n%s\nwant\n%s", got.Snippet, tc.snippet)
			}
		})
	}
}

func TestSourceLimit(t *testing.T) {
	_, err := compiler(t).Compile("test.cel", strings.Repeat(" ", 100)+"1", nil, script.Limits{Source: 100})
	if want := "test.cel: the script has 101 bytes; at most 100 are allowed"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestVariablesOfOperations(t *testing.T) {
	tests := map[string]struct {
		source string
		names  []string
		args   []any
		want   any
	}{
		"items":    {`items.map(i, i.status.n).sum()`, []string{"object", "items"}, []any{nil, []any{map[string]any{"status": map[string]any{"n": int64(2)}}}}, int64(2)},
		"replicas": {`{"spec": {"replicas": replicas}}`, []string{"object", "replicas"}, []any{nil, int64(4)}, map[string]any{"spec": map[string]any{"replicas": int64(4)}}},
		"observed": {`observed.a + desired.a`, []string{"desired", "observed"}, []any{map[string]any{"a": "x"}, map[string]any{"a": "y"}}, "yx"},
		"state":    {`state.savepoint`, []string{"desired", "state"}, []any{nil, map[string]any{"savepoint": "s"}}, "s"},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := c.Compile("test.cel", tc.source, typed(tc.names...), script.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := runCall(t, p, &script.Call{Names: tc.names, Args: tc.args})
			if diff := cmp.Diff(outcome{value: tc.want, usage: got.usage}, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.source, diff)
			}
		})
	}
}

func TestUntouchedPartsComeBackAsTheyWere(t *testing.T) {
	object := plain(t, deployment).(map[string]any)
	spec := object["spec"].(map[string]any)
	same := func(a, b any) bool { return fmt.Sprintf("%p", a) == fmt.Sprintf("%p", b) }
	c := compiler(t)

	if got := runOn(t, compile(t, c, `object`), object); !same(got.value, object) {
		t.Error("object is not the map that went in")
	}
	got := runOn(t, compile(t, c, `{"a": [object.spec, object.spec.items], ?"b": object.?spec}`), object).value.(map[string]any)
	list := got["a"].([]any)
	if !same(list[0], spec) || !same(list[1], spec["items"]) || !same(got["b"], spec) {
		t.Error("parts of object are not the maps and lists that went in")
	}
	params := map[string]any{"a": int64(1)}
	if got := runCall(t, compile(t, c, `params`), &script.Call{Params: params}); !same(got.value, params) {
		t.Error("params is not the map that went in")
	}
}

func TestInputIsNotChanged(t *testing.T) {
	sources := []string{
		`object.spec.items + [4]`, `object.spec.items.sort()`, `object.spec.items.reverse()`, `object.spec.items.map(x, x + 1)`,
		`object.metadata.labels.transformMap(k, v, v + "x")`, `[object.spec.items, object.spec.items].flatten()`,
		`object.status.conditions.sortBy(c, c.type)`, `object.spec.items.distinct()`, `kube.touch(object.spec)`,
	}
	c := compiler(t, Function{Name: "touch", Min: 1, Max: 1, Call: func(args []any) (any, int64, error) {
		args[0] = nil
		return nil, 1, nil
	}})
	for _, source := range sources {
		object := plain(t, deployment)
		if got := runOn(t, compile(t, c, source), object); got.err != nil {
			t.Errorf("%s: %v", source, got.err)
		}
		if diff := cmp.Diff(plain(t, deployment), object); diff != "" {
			t.Errorf("%s changed its input (-before +after):\n%s", source, diff)
		}
	}
}

func TestTakerErrorIsGivenBack(t *testing.T) {
	want := errors.New("not wanted")
	_, err := compile(t, compiler(t), `1`).Run(&script.Call{}, &decoder{err: want})
	if err != want {
		t.Errorf("Run returned %v, want the error of the decoder", err)
	}
}

func TestOptimizedErrorsHaveNoForeignPosition(t *testing.T) {
	// cel-go shares the error of this call between all programs.
	c := compiler(t)
	first, second := compile(t, c, `object.a.orValue(1)`), compile(t, c, `"some text" != "" && object.a.or(object.b).hasValue()`)
	for range 2 {
		a, b := runOn(t, first, map[string]any{"a": int64(1)}), runOn(t, second, map[string]any{"a": int64(1)})
		if a.err.Column != 17 || b.err.Column != 33 {
			t.Fatalf("columns are %d and %d, want 17 and 33", a.err.Column, b.err.Column)
		}
	}
}
