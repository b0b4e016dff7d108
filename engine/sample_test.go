// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// pool is a kind whose replicas stand elsewhere than in spec.replicas.
var pool = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Pool"}

func aPool() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Pool", "metadata": map[string]any{"namespace": "shop", "name": "one"},
		"spec": map[string]any{"count": int64(4)}, "status": map[string]any{"at": "7", "noise": "much"},
	}}
}

// poolScripts answer each operation about a Pool.
var poolScripts = map[engine.Op]string{
	engine.InterpretReplica:    "function GetReplicas(o) return o.spec.count end",
	engine.InterpretComponent:  "function GetComponents(o) return {{name = 'a', replicas = o.spec.count}} end",
	engine.ReviseReplica:       "function ReviseReplica(o, n) o.spec.count = n return o end",
	engine.Retain:              "function Retain(desired, observed) return desired end",
	engine.InterpretStatus:     "function ReflectStatus(o) return {at = kube.get(o, 'status.at')} end",
	engine.AggregateStatus:     "function AggregateStatus(o, items) o.status = items[1].status return o end",
	engine.InterpretHealth:     "function InterpretHealth(o) return true end",
	engine.InterpretDependency: "function GetDependencies(o) return {} end",
	engine.InterpretState:      "function GetState(o) return {at = kube.get(o, 'status.at')} end",
	engine.RestoreState:        "function RestoreState(o, state) o.spec.from = state.at return o end",
	engine.PruneTemplate:       "function PruneTemplate(o) return o end",
	engine.InterpretFinished:   "function IsFinished(o) return false end",
}

// rulesOf returns rules with scripts of a Pool for some operations.
func rulesOf(t *testing.T, scripts map[engine.Op]string) engine.Snapshot {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	var all []engine.Script
	for op, text := range scripts {
		all = append(all, engine.Script{Operation: op, Text: text})
	}
	set, err := c.Compile("pools", pool, all...)
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Embedded, set); err != nil {
		t.Fatal(err)
	}
	return i.Snapshot()
}

// TestSample asks each operation of the table, so that one more is asked too.
func TestSample(t *testing.T) {
	rules := rulesOf(t, poolScripts)
	for _, op := range engine.Operations() {
		switch op.About {
		case engine.AboutTemplate, engine.AboutCopy, engine.AboutBoth:
		default:
			t.Errorf("%s is about %q", op.Name, op.About)
		}
		if op.Takes(engine.ObservedParam) != (op.About == engine.AboutBoth) {
			t.Errorf("%s is about %s, and takes the copy: %v", op.Name, op.About, op.Takes(engine.ObservedParam))
		}
		q, err := op.Sample(aPool(), rules)
		if err != nil {
			t.Errorf("%s: %v", op.Name, err)
			continue
		}
		if _, err := rules.Evaluate(q); err != nil {
			t.Errorf("%s: %v", op.Name, err)
		}
	}
}

func TestSampleAsksOtherOperations(t *testing.T) {
	without := func(all ...engine.Op) map[engine.Op]string {
		kept := map[engine.Op]string{}
		for op, text := range poolScripts {
			kept[op] = text
		}
		for _, op := range all {
			delete(kept, op)
		}
		return kept
	}
	failing := without()
	failing[engine.InterpretReplica], failing[engine.InterpretComponent] = "function GetReplicas(o) error('no') end", "function GetComponents(o) error('no') end"
	sample := func(op engine.Op, rules ...engine.Snapshot) engine.Request {
		d, err := engine.Describe(op)
		if err != nil {
			t.Fatal(err)
		}
		q, err := d.Sample(aPool(), rules...)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	for name, tc := range map[string]struct {
		reason string
		rules  []engine.Snapshot
		want   int64
	}{
		"Replicas":   {"one more than the script counts", []engine.Snapshot{rulesOf(t, poolScripts)}, 5},
		"Components": {"those of all components", []engine.Snapshot{rulesOf(t, without(engine.InterpretReplica))}, 5},
		"Neither":    {"spec.replicas, of which there are none", []engine.Snapshot{rulesOf(t, without(engine.InterpretReplica, engine.InterpretComponent))}, 1},
		"Failing":    {"a script that fails counts nothing", []engine.Snapshot{rulesOf(t, failing)}, 1},
		"Later":      {"the first that answers", []engine.Snapshot{rulesOf(t, failing), rulesOf(t, poolScripts)}, 5},
		"None":       {"no rules are needed", nil, 1},
	} {
		if got := sample(engine.ReviseReplica, tc.rules...).Replicas; got != tc.want {
			t.Errorf("%s: %s: got %d, want %d", name, tc.reason, got, tc.want)
		}
	}

	status := func(rules ...engine.Snapshot) any {
		item, _ := sample(engine.AggregateStatus, rules...).Items[0].(map[string]any)
		return item["status"]
	}
	if diff := cmp.Diff(map[string]any{"at": "7"}, status(rulesOf(t, poolScripts))); diff != "" {
		t.Errorf("the item has what the script reflects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"at": "7", "noise": "much"}, status(rulesOf(t, without(engine.InterpretStatus)))); diff != "" {
		t.Errorf("without a script all of the status is reflected (-want +got):\n%s", diff)
	}

	if diff := cmp.Diff(map[string]string{"at": "7"}, sample(engine.RestoreState, rulesOf(t, poolScripts)).State); diff != "" {
		t.Errorf("the state is what the object leaves (-want +got):\n%s", diff)
	}
	restore, err := engine.Describe(engine.RestoreState)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := restore.Sample(aPool(), rulesOf(t, without(engine.InterpretState))); !errors.Is(err, engine.ErrNoSample) || err.Error() != "not asked: the object leaves no state, by InterpretState" {
		t.Errorf("without a state: %v", err)
	}
	restore.Params = append(restore.Params, engine.Param{Name: "weather", Kind: "weather"})
	if _, err := restore.Sample(aPool(), rulesOf(t, poolScripts)); !errors.Is(err, engine.ErrNoSample) || err.Error() != "not asked: there is no sample of a weather" {
		t.Errorf("a parameter of a new kind: %v", err)
	}
}
