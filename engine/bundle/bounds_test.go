// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// boundless is a bundle with some kinds, each with scripts by their file names.
func boundless(spec string, files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{"web/bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: web}\nspec:\n  " + spec + "\n")}}
	for name, text := range files {
		fsys["web/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestWhatABundleMayHold(t *testing.T) {
	const site = "kinds: [{group: g.example, versions: [v1], kind: Site}]"
	busy := func(script string, versions int) fstest.MapFS {
		all := []string{}
		for i := range versions {
			all = append(all, fmt.Sprint("v", i+1))
		}
		return boundless("kinds: [{group: g.example, versions: ["+strings.Join(all, ", ")+"], kind: Site}]", map[string]string{"Site/health.lua": script})
	}
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"aliases": {
			boundless("a: &a ["+strings.Repeat("[], ", 1000)+"]\n  kinds: ["+strings.Repeat("*a, ", 20)+"]", nil),
			"web/bundle.yaml:6: too many values: a file may hold at most 10000",
		},
		"a long manifest": {
			boundless("description: "+strings.Repeat("x", 64<<10), nil), "web/bundle.yaml: too long: at most 65536 bytes are read",
		},
		"kinds": {
			busy("function InterpretHealth() return true end", 201), "web/bundle.yaml:5: spec.kinds[0]: too many kinds: a bundle may have at most 200",
		},
		"a long kind": {
			boundless("kinds: [{group: g.example, versions: [v1], kind: "+strings.Repeat("x", 300)+"}]", nil), "a kind of 309 bytes; want at most 253",
		},
		"kinds of a mapping": {
			boundless(site+"\n  operations: [{kinds: ["+strings.Repeat("Site, ", 201)+"], functions: {health: lib.a.b}}]", nil),
			"too many kinds: a mapping may have at most 200",
		},
		"many problems": {
			boundless(site+"\n  operations: ["+strings.Repeat("{x: y}, ", 500)+"]", nil), "more problems",
		},
		"source": {
			boundless(site, map[string]string{"Site/health.lua": strings.Repeat("-", 600<<10), "lib/a.lua": strings.Repeat("-", 600<<10)}),
			"web/lib/a.lua: too long: the scripts and modules of a bundle may have at most 1048576 bytes together, and 434176 are left; split the bundle",
		},
		"scripts": {many(site, 501), "web/bundle.yaml: 502 scripts and modules; a bundle may have at most 500; split it"},
		"the main chunk": {
			busy("for i = 1, 40000 do end\nfunction InterpretHealth() return true end", 1), "web/Site/health.lua:1: ",
		},
		"runs on empty objects": {
			busy("function InterpretHealth() for i = 1, 19000 do end return true end", 100),
			"web/Site/health.lua: the runs of the bundle's scripts on empty objects took more than 1000000 gas together",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newLoader(t).Load(c.files, "web", nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 4096 {
				t.Errorf("got an error of %d bytes: %v; want one with %q", len(fmt.Sprint(err)), err, c.want)
			}
		})
	}
}

// many has a script and n modules.
func many(spec string, n int) fstest.MapFS {
	files := map[string]string{"Site/health.lua": "function InterpretHealth() return true end"}
	for i := range n {
		files[fmt.Sprintf("lib/m%d.lua", i)] = "return {}"
	}
	return boundless(spec, files)
}
