// SPDX-License-Identifier: Apache-2.0

package override_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// attack is an object and overriders that are small by themselves and large together.
type attack struct {
	name       string
	object     *unstructured.Unstructured
	overriders policyv1alpha1.Overriders
	// most is what Apply may take from its budget; 0 where it must refuse the overriders.
	most int
}

// attacks returns the attacks, their sizes divided by a number.
func attacks(part int) []attack {
	n := func(size int) int { return max(size/part, 2) }
	return []attack{
		{"items on a wide map", configMap("data", n(60_000)), plaintexts(n(4_000), "/data/k%d", "replace", `"x"`), n(60_000) + 20*n(4_000)},
		{"items that remove from a wide map", configMap("data", n(60_000)), plaintexts(n(4_000), "/data/k%d", "remove", ``), n(60_000) + 20*n(4_000)},
		{"items that replace a wide map", configMap("data", n(60_000)), plaintexts(n(4_000), "/data", "replace", `{"a":{"b":1}}`), 30 * n(4_000)},
		{"items at the end of a list", listed(n(60_000)), plaintexts(n(4_000), "/list/-", "add", `1`), 3*n(60_000) + 20*n(4_000)},
		{"items at the front of a list", listed(60_000), plaintexts(4_000, "/list/0", "add", `1`), 0},
		{"items that remove the front of a list", listed(60_000), plaintexts(4_000, "/list/0", "remove", ``), 0},
		{"long paths", deep(900), plaintexts(n(4_000), strings.Repeat("/a", 900)+"/k%d", "add", `1`), 3*900 + 1100*n(4_000)},
		{"labels", configMap("metadata.labels", n(20_000)), policyv1alpha1.Overriders{LabelsOverrider: pairs(n(4_000))}, n(20_000) + 20*n(4_000)},
		{"annotations", configMap("metadata.annotations", n(20_000)), policyv1alpha1.Overriders{AnnotationsOverrider: pairs(n(4_000))}, n(20_000) + 20*n(4_000)},
		{"arguments by values", pod(1, n(40_000)), policyv1alpha1.Overriders{ArgsOverrider: arguments(1, "remove", n(40_000))}, 4 * n(40_000)},
		{"arguments by items", pod(1, n(4_000)), policyv1alpha1.Overriders{ArgsOverrider: arguments(n(4_000), "add", 1)}, 3*n(4_000) + 30*n(4_000)},
		{"items that each remove an argument", pod(1, 40_000), policyv1alpha1.Overriders{ArgsOverrider: arguments(4_000, "remove", 1)}, 0},
		{"command of many containers", pod(20_000, 0), policyv1alpha1.Overriders{CommandOverrider: arguments(4_000, "add", 1)}, 0},
		{"arguments of many containers of one name", pod(20_000, 0), policyv1alpha1.Overriders{ArgsOverrider: arguments(1, "add", 20_000)}, 0},
		{"images of many containers", pod(n(20_000), 0), policyv1alpha1.Overriders{ImageOverrider: mirrors(1)}, 100 * n(20_000)},
		{"images of many containers, many times", pod(20_000, 0), policyv1alpha1.Overriders{ImageOverrider: mirrors(128)}, 0},
		{"YAML scalars", document(max(n(194_000), 2_000), "{port: 1}"), fields(1, "yaml", "/k%d/port", "replace"), 5 * 194_000},
		{"JSON scalars", document(max(n(194_000), 2_000), `{"port":1}`), fields(1, "json", "/k%d/port", "replace"), 5 * 194_000},
		{"YAML keys", document(194_000, "{port: 1}"), fields(64, "yaml", "/n%d", "add"), 0},
		{"JSON keys", document(194_000, `{"port":1}`), fields(64, "json", "/n%d", "add"), 0},
		{"short documents", document(40, "{port: 1}"), fields(4_000, "yaml", "/n%d", "add"), 0},
	}
}

func configMap(field string, keys int) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetNamespace("ns")
	o.SetName("one")
	all := map[string]any{}
	for i := range keys {
		all[fmt.Sprintf("k%d", i)] = "v"
	}
	_ = unstructured.SetNestedField(o.Object, all, strings.Split(field, ".")...)
	return o
}

func listed(items int) *unstructured.Unstructured {
	o := configMap("data", 0)
	o.Object["list"] = repeated(items, "x")
	return o
}

func repeated(n int, value any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = value
	}
	return all
}

func deep(levels int) *unstructured.Unstructured {
	o := configMap("data", 0)
	at := o.Object
	for range levels {
		below := map[string]any{}
		at["a"], at = below, below
	}
	return o
}

