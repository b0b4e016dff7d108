// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

func TestEditYAMLRefuses(t *testing.T) {
	set := op(Replace, "/a", `1`)
	cases := map[string]struct {
		text string
		op   Operation
		want string
	}{
		"Empty":          {"", set, "the document is empty; want a map or a list"},
		"Blank":          {"\n  \n", set, "the document is empty"},
		"CommentsOnly":   {"# c\n", set, "the document is empty"},
		"Null":           {"~\n", set, "the document is null, not a map or a list"},
		"Scalar":         {"text\n", set, `the document is the scalar "text", not a map or a list`},
		"Documents":      {"a: 1\n---\nb: 2\n", set, "the text has several documents; put each into a field of its own"},
		"SecondBroken":   {"a: 1\n---\nb: c: d\n", set, "the text after the document is not YAML: yaml: "},
		"Tab":            {"a:\n\tb: 1\n", set, "the document is not YAML: yaml: line 2: found character that cannot start any token"},
		"NotYAML":        {"a: [1\n", set, "the document is not YAML: yaml: line 1:"},
		"UnknownAlias":   {"a: *x\n", set, "unknown anchor 'x' referenced"},
		"ContainsItself": {"a: &x\n  b: *x\n", set, "line 2: the value of the anchor x contains itself"},
		"UnicodeBreak":   {"a: 1\u2028b: 2\n", set, "line 1 has a line break of Unicode"},
		"TooLong":        {"a: " + strings.Repeat("x", maxText), set, "want at most 2097152"},

		"ReplaceMissing":  {"a: 1\n", op(Replace, "/b", `1`), `operation 0: replace /b: the document has no "b"`},
		"RemoveMissing":   {"a: {}\n", op(Remove, "/a/b", ``), `operation 0: remove /a/b: /a has no "b"`},
		"AddBelowMissing": {"a: 1\n", op(Add, "/b/c", `1`), `add /b/c: the document has no "b"; add it first`},
		"BelowScalar":     {"a: x\n", op(Add, "/a/b", `1`), `add /a/b: /a is the scalar "x", not a map or a list`},
		"BelowNull":       {"a:\n", op(Add, "/a/b", `1`), `add /a/b: /a is null, not a map or a list`},
		"IndexBeyond":     {"a: [1]\n", op(Add, "/a/2", `1`), `/a is a list: index 2 is beyond the end of the list, which has 1 items`},
		"ReplaceBeyond":   {"a: [1]\n", op(Replace, "/a/1", `1`), `index 1 is not in the list`},
		"ReplaceEnd":      {"a: [1]\n", op(Replace, "/a/-", `1`), `index - is the place after the last item, which only add takes`},
		"NotAnIndex":      {"a: [1]\n", op(Add, "/a/x", `1`), `"x" is not an index of a list`},
		"Twice":           {"a: 1\na: 2\n", set, `the document has "a" twice, in line 1 and line 2`},
		"Pointer":         {"a: 1\n", op(Add, "a", `1`), `operation 0: pointer "a" does not start with a slash`},
		"Tilde":           {"a: 1\n", op(Add, "/~a", `1`), `a tilde is written as ~0 and a slash as ~1`},
		"NoValue":         {"a: 1\n", op(Add, "/b", ``), `operation 0: add /b: there is no value`},
		"BadValue":        {"a: 1\n", op(Add, "/b", `{`), `operation 0: add /b: read value: unexpected end of JSON input`},
		"Operator":        {"a: 1\n", op("move", "/b", `1`), `operator "move" is not add, remove or replace`},
		"RootScalar":      {"a: 1\n", op(Replace, "", `1`), `a document is a map or a list, not 1`},
		"RootRemoved":     {"a: 1\n", op(Remove, "", ``), `remove: the whole document cannot be removed`},
		"MergedRemoved":   {"a: &x {b: 1}\nc:\n  <<: *x\n", op(Remove, "/c/b", ``), `/c has "b" from a merge (<<), which remove cannot take away`},
		"MergeKey":        {"a: &x {b: 1}\nc:\n  <<: *x\n", op(Remove, "/c/<<", ``), `/c has no "<<"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := EditYAML(budget.New(), tc.text, []Operation{tc.op})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("EditYAML() = %q, error %v, want one with %q", got, err, tc.want)
			}
		})
	}
}

func TestEditJSONRefuses(t *testing.T) {
	set := op(Replace, "/a", `1`)
	cases := map[string]struct {
		text string
		op   Operation
		want string
	}{
		"Empty":       {"", set, "the document is empty; want a map or a list"},
		"Blank":       {" \n", set, "the document is empty"},
		"Null":        {"null", set, "the document is null, not a map or a list"},
		"Scalar":      {`"x"`, set, `the document is "x", not a map or a list`},
		"NotJSON":     {"{\n\"a\": x}", set, "the document is not JSON: line 2: invalid character 'x'"},
		"Trailing":    {`{"a":1} x`, set, "the document is not JSON: line 1: invalid character 'x' after top-level value"},
		"Missing":     {`{"b":{}}`, op(Replace, "/b/a", `1`), `operation 0: replace /b/a: /b has no "a"`},
		"AddBelow":    {`{}`, op(Add, "/b/a", `1`), `the document has no "b"; add it first`},
		"BelowScalar": {`{"a":"x"}`, op(Add, "/a/b", `1`), `/a is "x", not a map or a list`},
		"IndexBeyond": {`[1]`, op(Add, "/2", `1`), `the document is a list: index 2 is beyond the end`},
		"ReplaceEnd":  {`[1]`, op(Replace, "/-", `1`), `which only add takes`},
		"NotAnIndex":  {`[1]`, op(Remove, "/x", ``), `"x" is not an index of a list`},
		"Twice":       {`{"a":1,"a":2}`, set, `the document has "a" twice`},
		"RootRemoved": {`{}`, op(Remove, "", ``), `the whole document cannot be removed`},
		"RootScalar":  {`{}`, op(Replace, "", `"x"`), `a document is a map or a list, not "x"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := EditJSON(budget.New(), tc.text, []Operation{tc.op})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("EditJSON() = %q, error %v, want one with %q", got, err, tc.want)
			}
		})
	}
}

