// SPDX-License-Identifier: Apache-2.0

package jsonpath_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	published "k8s.io/client-go/util/jsonpath"

	"github.com/dragoman-io/dragoman/controllers/decide/jsonpath"
)

const document = `{
	"n": 2, "f": 2.5, "big": 1734462491693, "s": "abc", "e": "", "nil": null, "b": true, "html": "<&>",
	"m": {"k": "v"}, "deep": {"a": {"a": {"a": 1}}}, "empty": [], "none": {},
	"list": ["x", "y", "z"], "nulls": [null, 1],
	"pods": [{"name": "p1", "n": 1, "ip": {"v4": "10.0.0.1"}}, {"name": "p2", "n": 2}, {"name": "p3", "n": 3, "ip": {}}]
}`

// templates are compared with client-go's answers, and begin the fuzzing.
var templates = []string{
	"", "text", "{.n}", "{.f}", "{.big}", "{.s}", "{.e}", "{.nil}", "{.b}", "{.html}", "{.m}", "{.deep}", "{.empty}", "{.none}",
	"{.missing}", "{.n.x}", "{.nil.x}", "{.list}", "{.list[0]}", "{.list[-1]}", "{.list[3]}", "{.list[-4]}", "{.list[0:2]}",
	"{.list[1:]}", "{.list[:1]}", "{.list[2:1]}", "{.list[0:0]}", "{.list[::2]}", "{.list[::0]}", "{.list[::-1]}", "{.list[0,2]}", "{.list[*]}",
	"{.empty[0]}", "{.empty[*]}", "{.s[0]}", "{.m[0]}", "{.nil[0]}", "{.nulls[0][0]}", "{.nulls}", "{.nulls[*]}",
	"{['n']}", "{['n','s']}", "{.m['k']}", "{.pods[*].name}", "{.pods[*].ip.v4}", "{.pods[*]['name','n']}", "{.*}", "{.m.*}", "{.s.*}", "{.list.*}",
	"{..name}", "{..a}", "{.deep..a}", "{.deep..a..a}", "{..missing}", "{.m..}", "{.list..}",
	`{.pods[?(@.n>1)].name}`, `{.pods[?(@.n>=2)].name}`, `{.pods[?(@.n<2)].name}`, `{.pods[?(@.n<=1)].name}`, `{.pods[?(@.n==2)].name}`, `{.pods[?(@.n!=2)].name}`,
	`{.pods[?(@.name=="p1")].n}`, `{.pods[?(@.name=='p9')].n}`, `{.pods[?(@.ip)].name}`, `{.pods[?(@.ip.v4)].name}`, `{.pods[?(@.n=="2")].name}`,
	`{.pods[?(@.name>1)].name}`, `{.m[?(@.k)]}`, `{.s[?(@.k)]}`, `{.nil[?(@.k)]}`, `{.pods[?(@..v4=="10.0.0.1")].name}`, `{.pods[?(@.*==1)].name}`,
	"{range .pods[*]}{.name}:{.n} {end}", "{range .empty[*]}{.name}{end}after", "{range .empty[*]}x{end}after", "{range .pods[*]}{.name}{end}{.n}", "{range .nulls[*]}{@}{end}",
	"{range .pods[*]}{range .ip}{.v4}{end}{end}", "{range .pods[0:1]}{.name}", "{range .pods[*]}{.ip.v4}{end}", "{end}", "{range .list[*]}{@}{end}{end}",
	"{range .pods[*]}{range .none}{end}{.name}{end}{.s}", "{range .list[*]}a{end}{range .list[*]}b{end}",
	"{1}", "{-2.5}", "{true}", `{"quoted"}`, "{@}", "{$}", "{$.n}", "{.n}{.s}", "a{.n}b{.s}c", "{.n} {.s}", "{ .n }", "{..}", "{.pods..n}",
	"{.n", "{[}", "{[a]}", "{.list[1,]}", "{.list['x']}", "{word}", "{.a.b.c}", "{.pods[?(@.n)]}", "{.list[-2:]}", "{.list[-2:-1]}", "{.list[:-1]}",
}

// wide is a budget that no comparison reaches.
func wide() *jsonpath.Budget { return &jsonpath.Budget{Values: 1_000_000, Output: 1 << 20} }

