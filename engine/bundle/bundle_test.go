// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

const manifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata:
  name: web
spec:
  kinds:
    - group: web.example
      versions: [v1, v2]
      kind: Site
  parameters:
    - name: units
      default: si
      values: [si, binary]
    - name: note
      default: ""
  limits:
    gas: 5000
`

const health = "function InterpretHealth(obj)\n  return params.units == 'si'\nend\n"

// folder makes a file system with the bundle web and changes to it; an empty text
// takes a file away.
func folder(changes map[string]string) fstest.MapFS {
	files := map[string]string{"web/bundle.yaml": manifest, "web/Site/health.lua": health}
	for name, text := range changes {
		files[name] = text
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fsys
}

func newLoader(t *testing.T) Loader {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return Loader{Compiler: c}
}

func TestLoad(t *testing.T) {
	fsys := folder(map[string]string{
		"web/README.md":                 "text",
		"web/Site/.health.lua.swp":      "x",
		"web/Site/revise.cel":           "{'spec': {'replicas': replicas}}",
		"web/Site/testdata/health.yaml": "no case",
	})
	b, err := newLoader(t).Load(fsys, "web", map[string]string{"units": "binary"})
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "web" || len(b.Kinds) != 2 {
		t.Errorf("got bundle %s with %d kinds; want web with 2", b.Name, len(b.Kinds))
	}
	for _, version := range []string{"v1", "v2"} {
		rules := b.Source.Kinds[schema.GroupVersionKind{Group: "web.example", Version: version, Kind: "Site"}]
		h, r := rules[engine.InterpretHealth], rules[engine.ReviseReplica]
		if h == nil || r == nil || len(rules) != 2 {
			t.Fatalf("%s: got rules %v; want health and revise", version, rules)
		}
		if h.Origin != "bundle web" || h.Limits.Gas != 5000 || h.Params["units"] != "binary" || h.Params["note"] != "" || h.Expression || h.Compat {
			t.Errorf("%s: got %+v", version, h)
		}
		if !r.Expression {
			t.Errorf("%s: revise.cel is not an expression", version)
		}
	}
}

func TestWithLeavesTheBundleAsItWas(t *testing.T) {
	b, err := newLoader(t).Load(folder(nil), "web", map[string]string{"note": "a"})
	if err != nil {
		t.Fatal(err)
	}
	with, err := b.With(map[string]string{"units": "binary"})
	if err != nil {
		t.Fatal(err)
	}
	kind := b.Kinds[0]
	was, is := b.Source.Kinds[kind][engine.InterpretHealth].Params, with.Source.Kinds[kind][engine.InterpretHealth].Params
	if was["units"] != "si" || is["units"] != "binary" || is["note"] != "a" {
		t.Errorf("got %v and %v; want units si, then binary, and note a", was, is)
	}
}

func TestLoadSaysWhatIsWrongAndWhere(t *testing.T) {
	for name, c := range map[string]struct {
		changes map[string]string
		params  map[string]string
		want    []string
	}{
		"no manifest": {
			changes: map[string]string{"web/bundle.yaml": ""},
			want:    []string{"web/bundle.yaml"},
		},
		"an unknown key": {
			changes: map[string]string{"web/bundle.yaml": strings.Replace(manifest, "gas: 5000", "gass: 5000", 1)},
			want:    []string{`web/bundle.yaml:17: spec.limits: there is no key "gass"; did you mean gas?`},
		},
		"several at once": {
			changes: map[string]string{"web/bundle.yaml": strings.NewReplacer("name: web", "name: Web", "versions: [v1, v2]", "version: v1").Replace(manifest)},
			want: []string{
				`web/bundle.yaml:4: metadata.name: "Web" does not match`,
				`web/bundle.yaml:8: spec.kinds[0]: there is no key "version"; did you mean versions?`,
				"web/bundle.yaml:7: spec.kinds[0]: versions is missing",
			},
		},
		"another kind of object": {
			changes: map[string]string{"web/bundle.yaml": strings.Replace(manifest, "kind: Bundle", "kind: Bundel", 1)},
			want:    []string{"web/bundle.yaml:2: kind: want Bundle, got Bundel"},
		},
		"no kind": {
			changes: map[string]string{"web/bundle.yaml": "apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: a}\nspec:\n  kinds: []\n"},
			want:    []string{"web/bundle.yaml:5: spec.kinds: want at least one kind, with group, versions and kind"},
		},
		"a group with a version": {
			changes: map[string]string{"web/bundle.yaml": "apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: a}\nspec:\n  kinds:\n    - {group: web.example.com/v1, versions: [v1], kind: Site}\n"},
			want:    []string{`web/bundle.yaml:6: spec.kinds[0].group: "web.example.com/v1" has a version; write group: web.example.com and versions: [v1]`},
		},
		"two documents": {
			changes: map[string]string{"web/bundle.yaml": manifest + "---\n" + manifest},
			want:    []string{"web/bundle.yaml: want one document"},
		},
		"a default that is not allowed": {
			changes: map[string]string{"web/bundle.yaml": strings.Replace(manifest, "default: si", "default: metric", 1)},
			want:    []string{`web/bundle.yaml:12: spec.parameters[0].default: "metric" is none of the values si, binary`},
		},
		"a kind without a folder": {
			changes: map[string]string{"web/bundle.yaml": strings.Replace(manifest, "kind: Site", "kind: Page", 1)},
			want:    []string{`web/Site: there is no kind "Site"; known are Page`, "web/bundle.yaml: kind Page has no folder"},
		},
		"a folder without a script": {
			changes: map[string]string{"web/Site/health.lua": "", "web/Site/README.md": "text"},
			want:    []string{"web/Site: the folder of kind Site holds no script"},
		},
		"a script that is no operation": {
			changes: map[string]string{"web/Site/helth.lua": health},
			want:    []string{`web/Site/helth.lua: there is no operation "helth"; did you mean health?`},
		},
		"a file that is no script": {
			changes: map[string]string{"web/Site/health.luac": "x", "web/notes.org": "x"},
			want:    []string{"web/Site/health.luac: a kind's folder holds scripts", "web/notes.org: a bundle holds bundle.yaml"},
		},
		"two scripts for one operation": {
			changes: map[string]string{"web/Site/health.cel": "true"},
			want:    []string{"web/Site/health.lua: health.cel answers InterpretHealth already; keep one"},
		},
		"scripts that do not compile": {
			changes: map[string]string{"web/Site/health.lua": "function InterpretHealth(", "web/Site/revise.cel": "\nreplicaz"},
			want:    []string{"web/Site/health.lua:1: unexpected end", "web/Site/revise.cel:2:1: undeclared reference to 'replicaz'"},
		},
		"a script that does not end": {
			changes: map[string]string{"web/Site/health.lua": "function InterpretHealth(obj)\n  while true do end\nend"},
			want:    []string{"web/Site/health.lua:2: the run needs more than 5000 units of gas"},
		},
		"an unknown parameter": {
			params: map[string]string{"unit": "si"},
			want:   []string{`bundle web: there is no parameter "unit"; did you mean units?`},
		},
		"a value that is not allowed": {
			params: map[string]string{"units": "metric"},
			want:   []string{`bundle web: parameter units cannot be "metric"; its values are si, binary`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := newLoader(t).Load(folder(c.changes), "web", c.params)
			if err == nil || b != nil {
				t.Fatalf("got bundle %v, error %v; want an error alone", b, err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("there is no %q in:\n%v", want, err)
				}
			}
		})
	}
}

func TestLoadAll(t *testing.T) {
	other := strings.Replace(manifest, "name: web", "name: other", 1)
	for name, c := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"one bundle": {},
		"a folder that is no bundle": {
			changes: map[string]string{"notes/a.md": "x"},
			want:    "notes/bundle.yaml",
		},
		"two bundles of one name": {
			changes: map[string]string{
				"more/bundle.yaml":     strings.Replace(manifest, "kind: Site", "kind: Page", 1),
				"more/Page/health.lua": health,
			},
			want: "the folders more and web hold bundles of one name, web",
		},
		"two bundles that answer one operation": {
			changes: map[string]string{"other/bundle.yaml": other, "other/Site/health.lua": health},
			want:    "the bundles other and web both answer InterpretHealth for web.example/v1 Site",
		},
		"two bundles that share a kind": {
			changes: map[string]string{"other/bundle.yaml": other, "other/Site/status.lua": "function ReflectStatus(o) return o.status end"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := newLoader(t).LoadAll(folder(c.changes))
			if c.want == "" && (err != nil || len(all) == 0) {
				t.Fatalf("got %d bundles, error %v", len(all), err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v; want %s", err, c.want)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	b, err := newLoader(t).Load(folder(nil), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	for choice, want := range map[string]string{
		"web.units=binary": "",
		"units=binary":     "",
		"units":            `parameter "units": want [BUNDLE.]NAME=VALUE`,
		"wab.units=si":     `there is no bundle "wab"; did you mean web?`,
		"web.unit=si":      `bundle web: there is no parameter "unit"; did you mean units?`,
		"unit=si":          `there is no parameter "unit"; did you mean web.units?`,
		"units=x":          `parameter units cannot be "x"`,
	} {
		chosen, err := Choose([]*Bundle{b}, []string{choice})
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got error %v; want %s", choice, err, want)
		case want == "" && err != nil:
			t.Errorf("%s: %v", choice, err)
		case want == "" && chosen[0].current()["units"] != "binary":
			t.Errorf("%s: got units %v", choice, chosen[0].current()["units"])
		}
	}
	if b.current()["units"] != "si" {
		t.Error("a choice changed the bundle itself")
	}
}