func TestAllOrNothing(t *testing.T) {
	ops := []Operation{op(Replace, "/a", `2`), op(Add, "/b", `3`), op(Remove, "/c", ``)}
	for name, edit := range map[string]func(*budget.Budget, string, []Operation) (string, error){"YAML": EditYAML, "JSON": EditJSON} {
		got, err := edit(budget.New(), `{"a": 1}`, ops)
		var failed *OperationError
		if got != "" || !errors.As(err, &failed) || failed.Index != 2 {
			t.Errorf("%s: %q, %v, want nothing and an error of operation 2", name, got, err)
		}
	}
}

// TestTooMuchWork has operations that change lines, each of which is read before the next, and
// others, which are read together.
func TestTooMuchWork(t *testing.T) {
	text := "a: 1\nb: 1\n# " + strings.Repeat("x", 1<<20) + "\n"
	lines := make([]Operation, 4)
	for i := range lines {
		lines[i] = op(Add, fmt.Sprintf("/c%d", i), `2`)
	}
	_, err := EditYAML(budget.New(), text, lines)
	if err == nil || !strings.Contains(err.Error(), "operation 2: read a document of 1048") || !strings.Contains(err.Error(), "use fewer of them") {
		t.Errorf("4 operations on 1 MiB: %v", err)
	}
	if _, err := EditYAML(budget.New(), text, lines[:2]); err != nil {
		t.Errorf("2 operations on 1 MiB: %v", err)
	}
	if _, err := EditYAML(budget.New(), text, []Operation{op(Replace, "/a", `2`), op(Replace, "/b", `2`), op(Add, "/a", `3`), op(Add, "/b", `3`)}); err != nil {
		t.Errorf("4 operations on scalars: %v", err)
	}
}

// TestHostileDocuments reads small texts of which a reader that writes out aliases makes
// gigabytes, or takes years.
func TestHostileDocuments(t *testing.T) {
	laughs, merges := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n", "m0: &m0 {x: 1}\n"
	for i := 1; i < 50; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
		merges += fmt.Sprintf("m%d: &m%d {<<: [*m%d, *m%d]}\n", i, i, i-1, i-1)
	}
	users := "a: &a {x: 1}\nb:\n" + strings.Repeat("- *a\n", 100_000)
	cases := map[string]struct {
		text string
		op   Operation
		want string // what the text or the error has
	}{
		"Laughs":        {laughs, op(Replace, "/a0/0", `"y"`), "a0: &a0 [\"y\",x,x,x,x,x,x,x,x]\na1: &a1 [[x, x"},
		"LaughsAtEnd":   {laughs, op(Replace, "/a49/0/0/0", `1`), "a49: &a49 [[[1, *a46"},
		"Merges":        {merges, op(Replace, "/m49/x", `2`), "m49: &m49 {<<: [*m48, *m48], x: 2}"},
		"MergesMissing": {merges, op(Replace, "/m49/y", `2`), `/m49 has no "y"`},
		"Users":         {users, op(Replace, "/a/x", `2`), "100000 aliases"},
		"Deep":          {"a: " + strings.Repeat("[", 20_000), op(Add, "/b", `1`), "exceeded max depth"},
		"DeepJSON":      {strings.Repeat("[", 20_000), op(Add, "/-", `1`), "exceeded max depth"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			edit := EditYAML
			if strings.HasSuffix(name, "JSON") {
				edit = EditJSON
			}
			got, err := edit(budget.New(), tc.text, []Operation{tc.op})
			if !strings.Contains(got+fmt.Sprint(err), tc.want) {
				t.Errorf("got %.300q, %v, want something with %q", got, err, tc.want)
			}
		})
	}
}
