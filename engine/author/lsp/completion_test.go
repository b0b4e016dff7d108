// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

// crd is that of Cache.
const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: caches.cache.example.com}
spec:
  group: cache.example.com
  names: {kind: Cache, plural: caches}
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                replicas: {type: integer, description: How many there are.}
                labels: {type: object, additionalProperties: {type: string}}
            status:
              type: object
              properties:
                phase: {type: string, enum: [Up, Down], description: Where it is.}
                port: {x-kubernetes-int-or-string: true}
                conditions:
                  type: array
                  items:
                    type: object
                    properties:
                      type: {type: string}
                      status: {type: string}
`

const manifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: mine}
spec:
  kinds:
    - {group: cache.example.com, versions: [v1], kind: Cache}
  operations:
    - kinds: [Cache]
      functions:
        state: lib.shared.saved
  parameters:
    - {name: mode, default: strict, values: [strict, lax], description: How it is read.}
`

// cursorIn returns a server and the cursor at ^ in a document of a bundle with the CRD.
func cursorIn(t *testing.T, name, text string) (*Server, cursor) {
	t.Helper()
	before, after, found := strings.Cut(text, "^")
	if !found {
		t.Fatalf("no ^ in %q", text)
	}
	d := &document{uri: uriOf(name), path: name, language: languageOf(name, ""), text: before + after}
	files := source.New(filesOf(map[string]string{
		"/w/mine/bundle.yaml": manifest, "/w/mine/crds/cache.yaml": crd,
		"/w/mine/Cache/health.lua": "function InterpretHealth(object)\n  return nil\nend\n",
		"/w/mine/lib/shared.lua":   "local shared = {}\n\nfunction shared.saved(object)\n  return {}\nend\n\nshared.other = 1\n\nreturn shared\n",
	})).With(map[string]string{name: d.text})
	d.unit = unitOf(files, d)
	s := newServer(nil, Options{Files: files, Manifest: manifestKeys, Cases: caseKeys})
	return s, newCursor(d, files, positionAt(d.text, len(before)))
}

const (
	healthFile = "/w/mine/Cache/health.lua"
	healthLine = "function InterpretHealth(obj)\n"
)

