// SPDX-License-Identifier: Apache-2.0

package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

func TestEditJSON(t *testing.T) {
	const pretty = "{\n  \"b\": 1.50,\n  \"a\": {\n    \"list\": [\n      1e3,\n      12345678901234567890\n    ]\n  },\n  \"c\": []\n}\n"
	cases := map[string]struct {
		reason string
		text   string
		ops    []Operation
		want   string
	}{
		"Upstream": {
			text: `{"key":{"key1":"value"}}`, ops: []Operation{op(Replace, "/key/key1", `"updated_value"`)},
			want: `{"key":{"key1":"updated_value"}}`,
		},
		"KeepsNumbersAndOrder": {
			reason: "numbers keep their digits, keys their order",
			text:   `{"z":1.50,"a":1e3,"n":12345678901234567890,"k":0}`, ops: []Operation{op(Replace, "/k", `2.500`)},
			want: `{"z":1.50,"a":1e3,"n":12345678901234567890,"k":2.500}`,
		},
		"NoHTML": {
			reason: "no text is escaped for HTML, and escapes of the API server in values are undone",
			text:   `{"a":"<b> & \u003c"}`, ops: []Operation{op(Add, "/x<y", `"<\u003cb\u003E \\u003c \u0026"`)},
			want: `{"a":"<b> & \u003c","x<y":"<<b> \\u003c &"}`,
		},
		"White": {
			reason: "white space stays, and new members are written as their neighbors",
			text:   pretty,
			ops: []Operation{
				op(Add, "/a/list/1", `{"x":[1]}`), op(Add, "/d", `[true]`), op(Remove, "/b", ``), op(Add, "/c/-", `"y"`), op(Replace, "/a/list/0", `0`),
			},
			want: "{\n  \"a\": {\n    \"list\": [\n      0,\n      {\n        \"x\": [\n          1\n        ]\n      },\n      12345678901234567890\n    ]\n  },\n  \"c\": [\"y\"],\n  \"d\": [\n    true\n  ]\n}\n",
		},
		"OneLine": {
			text: `{"a": [1, 2], "b": {}}`, ops: []Operation{op(Add, "/a/-", `3`), op(Add, "/a/0", `0`), op(Add, "/b/c", `{"d": 1}`), op(Remove, "/a/1", ``)},
			want: `{"a": [0, 2, 3], "b": {"c": {"d":1}}}`,
		},
		"Existing": {
			text: `{"a":1,"b":2}`, ops: []Operation{op(Add, "/a", `null`)}, want: `{"a":null,"b":2}`,
		},
		"Only":      {text: `{"a":[1]}`, ops: []Operation{op(Remove, "/a/0", ``), op(Remove, "/a", ``)}, want: `{}`},
		"Last":      {text: "[1,\n 2]", ops: []Operation{op(Remove, "/-1", ``)}, want: "[1]"},
		"Root":      {text: " \n{}\n", ops: []Operation{op(Replace, "", `[1, 2]`)}, want: " \n[1,2]\n"},
		"Array":     {reason: "a list may have white space before it", text: " [1]", ops: []Operation{op(Add, "/-", `2`)}, want: " [1,2]"},
		"Escape":    {text: `{"a/b":1,"m~n":2,"":3,"\u00e9":4}`, ops: []Operation{op(Replace, "/a~1b", `5`), op(Replace, "/m~0n", `6`), op(Replace, "/", `7`), op(Replace, "/é", `8`)}, want: `{"a/b":5,"m~n":6,"":7,"\u00e9":8}`},
		"EmptyKeys": {text: `{"":{}}`, ops: []Operation{op(Add, "//", `0`)}, want: `{"":{"":0}}`},
		"Twins": {
			reason: "a key that is there twice is in nobody's way unless it is named",
			text:   `{"a":1,"a":2}`, ops: []Operation{op(Add, "/b", `1`)}, want: `{"a":1,"a":2,"b":1}`,
		},
		"NoOperations": {text: pretty, want: pretty},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := EditJSON(budget.New(), tc.text, tc.ops)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}
