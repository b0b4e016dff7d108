// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"fmt"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
)

// A CEL expression sees the parameters of the operation as variables, and has no
// function around it. Health that is not known yet is null.
func ExampleCompiler_Compile_expression() {
	snapshot := snapshotOf(engine.Script{
		Operation: engine.InterpretHealth, Expression: true,
		Text: `has(object.status.state) ? dyn(object.status.state == "up") : null`,
	})
	for _, status := range []map[string]any{{"state": "up"}, {"state": "down"}, {}} {
		fmt.Println(snapshot.Health(newSite(nil, status)))
	}
	// Output:
	// Healthy <nil>
	// Unhealthy <nil>
	// Unknown <nil>
}

// A script counts the replicas, and reads what each of them needs.
func ExampleSnapshot_Replicas() {
	snapshot := snapshotOf(engine.Script{Operation: engine.InterpretReplica, Text: `
function GetReplicas(obj)
  return obj.spec.pages, {resourceRequest = {cpu = "250m"}}
end`})
	replicas, err := snapshot.Replicas(newSite(map[string]any{"pages": int64(3)}, nil))
	check(err)
	fmt.Println(replicas.Count, "with", replicas.Requirements.ResourceRequest.Cpu(), "each")
	// Output: 3 with 250m each
}

// An expression that answers with the object in a new form returns a merge patch on it.
// The object that was passed in stays as it is.
func ExampleSnapshot_Revise() {
	snapshot := snapshotOf(engine.Script{
		Operation: engine.ReviseReplica, Expression: true, Text: `{"spec": {"pages": replicas}}`,
	})
	object := newSite(map[string]any{"pages": int64(3), "theme": "dark"}, nil)
	revised, err := snapshot.Revise(object, 5, engine.Division{})
	check(err)
	fmt.Println(revised.Object["spec"], "of", object.Object["spec"])
	// Output: map[pages:5 theme:dark] of map[pages:3 theme:dark]
}

// What the member cluster owns is named by its paths, and stays as observed there.
func ExampleSnapshot_Retain() {
	snapshot := snapshotOf(engine.Script{
		Operation: engine.Retain, Expression: true, Text: `["/spec/address"]`,
	})
	desired := newSite(map[string]any{"theme": "dark"}, nil)
	observed := newSite(map[string]any{"theme": "light", "address": "10.0.0.7"}, nil)
	retained, err := snapshot.Retain(desired, observed)
	check(err)
	fmt.Println(retained.Object["spec"])
	// Output: map[address:10.0.0.7 theme:dark]
}

// One status is made of those of the member clusters.
func ExampleSnapshot_Aggregate() {
	snapshot := snapshotOf(engine.Script{Operation: engine.AggregateStatus, Text: `
function AggregateStatus(obj, items)
  obj.status = kube.sumStatus(items, {"ready"}, obj.status)
  return obj
end`})
	var items []any
	for _, cluster := range []string{"east", "west"} {
		item, err := engine.StatusItem(&workv1alpha2.AggregatedStatusItem{
			ClusterName: cluster, Applied: true, Status: raw(`{"ready": 2}`),
		})
		check(err)
		items = append(items, item)
	}
	aggregated, err := snapshot.Aggregate(newSite(nil, nil), items)
	check(err)
	fmt.Println(aggregated.Object["status"])
	// Output: map[ready:4]
}

// The objects that must go where an object goes.
func ExampleSnapshot_Dependencies() {
	snapshot := snapshotOf(engine.Script{Operation: engine.InterpretDependency, Text: `
function GetDependencies(obj)
  return {{apiVersion = "v1", kind = "Secret", namespace = obj.metadata.namespace, name = obj.spec.key}}
end`})
	references, err := snapshot.Dependencies(newSite(map[string]any{"key": "tls"}, nil))
	check(err)
	fmt.Println(references[0].Kind, references[0].Namespace, references[0].Name)
	// Output: Secret web tls
}

// One script reads the state that must survive a move to another cluster, and another
// writes it into the object that is created there.
func ExampleSnapshot_Restore() {
	snapshot := snapshotOf(
		engine.Script{Operation: engine.InterpretState, Expression: true, Text: `{"backup": object.status.backup}`},
		engine.Script{Operation: engine.RestoreState, Expression: true, Text: `{"spec": {"restoreFrom": state.backup}}`},
	)
	state, err := snapshot.State(newSite(nil, map[string]any{"backup": "s3://backups/41"}))
	check(err)
	restored, err := snapshot.Restore(newSite(map[string]any{"theme": "dark"}, nil), state)
	check(err)
	fmt.Println(restored.Object["spec"])
	// Output: map[restoreFrom:s3://backups/41 theme:dark]
}

// A caller that learns at run time which operation it is about uses a Request. The
// values come in the order of the results of the operation.
func ExampleSnapshot_Evaluate() {
	snapshot := snapshotOf(engine.Script{
		Operation: engine.InterpretFinished, Expression: true, Text: `object.status.phase == "Archived"`,
	})
	operation, err := engine.ParseOperation("interpretfinished")
	check(err)
	values, err := snapshot.Evaluate(engine.Request{
		Operation: operation.Name,
		Object:    newSite(nil, map[string]any{"phase": "Archived"}),
	})
	fmt.Println(operation.ResultNames(), values, err)
	// Output: [finished] [true] <nil>
}

// The table of operations is what documents, command lines and metrics range over.
func ExampleOperations() {
	for _, op := range engine.Operations()[:3] {
		fmt.Printf("%s: %s(%s) in %s.lua\n", op.Name, op.Entry, op.ParamNames(), op.File)
	}
	// Output:
	// InterpretReplica: GetReplicas([object]) in replicas.lua
	// InterpretComponent: GetComponents([object]) in components.lua
	// ReviseReplica: ReviseReplica([object replicas division]) in revise.lua
}
