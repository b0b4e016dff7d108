// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// edit is EditYAML or EditJSON.
type edit func(*budget.Budget, string, []Operation) (string, error)

// oneByOne does each operation on the text that the one before it wrote.
func oneByOne(f edit, text string, operations []Operation) (string, error) {
	for i, o := range operations {
		var err error
		if text, err = f(budget.New(), text, []Operation{o}); err != nil {
			var failed *OperationError
			if errors.As(err, &failed) {
				return "", &OperationError{i, failed.Err}
			}
			return "", err
		}
	}
	return text, nil
}

// together checks that operations that are done together are what they are one by one.
func together(t *testing.T, f edit, text string, operations []Operation) {
	t.Helper()
	want, wantErr := oneByOne(f, text, operations)
	got, err := f(budget.New(), text, operations)
	if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%+v of\n%s\nare\n%s\n%v\none by one they are\n%s\n%v", operations, text, got, err, want, wantErr)
	}
}

// TestConsecutiveOperations has operations that meet: of one place, below each other, of forms
// that cannot be collected between those that can.
func TestConsecutiveOperations(t *testing.T) {
	all := []Operation{
		op(Replace, "/a", `"x"`), op(Replace, "/a", `"3306"`), op(Add, "/a", `null`), op(Replace, "/a/b", `1`), op(Remove, "/a", ``),
		op(Add, "/a", `{"b": [1, {"c": 2}]}`), op(Replace, "/a/b/0", `"y: z"`), op(Add, "/a/b/0", `7`), op(Replace, "/a/b/1/c", `"on"`),
		op(Replace, "/c/0", `"l1\nl2"`), op(Replace, "/c/1", `12.50`), op(Replace, "/c/2", `{}`), op(Replace, "/c/-", `1`), op(Replace, "/d/e", `true`),
		op(Add, "/d/e", `"# no comment"`), op(Add, "/d/f", `"'"`), op(Replace, "/d/f", `"\""`), op("move", "/a", `1`), op(Replace, "x", `1`), op(Replace, "", `{"a":1}`),
	}
	for _, form := range []struct {
		edit
		texts []string
	}{
		{EditJSON, []string{`{"a":1,"b":[],"c":[1,"two",null],"d":{"e":1,"f":2}}`, "{\n  \"c\": [\n    1, 2,\n    3\n  ],\n  \"a\": {\"b\": [5, {\"c\": 1}]},\n  \"d\": {\"e\": 1}\n}\n", `{"a":1,"a":2}`, `[`}},
		{EditYAML, []string{
			"a: 1 # one\nb: []\nc:\n- 1\n-   'two' # 2\n-\n  # below\n  three\nd: {e: 1, f: \"x\"}\n", "a:\n  b:\n  - 5\n  - c: &x 1\nc: [1,2, 3]\nd:\n  e: *x\n  f: >\n    folded\n",
			"d: &d {e: 1}\na: 'it''s'\nc: [*d, a b, \"q\"]\nx:\n  <<: *d\n", "c:\r\n- 1\r\n- 2\r\n- 3\r\na: 0o17\r\n", "é: ü\na: ö # ä\nd: {e: ü, f: ä}\n", "a: [",
		}},
	} {
		for _, text := range form.texts {
			for i := range all {
				for j := range all {
					third := all[(7*i+3*j)%len(all)]
					together(t, form.edit, text, []Operation{all[i], all[j], third})
				}
			}
		}
	}
}

// TestCollectedOperationsReadOnce counts: a document is read before and after many scalars are
// replaced, however many they are.
func TestCollectedOperationsReadOnce(t *testing.T) {
	var lines, members []string
	var operations []Operation
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("key%d: {port: %d, host: h}\n", i, i))
		members = append(members, fmt.Sprintf(`"key%d": {"port": %d, "host": "h"}`, i, i))
		if i < 64 {
			operations = append(operations, op(Replace, fmt.Sprintf("/key%d/port", i), `80`))
		}
	}
	for name, tc := range map[string]struct {
		edit
		form
		text string
	}{
		"YAML": {EditYAML, yamlForm, strings.Join(lines, "")},
		"JSON": {EditJSON, jsonForm, "{" + strings.Join(members, ",\n") + "}"},
	} {
		t.Run(name, func(t *testing.T) {
			b := budget.New()
			if _, err := tc.edit(b, tc.text, operations); err != nil {
				t.Fatal(err)
			}
			looked := 64 * (2*1000/16 + 2*4 + tc.cost(30)) // the keys on the way, and the operations themselves
			if most := 2*tc.cost(len(tc.text)) + looked; b.Taken() > most {
				t.Errorf("64 operations on %d bytes cost %d values, want at most %d", len(tc.text), b.Taken(), most)
			}
		})
	}
}

// FuzzConsecutive checks that operations together are what they are one by one.
func FuzzConsecutive(f *testing.F) {
	for _, text := range []string{config, `{"a":1,"b":[1,2,{"c":null}]}`, "a: 1\nb: {c: x, d: 'y'}\n", "- a: 1 # c\n  b: 2\n- - x\n  - y\n", "a: &x {b: 1}\nc: *x\n"} {
		f.Add(text, uint8(2), "/a", `"3306"`, "/b/c", `1`, "/a/b", `null`)
		f.Add(text, uint8(5), "/b/0", `true`, "/app/hosts/1", `"- x"`, "/0/a", `"l1\nl2"`)
		f.Add(text, uint8(26), "/app/database/ip", `"#"`, "/app/database/port", `"1 # 2"`, "/0/b", `"]"`)
	}
	f.Fuzz(func(t *testing.T, text string, which uint8, path1, value1, path2, value2, path3, value3 string) {
		if len(text) > 10000 || !json.Valid([]byte(value1)) || !json.Valid([]byte(value2)) || !json.Valid([]byte(value3)) {
			return
		}
		w := int(which)
		all := []Operation{{operators[w%3], path1, []byte(value1)}, {operators[w/3%3], path2, []byte(value2)}, {operators[w/9%3], path3, []byte(value3)}}
		together(t, EditJSON, text, all)
		together(t, EditYAML, text, all)
	})
}
