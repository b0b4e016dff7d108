// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"slices"
	"testing"

	"github.com/dragoman-io/dragoman/test/attack"
)

// TestAttacksByLua runs each attack in Lua through dragoman eval.
func TestAttacksByLua(t *testing.T) {
	d := build(t)
	d.run(t, object(t, attack.Object()), attack.Lua(), func(source string) map[string]any {
		return map[string]any{"luaScript": "function ReflectStatus(params) if not params.armed then return {} end " + source + "\nend"}
	})
}

// TestAttacksByCEL runs each attack in CEL through dragoman eval.
func TestAttacksByCEL(t *testing.T) {
	d := build(t)
	d.run(t, object(t, attack.Target()), attack.CEL(), func(source string) map[string]any {
		return map[string]any{"celExpression": "has(object.armed) ? dyn(" + source + ") : dyn({})"}
	})
}

// run runs attacks one by one, and compares what each makes of the process with what a
// script that does nothing makes of it.
func (d dragoman) run(t *testing.T, object string, attacks []attack.Attack, rule func(source string) map[string]any) {
	t.Helper()
	idle := d.eval(t, object, customization(t, rule("")))
	for _, a := range attacks {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			end := d.eval(t, object, customization(t, rule(a.Source)))
			if wrong := end.check(a); wrong != "" {
				t.Errorf("%s; it is %d:\n%.2000s", wrong, end.exit, end.output)
			}
			if growth := end.peak - idle.peak; growth > attack.MostGrowth {
				t.Errorf("the process grew by %d bytes; at most %d are allowed", growth, attack.MostGrowth)
			}
			t.Logf("%v of processor time, %d MiB", end.took, end.peak>>20)
		})
	}
	t.Logf("a script that does nothing: %v of processor time, %d MiB", idle.took, idle.peak>>20)
}

func TestKnownAttacksAreHere(t *testing.T) {
	for language, c := range map[string]struct {
		known   []attack.Known
		attacks []attack.Attack
	}{
		"Lua": {attack.KnownLua(), attack.Lua()},
		"CEL": {attack.KnownCEL(), attack.CEL()},
	} {
		var names []string
		for _, a := range c.attacks {
			if slices.Contains(names, a.Name) {
				t.Errorf("%s: two attacks have the name %s", language, a.Name)
			}
			names = append(names, a.Name)
		}
		for _, k := range c.known {
			if len(k.Attacks) == 0 {
				t.Errorf("%s: no attack is %s", language, k.What)
			}
			for _, name := range k.Attacks {
				if !slices.Contains(names, name) {
					t.Errorf("%s: there is no attack %s", language, name)
				}
			}
		}
	}
}