func pod(containers, arguments int) *unstructured.Unstructured {
	o := configMap("data", 0)
	o.SetKind("Pod")
	all := make([]any, containers)
	for i := range all {
		c := map[string]any{"name": "c", "image": "nginx:1"}
		if arguments > 0 {
			list := make([]any, arguments)
			for j := range list {
				list[j] = fmt.Sprintf("a%d", j)
			}
			c["args"] = list
		}
		all[i] = c
	}
	o.Object["spec"] = map[string]any{"containers": all}
	return o
}

func document(bytes int, value string) *unstructured.Unstructured {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "\"k%d\": %s,\n", i, value)
	}
	b.WriteString("\"last\": {\"port\": 1}}\n")
	o := configMap("data", 0)
	o.Object["data"] = map[string]any{"f": b.String()}
	return o
}

func plaintexts(n int, path string, operator policyv1alpha1.OverriderOperator, value string) policyv1alpha1.Overriders {
	var o policyv1alpha1.Overriders
	for i := range n {
		at := path
		if strings.Contains(path, "%d") {
			at = fmt.Sprintf(path, i)
		}
		o.Plaintext = append(o.Plaintext, policyv1alpha1.PlaintextOverrider{Path: at, Operator: operator, Value: apiextensionsv1.JSON{Raw: []byte(value)}})
	}
	return o
}

func pairs(n int) []policyv1alpha1.LabelAnnotationOverrider {
	all := make([]policyv1alpha1.LabelAnnotationOverrider, n)
	for i := range all {
		all[i] = policyv1alpha1.LabelAnnotationOverrider{Operator: "add", Value: map[string]string{fmt.Sprintf("k%d", i): "x"}}
	}
	return all
}

func arguments(n int, operator policyv1alpha1.OverriderOperator, values int) []policyv1alpha1.CommandArgsOverrider {
	all := make([]policyv1alpha1.CommandArgsOverrider, n)
	for i := range all {
		all[i] = policyv1alpha1.CommandArgsOverrider{ContainerName: "c", Operator: operator}
		for j := range values {
			all[i].Value = append(all[i].Value, fmt.Sprintf("a%d", i+2*j))
		}
	}
	return all
}

func mirrors(n int) []policyv1alpha1.ImageOverrider {
	all := make([]policyv1alpha1.ImageOverrider, n)
	for i := range all {
		all[i] = policyv1alpha1.ImageOverrider{Component: policyv1alpha1.Registry, Operator: "replace", Value: fmt.Sprintf("mirror%d.example", i)}
	}
	return all
}

func fields(n int, form, path string, operator policyv1alpha1.OverriderOperator) policyv1alpha1.Overriders {
	var o policyv1alpha1.Overriders
	for range n {
		f := policyv1alpha1.FieldOverrider{FieldPath: "/data/f"}
		for i := range 64 {
			at, value := fmt.Sprintf(path, i), apiextensionsv1.JSON{Raw: []byte(`2`)}
			if form == "json" {
				f.JSON = append(f.JSON, policyv1alpha1.JSONPatchOperation{SubPath: at, Operator: operator, Value: value})
			} else {
				f.YAML = append(f.YAML, policyv1alpha1.YAMLPatchOperation{SubPath: at, Operator: operator, Value: value})
			}
		}
		o.FieldOverrider = append(o.FieldOverrider, f)
	}
	return o
}

// policy returns a policy with one rule for all clusters.
func policy(name string, o policyv1alpha1.Overriders) *policyv1alpha1.OverridePolicy {
	p := &policyv1alpha1.OverridePolicy{}
	p.Namespace, p.Name = "ns", name
	p.Spec.OverrideRules = []policyv1alpha1.RuleWithCluster{{Overriders: o}}
	return p
}

func one(o policyv1alpha1.Overriders) override.Policies {
	return override.Policies{Namespaced: []*policyv1alpha1.OverridePolicy{policy("p", o)}}
}

// TestAttacks counts what Apply copies and reads: what is done costs the size of the object and
// of the overriders, not one times the other, and the rest is refused by name.
func TestAttacks(t *testing.T) {
	for _, tc := range attacks(1) {
		t.Run(tc.name, func(t *testing.T) {
			cost, err := override.Cost(tc.object, member("m1"), one(tc.overriders))
			if tc.most > 0 {
				if err != nil || cost > tc.most {
					t.Errorf("it costs %d values (%v), want at most %d", cost, err, tc.most)
				}
				return
			}
			var failed *override.Error
			if !errors.As(err, &failed) || failed.Policy != "OverridePolicy ns/p" || !strings.HasPrefix(failed.Field, "spec.overrideRules[0].overriders.") {
				t.Fatalf("it is not refused with its place: %v", err)
			}
			if want := "together copy and read more than 8388608 values for one cluster; use fewer of them, or split what they change"; !strings.HasSuffix(err.Error(), want) {
				t.Errorf("error %v, want one with %q", err, want)
			}
			if cost != budget.Whole {
				t.Errorf("a refusal leaves %d values to those that follow", budget.Whole-cost)
			}
		})
	}
}