func TestCompletion(t *testing.T) {
	status := []string{"conditions", "phase", "port"}
	condition := []string{"status", "type"}
	tests := map[string]struct {
		file, text string
		want       []string
		// has is a part of the answer, where all of it is too much.
		has []string
	}{
		"functions of kube":                 {text: "local a = kube.^", has: []string{"get", "condition", "resourceAdd"}},
		"functions of kube in CEL":          {file: "/w/mine/Cache/health.cel", text: "kube.ge^", has: []string{"get"}},
		"functions of a library":            {text: "return string.lo^", has: []string{"lower", "rep"}},
		"fields of the object":              {text: healthLine + "  return obj.^", want: []string{"apiVersion", "kind", "metadata", "spec", "status"}},
		"fields of the metadata":            {text: healthLine + "  return obj.metadata.^", has: []string{"name", "labels", "generation"}},
		"fields of the status":              {text: healthLine + "  return obj.status.^", want: status},
		"half a name":                       {text: healthLine + "  return obj.status.ph^", want: status},
		"of another function's object":      {text: healthLine + "end\nlocal function other(obj)\n  return obj.^", want: nil},
		"of a local":                        {text: healthLine + "  local s = obj.status or {}\n  return s.^", want: status},
		"of a local that kube.get returns":  {text: healthLine + "  local s = kube.get(obj, \"status\", {})\n  return s.^", want: status},
		"of the items of a list":            {text: healthLine + "  return obj.status.conditions[1].^", want: condition},
		"of the items of a loop":            {text: healthLine + "  for _, c in ipairs(obj.status.conditions or {}) do\n    if c.^", want: condition},
		"of a loop over what get returns":   {text: healthLine + "  for _, c in ipairs(kube.get(obj, 'status.conditions', {})) do\n    if c.^", want: condition},
		"in a path":                         {text: healthLine + "  return kube.get(obj, \"status.ph^", want: status},
		"in a path of a local":              {text: healthLine + "  local s = obj.status\n  return kube.get(s, \"^", want: status},
		"under a key in brackets":           {text: healthLine + "  return obj[\"status\"].^", want: status},
		"behind a call":                     {text: healthLine + "  local s = other(obj)\n  return s.^", want: nil},
		"in a comment before":               {text: healthLine + "  -- local s = obj.status\n  return s.^", want: nil},
		"of a function that is assigned":    {text: "InterpretHealth = function(o)\n  return o.status.^", want: status},
		"behind other letters":              {text: healthLine + "  return \"é𝄞\" .. obj.status.^", want: status},
		"of status items":                   {file: "/w/mine/Cache/aggregate.lua", text: "function AggregateStatus(o, items)\n  for _, i in ipairs(items) do\n    local p = i.status.^", want: status},
		"of a status item":                  {file: "/w/mine/Cache/aggregate.lua", text: "function AggregateStatus(o, items)\n  local p = items[1].^", want: []string{"applied", "appliedMessage", "clusterName", "health", "status"}},
		"in an expression":                  {file: "/w/mine/Cache/health.cel", text: "object.status.^", want: status},
		"in a macro":                        {file: "/w/mine/Cache/health.cel", text: "object.status.conditions.exists(c, c.^", want: condition},
		"in a function of a module":         {file: "/w/mine/lib/shared.lua", text: "local M = {}\nfunction M.saved(o)\n  return o.status.^", want: status},
		"in another function of a module":   {file: "/w/mine/lib/shared.lua", text: "local M = {}\nfunction M.other(o)\n  return o.^", want: nil},
		"parameters":                        {text: "return params.^", want: []string{"mode"}},
		"modules":                           {text: "local m = require(\"lib.^", want: []string{"lib.shared"}},
		"the function of the file":          {text: "function Int^", want: []string{"InterpretHealth"}},
		"functions of a file in no bundle":  {file: "/w/a.lua", text: "function ^", has: []string{"InterpretHealth", "AggregateStatus"}},
		"an object in no bundle":            {file: "/w/a.lua", text: "function InterpretHealth(o)\n  return o.^", want: []string{"apiVersion", "kind", "metadata"}},
		"the function of a customization":   {file: "/w/c.yaml", text: "spec:\n  customizations:\n    healthInterpretation:\n      luaScript: |\n        return kube.^", has: []string{"get"}},
		"below a customization's script":    {file: "/w/c.yaml", text: "spec:\n  customizations:\n    healthInterpretation:\n      luaScript: |\n        return 1\n    other: kube.^", want: nil},
		"keys of a manifest":                {file: "/w/mine/bundle.yaml", text: "^", want: []string{"apiVersion", "metadata", "spec"}},
		"keys of a spec":                    {file: "/w/mine/bundle.yaml", text: "spec:\n  ki^", want: []string{"kinds", "operations", "limits"}},
		"keys of an item":                   {file: "/w/mine/bundle.yaml", text: "spec:\n  kinds:\n    - ^", want: []string{"group", "kind"}},
		"keys of an item that has some":     {file: "/w/mine/bundle.yaml", text: "spec:\n  kinds:\n    - group: a\n      ^", want: []string{"group", "kind"}},
		"keys of an item without an indent": {file: "/w/mine/bundle.yaml", text: "spec:\n  kinds:\n  - group: a\n    ^", want: []string{"group", "kind"}},
		"keys behind a list":                {file: "/w/mine/bundle.yaml", text: "spec:\n  kinds:\n    - group: a\n  limits:\n    ^", want: []string{"gas"}},
		"files of operations":               {file: "/w/mine/bundle.yaml", text: "spec:\n  operations:\n    - kinds: [A]\n      functions:\n        ^", has: []string{"health", "replicas"}},
		"keys of a case":                    {file: "/w/mine/Cache/testdata/a.yaml", text: "name: a\n---\nna^", want: []string{"name", "operation", "output"}},
		"operations":                        {file: "/w/mine/Cache/testdata/a.yaml", text: "operation: Int^", has: []string{"InterpretHealth"}},
		"other YAML":                        {file: "/w/a.yaml", text: "^", want: nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := test.file
			if file == "" {
				file = healthFile
			}
			s, c := cursorIn(t, file, test.text)
			var got []string
			if list := s.completion(c); list != nil {
				for _, item := range list.Items {
					got = append(got, item.Label)
				}
			}
			for _, label := range test.has {
				if !slices.Contains(got, label) {
					t.Errorf("%q is not among %q", label, got)
				}
			}
			if test.has == nil {
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("labels (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestCompletionReplacesWhatWasTyped(t *testing.T) {
	s, c := cursorIn(t, healthFile, healthLine+"  return \"𝄞\" .. obj.status.ph^")
	items := s.completion(c).Items
	want := completionItem{
		Label: "phase", Kind: fieldItem, Detail: `string: "Up", "Down"`, Documentation: &markup{"plaintext", "Where it is."},
		TextEdit: &textEdit{*at(1, 28, 1, 30), "phase"},
	}
	if diff := cmp.Diff(want, items[1]); diff != "" {
		t.Errorf("the item (-want +got):\n%s", diff)
	}
	s, c = cursorIn(t, healthFile, "function ^")
	if got := s.completion(c).Items[0].TextEdit.NewText; got != "InterpretHealth(object, failover)" {
		t.Errorf("the function is inserted as %q", got)
	}
}

func TestHover(t *testing.T) {
	tests := map[string]struct{ file, text, want string }{
		"a function of kube":       {text: "return kube.ge^t(a)", want: "kube.get([object], path, [default]) -> any or nil"},
		"in CEL":                   {file: "/w/mine/Cache/health.cel", text: "kube.g^et(object, 'a')", want: "kube.get(map(string, dyn)|null, string|list(string)) -> dyn\nkube.get("},
		"a field":                  {text: healthLine + "  return obj.status.pha^se == 1", want: "obj.status.phase: string: \"Up\", \"Down\"\n\nWhere it is."},
		"a field in a path":        {text: healthLine + "  return kube.get(obj, \"spec.repl^icas\")", want: "obj.spec.replicas: integer\n\nHow many there are."},
		"above a field":            {text: healthLine + "  return obj.sta^tus.phase", want: "obj.status: map"},
		"a number or a text":       {text: healthLine + "  return obj.status.port^", want: "obj.status.port: integer or string"},
		"a map of texts":           {text: healthLine + "  return obj.spec.^labels", want: "obj.spec.labels: map of string"},
		"a list":                   {text: healthLine + "  return obj.status.conditions^", want: "obj.status.conditions: list of map"},
		"a function of operation":  {text: "function Interpret^Health(obj)", want: "function InterpretHealth(object, failover) -> healthy"},
		"a parameter":              {text: "return params.mod^e", want: "parameter: strict, lax; by default strict\n\nHow it is read."},
		"an operation":             {file: "/w/mine/Cache/testdata/a.yaml", text: "operation: Interpret^Health", want: "InterpretHealth: function InterpretHealth"},
		"a key":                    {file: "/w/mine/bundle.yaml", text: "spec:\n  kin^ds:\n", want: "kinds: list\n\nwhat it is about"},
		"a key of an item":         {file: "/w/mine/bundle.yaml", text: "spec:\n  kinds:\n    - gro^up: a\n", want: "group: text\n\nthe group"},
		"an unknown field":         {text: healthLine + "  return obj.status.pha^", want: ""},
		"nothing":                  {text: "return  ^  1", want: ""},
		"the end of an empty text": {text: "^", want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := test.file
			if file == "" {
				file = healthFile
			}
			s, c := cursorIn(t, file, test.text)
			got := ""
			if h := s.hover(c); h != nil {
				got = h.Contents.Value
			}
			if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
				t.Errorf("got %q; want %q", got, test.want)
			}
		})
	}
}

func TestDefinition(t *testing.T) {
	shared := func(r textRange) *location { return &location{"file:///w/mine/lib/shared.lua", r} }
	tests := map[string]struct {
		file, text string
		want       *location
	}{
		"a module":                 {text: "local s = require(\"lib.sha^red\")", want: shared(textRange{})},
		"a function of a module":   {text: "local s = require(\"lib.shared\")\nreturn s.sav^ed(1)", want: shared(*at(2, 16, 2, 21))},
		"a field of a module":      {text: "local s = require(\"lib.shared\")\nreturn s.oth^er", want: shared(*at(6, 7, 6, 12))},
		"a function in a manifest": {file: "/w/mine/bundle.yaml", text: "kind: Bundle\n        state: [lib.shared.sa^ved", want: shared(*at(2, 16, 2, 21))},
		"a module that is absent":  {text: "local s = require(\"lib.oth^er\")", want: nil},
		"a variable":               {text: "local s = require(\"lib.shared\")\nreturn t.sav^ed(1)", want: nil},
		"in no bundle":             {file: "/w/a.lua", text: "local s = require(\"lib.sha^red\")", want: nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := test.file
			if file == "" {
				file = healthFile
			}
			s, c := cursorIn(t, file, test.text)
			if diff := cmp.Diff(test.want, s.definition(c)); diff != "" {
				t.Errorf("definition (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzAnswers has no text and no place stop an answer.
func FuzzAnswers(f *testing.F) {
	f.Add("Cache/health.lua", healthLine+"  return obj.status.ph", 1, 20)
	f.Add("bundle.yaml", "spec:\n  kinds:\n  - ", 2, 4)
	f.Add("Cache/health.cel", "object.status.conditions.exists(c, c.", 0, 30)
	f.Add("Cache/testdata/a.yaml", "luaScript: |\n  kube.", 1, 7)
	f.Fuzz(func(t *testing.T, name, text string, line, character int) {
		d := &document{uri: "file:///w/mine/" + name, path: "/w/mine/" + name, language: languageOf(name, "lua"), text: text}
		files := source.New(filesOf(map[string]string{"/w/mine/bundle.yaml": manifest, "/w/mine/crds/a.yaml": crd})).With(map[string]string{d.path: text})
		d.unit = unitOf(files, d)
		s := newServer(nil, Options{Files: files, Manifest: manifestKeys, Cases: caseKeys})
		c := newCursor(d, files, position{max(line, 0), max(character, 0)})
		s.completion(c)
		s.hover(c)
		s.definition(c)
	})
}
