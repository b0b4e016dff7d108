// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

type (
	m = map[string]any
	l = []any
)

// publishedAnswer asks a script of the published form, and returns its answer as JSON
// and its error.
func publishedAnswer(t *testing.T, source string, q Request) (string, error) {
	t.Helper()
	answer, err := answering(q.Operation, published(luaRule(t, q.Operation, source))).Snapshot().Evaluate(q)
	if err != nil {
		return "", err
	}
	var one any = answer
	if len(answer) == 1 {
		one = answer[0]
	}
	if object, ok := one.(*unstructured.Unstructured); ok {
		one = object.Object
	}
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// What a script of the published form sees of its arguments: they come as JSON, and
// Lua has floats only and no null (facts: Go to Lua).
func TestPublishedArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		spec   m
		answer string
		want   string
	}{
		"LargeNumber":     {"a number has 53 bits", m{"n": int64(9007199254740993)}, "tostring(o.spec.n)", `"9007199254740992"`},
		"WholeFloat":      {"a whole float looks whole", m{"n": 4.0}, "tostring(o.spec.n)", `"4"`},
		"NullField":       {"a null field is not there", m{"a": nil, "b": int64(1)}, "next(o.spec) .. tostring(next(o.spec, 'b'))", `"bnil"`},
		"NullItem":        {"a null item is dropped and the later ones move up", m{"a": l{int64(1), nil, int64(3)}}, "#o.spec.a .. ' ' .. o.spec.a[2]", `"2 3"`},
		"OnlyNullItems":   {"a list of nulls is empty", m{"a": l{nil, nil}}, "#o.spec.a", `0`},
		"NestedNull":      {"at any depth", m{"a": l{m{"b": l{nil, m{"c": nil}}}}}, "type(o.spec.a[1].b[1].c) .. #o.spec.a[1].b", `"nil1"`},
		"EmptyMapAndList": {"empty ones are tables", m{"a": m{}, "b": l{}}, "type(o.spec.a) .. type(o.spec.b) .. #o.spec.b", `"tabletable0"`},
	} {
		t.Run(name, func(t *testing.T) {
			source := "function ReflectStatus(o) return { answer = " + tc.answer + " } end"
			got, err := publishedAnswer(t, source, Request{Operation: InterpretStatus, Object: site(tc.spec)})
			if want := `{"answer":` + tc.want + `}`; err != nil || got != want {
				t.Errorf("%s: got %s, error %v; want %s", tc.reason, got, err, want)
			}
		})
	}
}

// The keys of a status item are those that its JSON has.
func TestPublishedItems(t *testing.T) {
	const source = `function AggregateStatus(o, items)
	  local seen = type(items)
	  if items ~= nil then
	    seen = seen .. #items
	    for _, item in ipairs(items) do
	      for _, key in ipairs({"clusterName", "applied", "appliedMessage", "health", "status"}) do
	        seen = seen .. " " .. key .. "=" .. (type(item[key]) == "table" and "table" or tostring(item[key]))
	      end
	    end
	  end
	  o.status = { seen = seen }
	  return o
	end`
	item := func(i workv1alpha2.AggregatedStatusItem) l {
		m, err := StatusItem(&i)
		if err != nil {
			t.Fatal(err)
		}
		return l{m}
	}
	for name, tc := range map[string]struct {
		items l
		want  string
	}{
		"no items":       {nil, "nil"},
		"an empty list":  {l{}, "table0"},
		"a bare item":    {item(workv1alpha2.AggregatedStatusItem{ClusterName: "m1"}), "table1 clusterName=m1 applied=nil appliedMessage=nil health=nil status=nil"},
		"a full item":    {item(workv1alpha2.AggregatedStatusItem{ClusterName: "m1", Applied: true, AppliedMessage: "ok", Health: "Healthy", Status: &runtime.RawExtension{Raw: []byte(`{"a":1}`)}}), "table1 clusterName=m1 applied=true appliedMessage=ok health=Healthy status=table"},
		"a status of {}": {item(workv1alpha2.AggregatedStatusItem{ClusterName: "m1", Status: &runtime.RawExtension{Raw: []byte(`{}`)}}), "table1 clusterName=m1 applied=nil appliedMessage=nil health=nil status=table"},
		"a null status":  {item(workv1alpha2.AggregatedStatusItem{ClusterName: "m1", Status: &runtime.RawExtension{Raw: []byte(`null`)}}), "table1 clusterName=m1 applied=nil appliedMessage=nil health=nil status=nil"},
	} {
		t.Run(name, func(t *testing.T) {
			i := answering(AggregateStatus, published(luaRule(t, AggregateStatus, source)))
			object, err := i.Snapshot().Aggregate(site(nil), tc.items)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, _ := unstructured.NestedString(object.Object, "status", "seen"); got != tc.want {
				t.Errorf("got %q; want %q", got, tc.want)
			}
		})
	}
}

func TestPublishedRetainWithoutObserved(t *testing.T) {
	source := "function Retain(desired, observed) desired.spec.observed = type(observed) return desired end"
	got, err := publishedAnswer(t, source, Request{Operation: Retain, Object: site(m{"a": int64(1)})})
	want := `{"apiVersion":"web.example/v1","kind":"Site","metadata":{"name":"home","namespace":"web"},"spec":{"a":1,"observed":"nil"}}`
	if err != nil || got != want {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}

// Arguments are copies: a script that writes changes nothing of the caller's.
func TestPublishedArgumentsAreCopies(t *testing.T) {
	object, observed := site(m{"a": l{nil, m{}}, "n": int64(math.MaxInt64)}), site(m{"b": int64(1)})
	before, beside := object.DeepCopy(), observed.DeepCopy()
	source := "function Retain(o, b) o.spec.a = nil o.spec.n = 1 b.spec.b = {} o.metadata.labels = b.spec return o end"
	if _, err := publishedAnswer(t, source, Request{Operation: Retain, Object: object, Observed: observed}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{before.Object, beside.Object}, []any{object.Object, observed.Object}); diff != "" {
		t.Errorf("an argument was changed (-want +got):\n%s", diff)
	}
}
