// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"

	"github.com/dragoman-io/dragoman/engine/script"
)

// answerOf asks a question about a Site, and returns the answer and what the run took.
func answerOf(op Op, rule *Rule, object, observed *unstructured.Unstructured) ([]any, script.Usage, error) {
	var usage script.Usage
	i := NewInterpreter(Options{Observe: func(r Run) { usage = r.Usage }})
	set(i, Embedded, sourceOf("site", op, rule))
	answer, err := i.Snapshot().Evaluate(Request{Operation: op, Object: object, Observed: observed, Replicas: 1})
	return answer, usage, err
}

// given returns the rules of all forms that answer with the field of the spec.
func given(t *testing.T, op Op, field string) map[string]*Rule {
	lua := fmt.Sprintf("function %s(o) return o.spec.%s end", described(t, op).Entry, field)
	return map[string]*Rule{
		"lua":       luaRule(t, op, lua),
		"published": published(luaRule(t, op, lua)),
		"cel":       celRule(t, op, described(t, op).Params[0].Name+".spec."+field),
	}
}

// named returns n components.
func named(n int) l {
	all := l{}
	for i := range n {
		all = append(all, m{"name": fmt.Sprint("c", i), "replicas": int64(1)})
	}
	return all
}

func TestComponentsArePaid(t *testing.T) {
	const n = 10_000
	for form, rule := range given(t, InterpretComponent, "answer") {
		_, usage, err := answerOf(InterpretComponent, rule, site(m{"answer": named(n)}), nil)
		if err != nil || usage.Gas < 2*n || usage.Memory < 100*n {
			t.Errorf("%s: %d components took %+v, error %v; want at least 2 units of gas and 100 bytes for each", form, n, usage, err)
		}
		_, _, err = answerOf(InterpretComponent, rule, site(m{"answer": append(named(n), m{"name": "c0"})}), nil)
		if err == nil || !strings.Contains(err.Error(), `components[10000].name: "c0" stands twice`) {
			t.Errorf("%s: a name that comes twice: got error %v", form, err)
		}
		_, _, err = answerOf(InterpretComponent, rule, site(m{"answer": named(70_000)}), nil)
		var failure *script.Error
		if !errors.As(err, &failure) {
			t.Errorf("%s: 70,000 components: got error %v", form, err)
		}
	}
}

// numberedFields returns a map of n fields.
func numberedFields(n int) m {
	all := m{}
	for i := range n {
		all[fmt.Sprint("k", i)] = int64(i)
	}
	return all
}

// A map is copied once, however many pointers go through it.
func TestPointersCopyAMapOnce(t *testing.T) {
	desired, observed := site(m{"map": numberedFields(40_000)}), site(m{"map": numberedFields(40_000)})
	for i := range 4_000 {
		observed.Object["spec"].(m)["map"].(m)[fmt.Sprint("k", i)] = "other"
	}
	const expression = `lists.range(4000).map(i, '/spec/map/k' + string(i))`
	_, usage, err := answerOf(Retain, celRule(t, Retain, expression), desired, observed)
	if err != nil || usage.Memory > script.DefaultLimits().Memory {
		t.Errorf("retain: got %+v, error %v; want one copy of a map of 40,000 fields", usage, err)
	}
	_, usage, err = answerOf(PruneTemplate, celRule(t, PruneTemplate, expression), desired, nil)
	if err != nil || usage.Memory > script.DefaultLimits().Memory {
		t.Errorf("prune: got %+v, error %v; want one copy of a map of 40,000 fields", usage, err)
	}
}

func TestEqualValuesAreComparedOnce(t *testing.T) {
	desired, observed := site(m{"map": numberedFields(20_000)}), site(m{"map": numberedFields(20_000)})
	rule := celRule(t, Retain, `lists.range(4000).map(i, '/spec/map')`)
	got, usage, err := answerOf(Retain, rule, desired, observed)
	if err != nil || got[0] != desired || usage.Gas > 100_000 {
		t.Errorf("got %+v, error %v; want the desired object itself after one comparison of 20,000 fields", usage, err)
	}
}

