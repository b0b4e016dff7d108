// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

const unitsModule = "local M = {}\nfunction M.isSI() return params.units == 'si' end\nreturn M\n"

const healthWithModule = "local units = require('lib.units')\nfunction InterpretHealth(obj)\n  return units.isSI()\nend\n"

func TestScriptsShareModules(t *testing.T) {
	fsys := folder(map[string]string{
		"web/lib/units.lua":   "local inner = require(\"lib.inner\")\nreturn inner",
		"web/lib/inner.lua":   unitsModule,
		"web/lib/README.md":   "text",
		"web/lib/.units.swp":  "x",
		"web/Site/health.lua": healthWithModule,
	})
	b, err := newLoader(t).Load(fsys, "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Installed, b.Source); err != nil {
		t.Fatal(err)
	}
	health, err := i.Snapshot().Health(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "web.example/v1", "kind": "Site"}})
	if err != nil || health != "Healthy" {
		t.Errorf("got health %v, error %v; want Healthy, as in the module", health, err)
	}
}

func TestLoadSaysWhatIsWrongWithModules(t *testing.T) {
	for name, c := range map[string]struct {
		changes map[string]string
		want    []string
		once    string
	}{
		"a module that no script requires": {
			changes: map[string]string{"web/lib/units.lua": unitsModule},
			want:    []string{"web/lib/units.lua: not required by any script"},
		},
		"two modules that only require each other's text": {
			changes: map[string]string{"web/lib/a.lua": "return require('lib.b')", "web/lib/b.lua": "return {}"},
			want:    []string{"web/lib/a.lua: not required by any script", "web/lib/b.lua: not required by any script"},
		},
		"a module that does not parse and that no script requires": {
			changes: map[string]string{"web/lib/units.lua": "return {\n\n"},
			want:    []string{"web/lib/units.lua:3: unexpected end", "web/lib/units.lua: not required"},
		},
		"a module that does not parse and that two scripts require": {
			changes: map[string]string{
				"web/lib/units.lua": "local M = {}\nlocal = 1\nreturn M", "web/Site/health.lua": healthWithModule,
				"web/Site/status.lua": "local units = require('lib.units')\nfunction ReflectStatus(o) return o.status end",
			},
			want: []string{"web/lib/units.lua:2"},
			once: "web/lib/units.lua:2",
		},
		"a module that is not there": {
			changes: map[string]string{"web/Site/health.lua": strings.Replace(healthWithModule, "lib.units", "lib.unit", 1), "web/lib/units.lua": unitsModule},
			want:    []string{"web/Site/health.lua:1", "did you mean lib.units?"},
		},
		"a global that nothing defines": {
			changes: map[string]string{"web/Site/health.lua": "function InterpretHealth(obj)\n  ready = true\n  return ready\nend"},
			want:    []string{"web/Site/health.lua:2"},
		},
		"files that are no modules": {
			changes: map[string]string{"web/lib/units.cel": "1", "web/lib/more/a.lua": "return 1", "web/lib/a-b.lua": "return 1"},
			want:    []string{"web/lib/units.cel: lib holds modules", "web/lib/more: lib holds modules", "web/lib/a-b.lua: lib holds modules"},
		},
		"a kind called as the folder of modules": {
			changes: map[string]string{"web/bundle.yaml": strings.Replace(manifest, "kind: Site", "kind: lib", 1)},
			want:    []string{"web/bundle.yaml:7: spec.kinds[0]: the folder lib is for what the scripts share"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newLoader(t).Load(folder(c.changes), "web", nil)
			if err == nil {
				t.Fatal("the bundle was taken")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("there is no %q in:\n%v", want, err)
				}
			}
			if n := strings.Count(err.Error(), c.once); c.once != "" && n != 1 {
				t.Errorf("%s stands %d times in:\n%v", c.once, n, err)
			}
		})
	}
}

func TestLimitsOnlyLower(t *testing.T) {
	for _, field := range []string{"gas", "memory", "depth", "string", "nesting", "source"} {
		text := strings.Replace(manifest, "gas: 5000", field+": 999999999", 1)
		_, err := newLoader(t).Load(folder(map[string]string{"web/bundle.yaml": text}), "web", nil)
		want := "web/bundle.yaml:17: spec.limits." + field + ": 999999999 is above what the engine allows"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v; want %s", field, err, want)
		}
	}
}