func read(t testing.TB, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// answer returns what client-go's evaluation writes; ok is false where it panics.
func answer(template string, value any) (text string, err error, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	p := published.New("test")
	if err := p.Parse(template); err != nil {
		return "", err, true
	}
	var out bytes.Buffer
	err = p.Execute(&out, value)
	return out.String(), err, true
}

func ours(template string, value any, budget *jsonpath.Budget) (string, error) {
	t, err := jsonpath.Parse(template)
	if err != nil {
		return "", err
	}
	return t.Evaluate(value, budget)
}

// sorted returns the bytes of a text in their order: the published evaluation has none for
// the values of a map.
func sorted(text string) string {
	b := []byte(text)
	slices.Sort(b)
	return string(b)
}

// compare fails the test where the evaluations differ. One that panics answers nothing.
func compare(t *testing.T, template string, value any) {
	t.Helper()
	want, wantErr, ok := answer(template, value)
	if !ok {
		return
	}
	got, err := ours(template, value, wide())
	if errors.Is(err, jsonpath.ErrBudget) {
		return
	}
	if (err == nil) != (wantErr == nil) || wantErr == nil && sorted(got) != sorted(want) {
		t.Errorf("%s = %q, %v; client-go has %q, %v", template, got, err, want, wantErr)
	}
}

func TestEvaluateAsPublished(t *testing.T) {
	for _, value := range []any{read(t, document), nil, "text", []any{}, map[string]any{}} {
		for _, template := range templates {
			compare(t, template, value)
		}
	}
}

func TestEvaluateInOrder(t *testing.T) {
	for range 20 {
		if got, err := ours("{.*}", map[string]any{"c": 3, "a": 1, "b": 2}, wide()); got != "1 2 3" || err != nil {
			t.Fatalf("the values of a map come in the order of their keys: %q, %v", got, err)
		}
	}
}

func TestEvaluateCutsOutput(t *testing.T) {
	value := map[string]any{"text": strings.Repeat("a", 1<<20), "list": slices.Repeat([]any{"item"}, 100_000)}
	for _, template := range []string{"{.text}", strings.Repeat("{@}", 1365), "{.list}", "{range .list[*]}" + strings.Repeat("x", 4000) + "{end}"} {
		budget := &jsonpath.Budget{Values: 300_000, Output: 64}
		got, err := ours(template, value, budget)
		if err != nil || len(got) != 64 {
			t.Errorf("%.20s: %d bytes, %v, want the first 64", template, len(got), err)
		}
	}
}

// nested returns levels of {"a": ...} around a number.
func nested(levels int) any {
	var value any = int64(1)
	for range levels {
		value = map[string]any{"a": value}
	}
	return value
}

func TestEvaluateEndsAtBudget(t *testing.T) {
	list := slices.Repeat([]any{map[string]any{"a": "x"}}, 50_000)
	cases := map[string]struct {
		template string
		value    any
	}{
		"DepthByDepth": {"{..a..a..a..a..a}", nested(60)},
		"Deeper":       {"{..a..a..a}", nested(200)},
		"Ranges":       {"{range .[*]}{range .[*]}{end}{end}", map[string]any{"a": list}},
		"ListOfLists":  {"{[*][*]}" + "{[?(@.a==\"y\")]}", list},
		"FilterDepth":  {`{[?(@..a..a=="x")]}`, list},
		"Texts":        {`{..*..*}`, strings.Repeat("a", 1<<20)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			budget := &jsonpath.Budget{Values: 100_000, Output: 64}
			if _, err := ours(tc.template, tc.value, budget); err == nil {
				t.Errorf("evaluated with %d values left", budget.Values)
			}
		})
	}
	budget := &jsonpath.Budget{Values: 100_000, Output: 64}
	if _, err := ours("{..a..a..a..a..a}", nested(60), budget); !errors.Is(err, jsonpath.ErrBudget) {
		t.Errorf("error %v, want that of the budget", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, template := range []string{"{.a", "{word}", "{.a range}", "{end .a}", "{.list[x]}"} {
		if _, err := jsonpath.Parse(template); err == nil {
			t.Errorf("%s was parsed", template)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, template := range templates {
		f.Add(template, document)
	}
	f.Fuzz(func(t *testing.T, template, text string) {
		var value any
		if len(template) > 200 || len(text) > 500 || strings.Count(template, "..") > 2 || json.Unmarshal([]byte(text), &value) != nil {
			t.Skip()
		}
		if strings.Contains(template, "range") && strings.Count(template, "{") > 4 {
			t.Skip() // how broken ranges nest is nobody's promise
		}
		compare(t, template, value)
		if got, err := ours(template, value, &jsonpath.Budget{Values: 1000, Output: 8}); err == nil && len(got) > 8 {
			t.Errorf("%q is longer than what was wanted", got)
		}
	})
}

func BenchmarkEvaluate(b *testing.B) {
	for name, template := range map[string]string{"Field": "{.deep.a.a}", "Filter": `{.pods[?(@.name=="p3")].n}`} {
		value := read(b, document)
		b.Run(name, func(b *testing.B) {
			parsed, err := jsonpath.Parse(template)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parsed.Evaluate(value, wide()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/client-go", func(b *testing.B) {
			p := published.New("test")
			if err := p.Parse(template); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				var out bytes.Buffer
				if err := p.Execute(&out, value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
