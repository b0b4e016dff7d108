// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// TestPublishedForm runs scripts as a customization of the published form and as a
// bundle's, on the same object: the first sees and returns lossy values.
func TestPublishedForm(t *testing.T) {
	const object = `
apiVersion: example.com/v1
kind: Site
metadata: {namespace: a, name: b, creationTimestamp: null}
spec: {list: [1, null, 3], emptyMap: {}, emptyList: [], nanos: 1}
`
	items := []any{map[string]any{"clusterName": "m1", "applied": false, "health": "", "status": map[string]any{"a": map[string]any{}}}}
	for name, tc := range map[string]struct {
		reason            string
		operation         Op
		source            string
		items             []any
		published, bundle string
	}{
		"NullsVanish": {
			reason: "a null item vanishes and the others move up", operation: InterpretStatus,
			source:    `function ReflectStatus(o) return { n = #o.spec.list, third = o.spec.list[3] } end`,
			published: `{"n":2}`, bundle: `{"n":3,"third":3}`,
		},
		"FloatNumbers": {
			reason: "whole numbers have the precision of a float", operation: InterpretStatus,
			source:    `function ReflectStatus(o) return { nanos = o.spec.nanos } end`,
			published: `{"nanos":9007199254740992}`, bundle: `{"nanos":9007199254740993}`,
		},
		"NoReferences": {
			reason: "a status has no reference: nested empty ones are dropped", operation: InterpretStatus,
			source:    `function ReflectStatus(o) return { spec = { a = o.spec.emptyMap, b = o.spec.emptyList }, c = 1 } end`,
			published: `{"c":1,"spec":{}}`, bundle: `{"c":1,"spec":{"a":{},"b":[]}}`,
		},
		"References": {
			reason: "the object mends what is empty, and metadata that is empty but for a null goes", operation: ReviseReplica,
			source:    `function ReviseReplica(o, n) o.spec.replicas = n; return o end`,
			published: `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"b","namespace":"a"},"spec":{"emptyList":[],"emptyMap":{},"list":[1,3],"nanos":9007199254740992,"replicas":2}}`,
			bundle:    `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"creationTimestamp":null,"name":"b","namespace":"a"},"spec":{"emptyList":[],"emptyMap":{},"list":[1,null,3],"nanos":9007199254740993,"replicas":2}}`,
		},
		"ItemsWithoutZeros": {
			reason: "items leave out what is false or empty", operation: AggregateStatus, items: items,
			source: `function AggregateStatus(o, items)
			  o = { apiVersion = o.apiVersion, kind = o.kind, metadata = { namespace = "a", name = "b" } }
			  o.status = { applied = tostring(items[1].applied), health = tostring(items[1].health) }
			  return o
			end`,
			published: `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"b","namespace":"a"},"status":{"applied":"nil","health":"nil"}}`,
			bundle:    `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"b","namespace":"a"},"status":{"applied":"false","health":""}}`,
		},
		"NoItems": {
			reason: "no items at all are nil", operation: AggregateStatus,
			source: `function AggregateStatus(o, items)
			  return { apiVersion = o.apiVersion, kind = o.kind, metadata = { namespace = "a", name = "b" }, status = { items = type(items) } }
			end`,
			published: `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"b","namespace":"a"},"status":{"items":"nil"}}`,
			bundle:    `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"b","namespace":"a"},"status":{"items":"table"}}`,
		},
		"TruncatedReplicas": {
			reason: "replicas are cut to a whole number", operation: InterpretReplica,
			source:    `function GetReplicas(o) return 2.7, { resourceRequest = { cpu = 1 }, unknown = 1 } end`,
			published: `[2,{"resourceRequest":{"cpu":"1"}}]`, bundle: `error`,
		},
		"HealthIsBoolean": {
			reason: "nil is no health there, and not known here", operation: InterpretHealth,
			source:    `function InterpretHealth(o) return nil end`,
			published: `error`, bundle: `[null,null]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for published, want := range map[bool]string{true: tc.published, false: tc.bundle} {
				got := ask(t, tc.operation, tc.source, object, tc.items, published)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, published %v (-want +got):\n%s", tc.reason, published, diff)
				}
			}
		})
	}
}

// ask returns the answer as JSON, a list where there are several results, or "error".
func ask(t *testing.T, operation Op, source, object string, items []any, published bool) string {
	t.Helper()
	compiler, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	program, err := compiler.Lua(Script{File: "test.lua", Text: source, Operation: operation})
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(object), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.Object = normal(o.Object).(map[string]any)
	o.Object["spec"].(map[string]any)["nanos"] = int64(9007199254740993)
	i := NewInterpreter(Options{})
	set(i, Customizations, RuleSet{Name: "test", Kinds: map[schema.GroupVersionKind]Rules{
		o.GroupVersionKind(): {operation: {Program: program, Origin: "test", Compat: published}},
	}})
	answer, err := i.Snapshot().Evaluate(Request{Operation: operation, Object: o, Items: items, Replicas: 2})
	if err != nil {
		return "error"
	}
	for k, a := range answer {
		if u, ok := a.(*unstructured.Unstructured); ok {
			answer[k] = u.Object
		}
	}
	var one any = answer
	if len(answer) == 1 {
		one = answer[0]
	}
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// normal returns whole numbers as int64, as an API object has them.
func normal(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = normal(e)
		}
	case []any:
		for k, e := range x {
			x[k] = normal(e)
		}
	case float64:
		return int64(x)
	}
	return v
}
