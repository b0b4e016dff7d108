// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// hostileSpecs are contents of objects whose places are long, deep or many.
func hostileSpecs() map[string]m {
	empties, leaves := l{}, l{}
	for range 20_000 {
		empties = append(empties, m{})
	}
	for range 8_000 {
		leaves = append(leaves, m{"n": 2.0})
	}
	deep := any(m{})
	for range 5_000 {
		deep = m{strings.Repeat("k", 140): deep}
	}
	long := strings.Repeat("k", 200_000)
	return map[string]m{"empties": {long: m{"list": empties}}, "leaves": {long: m{"list": leaves}}, "deep": {"deep": deep}}
}

// The most harmless scripts there are, on the most hostile objects: what the conversion
// takes is paid by the size of the object, and what is not changed is not copied.
func TestThePublishedFormPaysForConversion(t *testing.T) {
	for name, spec := range hostileSpecs() {
		for op, lua := range map[Op]string{
			Retain:          "function Retain(desired, observed) return desired end",
			ReviseReplica:   "function ReviseReplica(o, n) return o end",
			InterpretStatus: "function ReflectStatus(o) return o.spec end",
		} {
			object := site(spec)
			answer, usage, err := answerOf(op, published(luaRule(t, op, lua)), object, object)
			if err != nil || usage.Gas < 1_000 || usage.Memory > script.DefaultLimits().Memory {
				t.Errorf("%s %s: took %+v, error %v; want at least 1,000 units of gas", name, op, usage, err)
				continue
			}
			if name == "empties" && op != InterpretStatus && answer[0] != object {
				t.Errorf("%s %s: the object is copied", name, op)
			}
		}
	}
}

func TestArgumentsThatAreTooMuchEndTheRun(t *testing.T) {
	nulls := l{}
	for range 100_000 {
		nulls = append(nulls, m{"a": nil})
	}
	for limits, code := range map[script.Limits]script.Code{{Gas: 1_000}: script.Gas, {}: script.Memory} {
		i := NewInterpreter(Options{Limits: limits})
		set(i, Embedded, sourceOf("site", InterpretHealth, published(luaRule(t, InterpretHealth, "function InterpretHealth(o) return true end"))))
		_, err := i.Snapshot().Health(site(m{"nulls": nulls}))
		var failure *script.Error
		if !errors.As(err, &failure) || failure.Code != code || !strings.Contains(err.Error(), "site.lua: the arguments alone need more than") {
			t.Errorf("got error %v; want one of code %s that names the script", err, code)
		}
	}
}
