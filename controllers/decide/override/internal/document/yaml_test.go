// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

func op(operator Operator, path, value string) Operation {
	return Operation{Operator: operator, Path: path, Value: []byte(value)}
}

const config = `# The application.
app:
    database:   # the main one
        # Do not use the default.
        port: 5432   # public
        ip: 127.0.0.1
        names: ['a', "b", c]

    hosts:
    - one
    # the second
    - two # too
    on: yes
    octal: 017
    text: |
      line 1

      line 2
    long: a very long line that an emitter would like to fold because it has more than eighty columns
`

func TestEditYAML(t *testing.T) {
	cases := map[string]struct {
		reason    string
		text      string
		ops       []Operation
		want      string
		unchanged bool
	}{
		"Port": {
			reason: "a string that replaces a number and reads as one is written as it stood",
			text:   "app:\n  port: 5432\n", ops: []Operation{op(Replace, "/app/port", `"3306"`)},
			want: "app:\n  port: 3306\n",
		},
		"Number": {
			text: "app:\n  port: '5432'\n", ops: []Operation{op(Replace, "/app/port", `3306`)},
			want: "app:\n  port: 3306\n",
		},
		"Quotes": {
			reason: "a string keeps the quotes of the string before",
			text:   "a: 'x'\nb: \"x\"\nc: x\nd: 1\ne: 'x'\n",
			ops: []Operation{
				op(Replace, "/a", `"y z"`), op(Replace, "/b", `"y"`), op(Replace, "/c", `"yes"`),
				op(Replace, "/d", `"10.0.0.1"`), op(Replace, "/e", `"12"`),
			},
			want: "a: 'y z'\nb: \"y\"\nc: \"yes\"\nd: 10.0.0.1\ne: '12'\n",
		},
		"Types": {
			reason: "numbers are written as in the policy, strings so that no reader takes them for something else",
			text:   "a: {}\n",
			ops:    []Operation{op(Replace, "/a", `{"i":1.50,"e":1e3,"big":12345678901234567890,"n":null,"t":true,"s":"1.5","o":"off","d":"2020-01-01","h":"a: b","m":"l1\nl2\n","c":"#x","q":"0x1F","z":""}`)},
			want:   "a:\n  i: 1.50\n  e: 1e3\n  big: 12345678901234567890\n  \"n\": null\n  t: true\n  s: \"1.5\"\n  o: \"off\"\n  d: \"2020-01-01\"\n  h: 'a: b'\n  m: |\n    l1\n    l2\n  c: '#x'\n  q: \"0x1F\"\n  z: \"\"\n",
		},
		"Untouched": {
			reason: "all else stays to the byte",
			text:   config,
			ops:    []Operation{op(Replace, "/app/database/ip", `"10.0.0.1"`)},
			want:   strings.Replace(config, "127.0.0.1", "10.0.0.1", 1),
		},
		"CommentStays": {
			text: config,
			ops:  []Operation{op(Replace, "/app/database/port", `1`)},
			want: strings.Replace(config, "5432", "1", 1),
		},
		"AddKey": {
			reason: "a new key comes last in its map",
			text:   config,
			ops:    []Operation{op(Add, "/app/database/zone", `"z1"`)},
			want:   strings.Replace(config, "c]\n", "c]\n        zone: z1\n", 1),
		},
		"AddExisting": {
			text: "a: 1\nb: 2\n", ops: []Operation{op(Add, "/a", `3`)}, want: "a: 3\nb: 2\n",
		},
		"AddList": {
			reason: "lists are indented as the document's",
			text:   config,
			ops:    []Operation{op(Add, "/app/users", `["x",{"name":"y","uid":1}]`)},
			want:   config + "    users:\n    - x\n    - name: \"y\"\n      uid: 1\n",
		},
		"AppendItem": {
			text: config, ops: []Operation{op(Add, "/app/hosts/-", `"three"`)},
			want: strings.Replace(config, "- two # too\n", "- two # too\n    - three\n", 1),
		},
		"InsertItem": {
			reason: "a comment stays above the item that it is about",
			text:   config, ops: []Operation{op(Add, "/app/hosts/1", `"between"`)},
			want: strings.Replace(config, "- one\n", "- one\n    - between\n", 1),
		},
		"InsertFirst": {
			text: "a:\n  # about x\n  - x\n", ops: []Operation{op(Add, "/a/0", `"w"`)},
			want: "a:\n  - w\n  # about x\n  - x\n",
		},
		"InsertMapFirst": {
			text: "- a: 1\n  b: 2\n", ops: []Operation{op(Add, "/0", `{"c":3,"d":4}`)},
			want: "- c: 3\n  d: 4\n- a: 1\n  b: 2\n",
		},
		"RemoveItem": {
			reason: "comments in lines of their own stay",
			text:   config, ops: []Operation{op(Remove, "/app/hosts/1", ``)},
			want: strings.Replace(config, "    - two # too\n", "", 1),
		},
		"RemoveKey": {
			text: config, ops: []Operation{op(Remove, "/app/database/port", ``)},
			want: strings.Replace(config, "        port: 5432   # public\n", "", 1),
		},
		"RemoveMap": {
			text: "a:\n  b:\n    c: 1\n    # inside\n    d: 2\n  # about e\n  e: 1\n", ops: []Operation{op(Remove, "/a/b", ``)},
			want: "a:\n  # about e\n  e: 1\n",
		},
		"RemoveOnly": {
			text: "a:\n  b: 1 # c\nd: 2\n", ops: []Operation{op(Remove, "/a/b", ``)},
			want: "a: {}\nd: 2\n",
		},
		"RemoveOnlyItem": {
			text: "a: # list\n- b\nd: 2\n", ops: []Operation{op(Remove, "/a/0", ``)},
			want: "a: [] # list\nd: 2\n",
		},
		"RemoveAll": {
			text: "# top\na: 1\n# end\n", ops: []Operation{op(Remove, "/a", ``)},
			want: "# top\n{}\n# end\n",
		},
		"RemoveFirstInDash": {
			text: "- a: 1\n  b: 2\n- c\n", ops: []Operation{op(Remove, "/0/a", ``)},
			want: "- b: 2\n- c\n",
		},
		"RemoveLast": {
			text: "a: 1\nb: 2", ops: []Operation{op(Remove, "/b", ``)}, want: "a: 1",
		},
		"AddAtEnd": {
			text: "a: 1\nb: 2", ops: []Operation{op(Add, "/c", `{"d":[]}`)}, want: "a: 1\nb: 2\nc:\n  d: []",
		},
		"Flow": {
			text: "a: {b: 1, c: [x, y]}\n",
			ops: []Operation{
				op(Add, "/a/c/-", `"z"`), op(Add, "/a/d", `{"e":"f g","h":"i, j"}`), op(Remove, "/a/b", ``), op(Replace, "/a/c/0", `"w"`),
			},
			want: "a: {c: [w, y, z], d: {e: f g, h: 'i, j'}}\n",
		},
		"FlowLines": {
			text: "a: [\n  x, # one\n  y\n]\n", ops: []Operation{op(Add, "/a/1", `"w"`), op(Add, "/a/-", `"z"`)},
			want: "a: [\n  x, # one\n  w,\n  y,\n  z\n]\n",
		},
		"ScalarToMap": {
			text: "a: 1 # c\nb: 2\n", ops: []Operation{op(Replace, "/a", `{"x":{"v":1}}`)},
			want: "a: # c\n  x:\n    v: 1\nb: 2\n",
		},
		"MapToScalar": {
			text: "a: # c\n  # d\n  x: 1\nb: 2\n", ops: []Operation{op(Replace, "/a", `5`)},
			want: "a: 5 # c\n  # d\nb: 2\n",
		},
		"BlockScalar": {
			text: "a: |\n  x\n  y\n\n\nb: 2\n", ops: []Operation{op(Replace, "/a", `"p\nq\n"`), op(Add, "/c", `1`)},
			want: "a: |\n  p\n  q\n\n\nb: 2\nc: 1\n",
		},
		"Nulls": {
			text: "a:\nb: ~\nc:\n- \n- 1\n", ops: []Operation{op(Replace, "/a", `1`), op(Replace, "/b", `2`), op(Replace, "/c/0", `{"d":1,"e":2}`)},
			want: "a: 1\nb: 2\nc:\n- d: 1\n  e: 2\n- 1\n",
		},
		"Pointers": {
			reason: "keys with slashes and tildes, keys that are not strings in YAML",
			text:   "a/b: 1\nm~n: 2\n\"q r\": 3\n8080: 4\non: 5\n",
			ops:    []Operation{op(Replace, "/a~1b", `6`), op(Replace, "/m~0n", `7`), op(Replace, "/q r", `8`), op(Replace, "/8080", `9`), op(Remove, "/on", ``)},
			want:   "a/b: 6\nm~n: 7\n\"q r\": 8\n8080: 9\n",
		},
		"Negative": {
			text: "- a\n- b\n", ops: []Operation{op(Replace, "/-1", `"c"`), op(Add, "/-2", `"x"`)},
			want: "- a\n- x\n- c\n",
		},
		"Markers": {
			text: "%YAML 1.1\n---\na: 1\n...\n", ops: []Operation{op(Add, "/b", `2`)},
			want: "%YAML 1.1\n---\na: 1\nb: 2\n...\n",
		},
		"CRLF": {
			text: "a: 1\r\nb:\r\n  c: 2\r\n", ops: []Operation{op(Add, "/b/d", `{"e":1}`), op(Remove, "/a", "")},
			want: "b:\r\n  c: 2\r\n  d:\r\n    e: 1\r\n",
		},
		"JSONText": {
			text: `{"a": {"b": 1}}`, ops: []Operation{op(Replace, "/a/b", `"x"`), op(Add, "/a/c", `[1]`)},
			want: `{"a": {"b": x, c: [1]}}`,
		},
		"Upstream": {
			text: "\nkey: \n  key1: value\n", ops: []Operation{op(Replace, "/key/key1", `"updated_value"`)},
			want: "\nkey: \n  key1: updated_value\n",
		},
		"UpstreamServer": {
			text: "server:\n  listen: 80\n  location /root:\n    return: 200\n  \"location /index\":\n    return: 403\n  error_page:\n    - code: 500\n",
			ops:  []Operation{op(Replace, "/server/location ~1root", `{"return":201}`), op(Add, "/server/error_page/-", `{"code":400}`), op(Remove, "/server/location ~1index", ``)},
			want: "server:\n  listen: 80\n  location /root:\n    return: 201\n  error_page:\n    - code: 500\n    - code: 400\n",
		},
		"Root": {
			text: "a: 1\n", ops: []Operation{op(Replace, "", `[1,{"b":2}]`)}, want: "- 1\n- b: 2\n",
		},
		"Unicode": {
			text: "é: {ü: ä, b: 1} # ö\nñ: x\n", ops: []Operation{op(Replace, "/é/b", `2`), op(Replace, "/ñ", `"ß"`)},
			want: "é: {ü: ä, b: 2} # ö\nñ: ß\n",
		},
		"Multiline": {
			reason: "plain and quoted scalars over several lines",
			text:   "a: one\n  two\n\n  three # c\nb: \"x\n  y\" # d\nc: 1\n", ops: []Operation{op(Replace, "/a", `1`), op(Replace, "/b", `"2"`)},
			want: "a: 1 # c\nb: \"2\" # d\nc: 1\n",
		},
		"NoOperations": {text: config, want: config},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := EditYAML(budget.New(), tc.text, tc.ops)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

// TestEditYAMLByLibrary has forms that only the library writes: what they mean stays, their
// layout may not.
func TestEditYAMLByLibrary(t *testing.T) {
	cases := map[string]struct {
		text string
		op   Operation
		want string
	}{
		"AliasAsKey":  {"&x a: 1\nb: {*x : 2}\n", op(Remove, "/a", ``), "b: {a: 2}\n"},
		"ExplicitKey": {"? a\n: b\n? c\n: d\n", op(Remove, "/c", ``), "a: b\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := EditYAML(budget.New(), tc.text, []Operation{tc.op})
			if err != nil || got != tc.want {
				t.Errorf("EditYAML() = %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}

func TestEditYAMLAnchors(t *testing.T) {
	const text = "base: &base\n  port: 1\n  tls: &tls {on: x}\none: *base\ntwo:\n  <<: *base\n  name: n\nthree: [*tls]\n"
	cases := map[string]struct {
		reason string
		op     Operation
		want   string
	}{
		"Alias": {
			"what an alias stands for is copied before it is changed", op(Replace, "/one/port", `2`),
			"base: &base\n  port: 1\n  tls: &tls {on: x}\none:\n  port: 2\n  tls: {on: x}\ntwo:\n  <<: *base\n  name: n\nthree: [*tls]\n",
		},
		"WholeAlias": {
			"an alias that is replaced is a value", op(Replace, "/one", `2`),
			"base: &base\n  port: 1\n  tls: &tls {on: x}\none: 2\ntwo:\n  <<: *base\n  name: n\nthree: [*tls]\n",
		},
		"Anchor": {
			"who shows the value through the anchor keeps what was there", op(Replace, "/base/port", `2`),
			"base: &base\n  port: 2\n  tls: &tls {on: x}\none:\n  port: 1\n  tls: {on: x}\ntwo:\n  <<:\n    port: 1\n    tls: {on: x}\n  name: n\nthree: [*tls]\n",
		},
		"RemovedAnchor": {
			"an anchor that goes away leaves its value", op(Remove, "/base", ``),
			"one:\n  port: 1\n  tls: {on: x}\ntwo:\n  <<:\n    port: 1\n    tls: {on: x}\n  name: n\nthree: [{on: x}]\n",
		},
		"Merged": {
			"a merged key is replaced by one of the map's own", op(Replace, "/two/port", `2`),
			strings.Replace(text, "name: n\n", "name: n\n  port: 2\n", 1),
		},
		"BelowMerged": {
			"a map that is merged in is copied", op(Add, "/two/tls/of", `1`),
			strings.Replace(text, "name: n\n", "name: n\n  tls: {on: x, of: 1}\n", 1),
		},
		"Unrelated": {"anchors elsewhere stay", op(Add, "/two/x", `1`), strings.Replace(text, "name: n\n", "name: n\n  x: 1\n", 1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := EditYAML(budget.New(), text, []Operation{tc.op})
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}
