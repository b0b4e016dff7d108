// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"strings"
	"testing"
)

// What is returned and cannot be stored is an error that names the script.
func TestAnswersThatCannotBeStoredAreRefused(t *testing.T) {
	const want = "the answer has more than 1048576 bytes as JSON, which is too large to be stored"
	text := strings.Repeat("x", 600_000)
	escaped := strings.Repeat("\x01", 300_000)
	for name, c := range map[string]struct {
		op   Op
		lua  string
		spec m
	}{
		"status of two texts":      {InterpretStatus, "return {a = o.spec.text, b = o.spec.text}", m{"text": text}},
		"status of escaped text":   {InterpretStatus, "return {a = o.spec.text}", m{"text": escaped}},
		"status of a part, twice":  {InterpretStatus, "return {a = o.spec, b = o.spec}", m{"text": text}},
		"revised with two texts":   {ReviseReplica, "o.spec.a = o.spec.text o.spec.b = o.spec.text return o", m{"text": text}},
		"components of long texts": {InterpretComponent, "return {{name = 'a', replicaRequirements = {priorityClassName = o.spec.text}}, {name = 'b', replicaRequirements = {priorityClassName = o.spec.text}}}", m{"text": text}},
		"dependencies":             {InterpretDependency, "return {{apiVersion = 'v1', kind = o.spec.text, name = o.spec.text}}", m{"text": text}},
		"requirements":             {InterpretReplica, "return 1, {namespace = o.spec.text, priorityClassName = o.spec.text}", m{"text": text}},
		"state":                    {InterpretState, "local s = {} for i = 1, 300 do s[i .. ''] = o.spec.text end return s", m{"text": strings.Repeat("x", 4_000)}},
	} {
		source := fmt.Sprintf("function %s(o) %s end", described(t, c.op).Entry, c.lua)
		_, _, err := answerOf(c.op, luaRule(t, c.op, source), site(c.spec), nil)
		t.Run(name, func(t *testing.T) { expectResultError(t, err, "site.lua", want) })
		_, _, err = answerOf(c.op, published(luaRule(t, c.op, source)), site(c.spec), nil)
		t.Run(name+" published", func(t *testing.T) { expectResultError(t, err, "site.lua", want) })
	}
}

// What an object has already is not counted again: a large one can be changed.
func TestALargeObjectCanBeChanged(t *testing.T) {
	spec := func(pages int64) m {
		return m{"pages": pages, "list": l{m{"text": strings.Repeat("x", 1_400_000)}}}
	}
	const lua = "function ReviseReplica(o, n) o.spec.pages = n return o end"
	for form, rule := range map[string]*Rule{
		"lua": luaRule(t, ReviseReplica, lua), "published": published(luaRule(t, ReviseReplica, lua)),
		"cel": celRule(t, ReviseReplica, "{'spec': {'pages': replicas}}"),
	} {
		answer, _, err := answerOf(ReviseReplica, rule, site(spec(3)), nil)
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		if diff := diffOf(site(spec(1)), answer[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
}

func TestALargeStatusCanBeReflected(t *testing.T) {
	object := site(nil)
	object.Object["status"] = m{"text": strings.Repeat("x", 1_400_000)}
	rule := luaRule(t, InterpretStatus, "function ReflectStatus(o) return o.status end")
	for form, r := range map[string]*Rule{"lua": rule, "published": published(luaRule(t, InterpretStatus, "function ReflectStatus(o) return o.status end"))} {
		if _, _, err := answerOf(InterpretStatus, r, object, nil); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}