func TestPointersOfAnyShape(t *testing.T) {
	desired := func() *unstructured.Unstructured {
		return site(m{"a": m{"b": int64(1), "c": int64(2)}, "text": "x", "null": nil, "a/b": m{"~": int64(1)}})
	}
	observed := func() *unstructured.Unstructured {
		return site(m{"a": m{"b": int64(3), "d": nil}, "text": m{"y": int64(1)}, "null": m{"z": int64(1)}, "new": m{"e": int64(4)}, "a/b": m{"~": int64(2)}})
	}
	for paths, want := range map[string]m{
		`["/spec/a/b"]`:               {"a": m{"b": int64(3), "c": int64(2)}, "text": "x", "null": nil, "a/b": m{"~": int64(1)}},
		`["/spec/a/b", "/spec/a"]`:    {"a": m{"b": int64(3), "d": nil}, "text": "x", "null": nil, "a/b": m{"~": int64(1)}},
		`["/spec/a", "/spec/a/b"]`:    {"a": m{"b": int64(3), "d": nil}, "text": "x", "null": nil, "a/b": m{"~": int64(1)}},
		`["/spec/a/d", "/spec/gone"]`: {"a": m{"b": int64(1), "c": int64(2), "d": nil}, "text": "x", "null": nil, "a/b": m{"~": int64(1)}},
		`["/spec/null/z"]`:            {"a": m{"b": int64(1), "c": int64(2)}, "text": "x", "null": m{"z": int64(1)}, "a/b": m{"~": int64(1)}},
		`["/spec/new/e"]`:             {"a": m{"b": int64(1), "c": int64(2)}, "text": "x", "null": nil, "new": m{"e": int64(4)}, "a/b": m{"~": int64(1)}},
		`["/spec/a~1b/~0"]`:           {"a": m{"b": int64(1), "c": int64(2)}, "text": "x", "null": nil, "a/b": m{"~": int64(2)}},
		`["/spec/text"]`:              {"a": m{"b": int64(1), "c": int64(2)}, "text": m{"y": int64(1)}, "null": nil, "a/b": m{"~": int64(1)}},
	} {
		got, _, err := answerOf(Retain, celRule(t, Retain, paths), desired(), observed())
		if err != nil {
			t.Errorf("%s: %v", paths, err)
			continue
		}
		if diff := diffOf(site(want), got[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", paths, diff)
		}
	}
}

func TestPointersThatAreRefused(t *testing.T) {
	other := site(m{"text": m{"y": int64(1)}})
	other.Object["metadata"].(m)["name"] = "other"
	for paths, want := range map[string]string{
		`["/spec/text/y"]`:                    "paths[0]: /spec/text/y: the path goes through a value that is not a map",
		`["/spec/gone/x", "/spec/text/y"]`:    "paths[1]: /spec/text/y: the path goes through a value that is not a map",
		`["/metadata/name"]`:                  `object.metadata.name: the script changed it from "home" to "other"`,
		`["/metadata"]`:                       `object.metadata.name: the script changed it from "home" to "other"`,
		`lists.range(5000).map(i, "/spec/a")`: "paths: there are 5000 JSON pointers; at most 4096 are allowed",
		`[desired]`:                           `paths[0]: want a JSON pointer such as "/spec/replicas", got a map`,
		`["/" + "//////////////////////////////////////////////////////////////////////////"]`: "paths[0]: ////",
	} {
		_, _, err := answerOf(Retain, celRule(t, Retain, paths), site(m{"text": "x"}), other)
		t.Run(paths, func(t *testing.T) { expectResultError(t, err, "site.cel", want) })
	}
}

func TestALongPointerIsRefused(t *testing.T) {
	desired := site(m{"path": strings.Repeat("/", 1<<20)})
	_, usage, err := answerOf(Retain, celRule(t, Retain, "[desired.spec.path]"), desired, desired)
	expectResultError(t, err, "site.cel", "paths[0]: "+strings.Repeat("/", 100)+"...: a JSON pointer has at most 1024 bytes and 64 keys")
	if usage.Memory > 1<<20 {
		t.Errorf("%d bytes were taken for it", usage.Memory)
	}
}

func TestSelectorsAreFormattedForTiesAlone(t *testing.T) {
	rule := given(t, InterpretDependency, "answer")["lua"]
	all := l{}
	for i := range 500 {
		all = append(all, m{"apiVersion": "v1", "kind": "Secret", "name": fmt.Sprint("s", i%490), "labelSelector": m{"matchLabels": m{"a": fmt.Sprint("b", i)}}})
	}
	answer, usage, err := answerOf(InterpretDependency, rule, site(m{"answer": all}), nil)
	if err != nil || usage.Gas < 500*4 {
		t.Fatalf("took %+v, error %v", usage, err)
	}
	formatted := 0
	references := answer[0].([]reference)
	for _, r := range keyedReferences(append(references, references[0])) {
		if r.formatted != nil {
			formatted++
		}
	}
	if len(references) != 500 || formatted > 22 {
		t.Errorf("%d of %d selectors are formatted; want those of equal names", formatted, len(references))
	}
}

func TestConvertedValuesAreBounded(t *testing.T) {
	tolerations := l{}
	for range 2_000 {
		tolerations = append(tolerations, m{"key": "a", "operator": "Exists"})
	}
	affinity := m{"nodeSelectorTerms": tolerations}
	labels := m{}
	for i := range 3_000 {
		labels[fmt.Sprint("k", i)] = "v"
	}
	for name, c := range map[string]struct {
		op     Op
		answer any
		want   string
	}{
		"affinity":       {InterpretComponent, l{m{"name": "a", "replicaRequirements": m{"nodeClaim": m{"hardNodeAffinity": affinity}}}}, "components[0].replicaRequirements.nodeClaim.hardNodeAffinity: it has 6002 fields and items; at most 5000 are allowed"},
		"unknown fields": {InterpretComponent, l{m{"name": "a", "replicaRequirements": m{"nodeClaim": m{"hardNodeAffinity": m{"nodeSelectorTerms": l{numberedFields(20_000)}}}}}}, "components[0].replicaRequirements.nodeClaim.hardNodeAffinity: it has 20003 fields and items"},
		"labels":         {InterpretDependency, l{m{"apiVersion": "v1", "kind": "A", "labelSelector": m{"matchLabels": labels}}}, "dependencies[0].labelSelector: it has more than 32768 bytes"},
		"a long label":   {InterpretDependency, l{m{"apiVersion": "v1", "kind": "A", "labelSelector": m{"matchLabels": m{strings.Repeat("a", 1<<19): "v"}}}}, "dependencies[0].labelSelector: it has more than 32768 bytes"},
	} {
		for form, rule := range given(t, c.op, "answer") {
			_, _, err := answerOf(c.op, rule, site(m{"answer": c.answer}), nil)
			file := "site.lua"
			if form == "cel" {
				file = "site.cel"
			}
			t.Run(name+" "+form, func(t *testing.T) { expectResultError(t, err, file, c.want) })
		}
	}
}

func TestTolerationsArePaid(t *testing.T) {
	tolerations := l{}
	for range 60_000 {
		tolerations = append(tolerations, m{"key": "a", "operator": "Exists"})
	}
	for form, rule := range given(t, InterpretComponent, "answer") {
		answer := l{m{"name": "a", "replicaRequirements": m{"nodeClaim": m{"tolerations": tolerations}}}}
		_, _, err := answerOf(InterpretComponent, rule, site(m{"answer": answer}), nil)
		var failure *script.Error
		if !errors.As(err, &failure) || failure.Code != script.Result && failure.Code != script.Gas {
			t.Errorf("%s: got error %v; want that of an answer that is too large, or Gas", form, err)
		}
	}
}

func TestTolerationsAreReadAsTheirFields(t *testing.T) {
	for form, rule := range given(t, InterpretComponent, "answer") {
		for _, c := range []struct {
			toleration any
			want       string
		}{
			{m{"key": int64(1)}, "tolerations[0].key: want a string, got a number"},
			{m{"tolerationSeconds": 1.5}, "tolerations[0].tolerationSeconds: want a whole number, got 1.5"},
			{"a", "tolerations[0]: want a map, got a string"},
		} {
			answer := l{m{"name": "a", "replicaRequirements": m{"nodeClaim": m{"tolerations": l{c.toleration}}}}}
			_, _, err := answerOf(InterpretComponent, rule, site(m{"answer": answer}), nil)
			if err == nil || !strings.Contains(err.Error(), "components[0].replicaRequirements.nodeClaim."+c.want) {
				t.Errorf("%s: got error %v; want %s", form, err, c.want)
			}
		}
	}
}

// hugeQuantities are texts whose parser, without bounds, takes seconds to hours.
var hugeQuantities = []string{
	"0.1e-99999999", "1e-19999999", "1e-9999999", "0.1e-999999999", "1e999999999", "1E-100", strings.Repeat("9", 1<<20), "0." + strings.Repeat("0", 1<<20) + "1", "1e" + strings.Repeat("0", 1<<19) + "9",
}

func TestQuantitiesAreBounded(t *testing.T) {
	for _, text := range hugeQuantities {
		for op, c := range map[Op]struct {
			answer any
			want   string
		}{
			InterpretComponent: {l{m{"name": "a", "replicaRequirements": m{"resourceRequest": m{"cpu": text}}}}, "components[0].replicaRequirements.resourceRequest.cpu: the quantity "},
			InterpretReplica:   {m{"replicas": int64(1), "requirements": m{"resourceRequest": m{"cpu": text}}}, "requirements.resourceRequest.cpu: the quantity "},
		} {
			rules := given(t, op, "answer")
			if op == InterpretReplica {
				const lua = "function GetReplicas(o) return o.spec.answer.replicas, o.spec.answer.requirements end"
				rules["lua"], rules["published"] = luaRule(t, op, lua), published(luaRule(t, op, lua))
			}
			for form, rule := range rules {
				_, _, err := answerOf(op, rule, site(m{"answer": c.answer}), nil)
				var failure *script.Error
				if !errors.As(err, &failure) || failure.Code != script.Result || !strings.HasPrefix(failure.Message, c.want) || !strings.HasSuffix(failure.Message, "is out of range") {
					t.Errorf("%s %s %.20s: got error %v", op, form, text, err)
				}
			}
		}
	}
}

// Many long quantities cost more than many short ones.
func TestQuantitiesArePaidByLength(t *testing.T) {
	gas := func(text string) int64 {
		resources := m{}
		for i := range 2_000 {
			resources[fmt.Sprint("r", i)] = text
		}
		_, usage, err := answerOf(InterpretComponent, given(t, InterpretComponent, "answer")["lua"], site(m{"answer": l{m{"name": "a", "replicaRequirements": m{"resourceRequest": resources}}}}), nil)
		if err != nil {
			t.Fatal(err)
		}
		return usage.Gas
	}
	short, long := gas("500m"), gas("0."+strings.Repeat("1", 100))
	if short < 2*2_000 || long < 5*short {
		t.Errorf("2,000 quantities take %d units of gas, long ones %d", short, long)
	}
}

// diffOf compares an object with an answer.
func diffOf(want *unstructured.Unstructured, got any) string {
	return cmp.Diff(want.Object, got.(*unstructured.Unstructured).Object)
}

type reference = configv1alpha1.DependentObjectReference