// TestPoliciesShareOneBudget has two policies that are applied by themselves, and the second is
// refused together with the first.
func TestPoliciesShareOneBudget(t *testing.T) {
	in, p := document(1_000_000, "{port: 1}"), one(fields(1, "yaml", "/k%d/port", "replace"))
	if _, err := override.Apply(in, member("m1"), p); err != nil {
		t.Fatal(err)
	}
	p.Namespaced = append(p.Namespaced, policy("q", p.Namespaced[0].Spec.OverrideRules[0].Overriders))
	_, err := override.Apply(in, member("m1"), p)
	var failed *override.Error
	if !errors.As(err, &failed) || failed.Policy != "OverridePolicy ns/q" || !strings.HasPrefix(failed.Field, "spec.overrideRules[0].overriders.fieldOverrider[0]") {
		t.Errorf("error %v, want one of policy q", err)
	}
}

// TestItemsAreWhatTheyAreOneByOne compares many items with as many calls of Apply, which change
// nothing that they got.
func TestItemsAreWhatTheyAreOneByOne(t *testing.T) {
	for _, tc := range attacks(1_000) {
		if tc.most == 0 {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			before := tc.object.DeepCopy()
			got, err := override.Apply(tc.object, member("m1"), one(tc.overriders))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(before, tc.object) {
				t.Error("Apply changed the object that it got")
			}
			want, err := itemByItem(tc.object, tc.overriders)
			if err != nil || !reflect.DeepEqual(want.Object, got.Object.Object) {
				t.Errorf("one by one they are %v (%v), together %v", want, err, got.Object)
			}
		})
	}
}

// itemByItem applies each item of overriders by itself, in the published order.
func itemByItem(o *unstructured.Unstructured, all policyv1alpha1.Overriders) (*unstructured.Unstructured, error) {
	var single []policyv1alpha1.Overriders
	for _, i := range all.ImageOverrider {
		single = append(single, policyv1alpha1.Overriders{ImageOverrider: []policyv1alpha1.ImageOverrider{i}})
	}
	for _, i := range all.CommandOverrider {
		single = append(single, policyv1alpha1.Overriders{CommandOverrider: []policyv1alpha1.CommandArgsOverrider{i}})
	}
	for _, i := range all.ArgsOverrider {
		single = append(single, policyv1alpha1.Overriders{ArgsOverrider: []policyv1alpha1.CommandArgsOverrider{i}})
	}
	for _, i := range all.LabelsOverrider {
		single = append(single, policyv1alpha1.Overriders{LabelsOverrider: []policyv1alpha1.LabelAnnotationOverrider{i}})
	}
	for _, i := range all.AnnotationsOverrider {
		single = append(single, policyv1alpha1.Overriders{AnnotationsOverrider: []policyv1alpha1.LabelAnnotationOverrider{i}})
	}
	for _, i := range all.FieldOverrider {
		single = append(single, policyv1alpha1.Overriders{FieldOverrider: []policyv1alpha1.FieldOverrider{i}})
	}
	for _, i := range all.Plaintext {
		single = append(single, policyv1alpha1.Overriders{Plaintext: []policyv1alpha1.PlaintextOverrider{i}})
	}
	for _, s := range single {
		r, err := override.Apply(o, member("m1"), one(s))
		if err != nil {
			return nil, err
		}
		o = r.Object
	}
	return o, nil
}

// TestApplyAllocatesOnce compares 50 and 500 items on one map of 5,000 keys: what copies the map
// for each of them allocates ten times as much.
func TestApplyAllocatesOnce(t *testing.T) {
	in := configMap("data", 5_000)
	few, many := allocated(t, in, 50), allocated(t, in, 500)
	if many > 3*few {
		t.Errorf("%d bytes for 50 items, and %d for 500", few, many)
	}
}

func allocated(t *testing.T, in *unstructured.Unstructured, items int) uint64 {
	t.Helper()
	p := one(plaintexts(items, "/data/k%d", "replace", `"x"`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := override.Apply(in, member("m1"), p); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestAnEmptyListStaysAList removes the last item of a list: the API server takes null for
// something else.
func TestAnEmptyListStaysAList(t *testing.T) {
	r, err := override.Apply(listed(1), member("m1"), one(plaintexts(1, "/list/0", "remove", ``)))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(r.Object.Object["list"]); string(got) != "[]" {
		t.Errorf("the list is %s", got)
	}
}

// BenchmarkAttacks applies each attack for one cluster.
func BenchmarkAttacks(b *testing.B) {
	for _, tc := range attacks(1) {
		b.Run(strings.ReplaceAll(tc.name, " ", "-"), func(b *testing.B) {
			p := one(tc.overriders)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := override.Apply(tc.object, member("m1"), p); (err == nil) != (tc.most > 0) {
					b.Fatal(err)
				}
			}
		})
	}
}
