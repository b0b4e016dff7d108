// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
)

// draftCase is a case whose output is not known yet.
type draftCase struct {
	name     string
	question engine.Request
	// status, where items of AggregateStatus are asked about, is the status of each cluster.
	statuses []map[string]any
}

// draftCases returns the cases of the scripts of a kind, by the name of the operation's file.
func (k *kind) draftCases(scripts map[string]string) map[string][]draftCase {
	all, object := map[string][]draftCase{}, k.sample()
	for file, write := range map[string]func(*unstructured.Unstructured) []draftCase{
		"health": k.healthCases, "status": one(engine.InterpretStatus, "what a cluster reports"), "replicas": one(engine.InterpretReplica, "its replicas, and what one needs"),
		"components": one(engine.InterpretComponent, "its parts, and what one pod of each needs"), "dependencies": one(engine.InterpretDependency, "what it refers to"),
		"revise": reviseCases, "retain": k.retainCases, "finished": finishedCases, "aggregate": k.aggregateCases,
	} {
		if scripts[file] != "" {
			all[file] = write(object.DeepCopy())
		}
	}
	return all
}

// one is a single case that asks about the sample.
func one(op engine.Op, name string) func(*unstructured.Unstructured) []draftCase {
	return func(o *unstructured.Unstructured) []draftCase {
		return []draftCase{{name: name, question: engine.Request{Operation: op, Object: o}}}
	}
}

func (k *kind) healthCases(o *unstructured.Unstructured) []draftCase {
	ask := func(name string, change func(o map[string]any)) draftCase {
		changed := o.DeepCopy()
		change(changed.Object)
		return draftCase{name: name, question: engine.Request{Operation: engine.InterpretHealth, Object: changed}}
	}
	all := []draftCase{
		ask("an object that is well", func(map[string]any) {}),
		ask("an object that no controller has seen yet", func(o map[string]any) { delete(o, "status") }),
	}
	t := &k.traits
	if t.observed {
		all = append(all, ask("a status of an older object", func(o map[string]any) {
			put(o, []string{"metadata", "generation"}, int64(2), true)
			put(o, []string{"status", "observedGeneration"}, int64(1), true)
		}))
	}
	switch t.healthSource() {
	case byCondition:
		for _, status := range []string{"False", "Unknown"} {
			all = append(all, ask(fmt.Sprintf("the condition %s is %s", t.condition, status), func(o map[string]any) {
				put(o, []string{"status", "conditions"}, []any{condition(t.condition, status)}, true)
			}))
		}
	case byCount:
		all = append(all, ask("nothing is ready", func(o map[string]any) { put(o, []string{"status", t.ready}, int64(0), true) }))
	case byOutcome:
		all = append(all, ask("an object that has failed", func(o map[string]any) {
			put(o, []string{"status", "conditions"}, []any{condition("Failed", "True")}, true)
		}))
	case byPhase:
		phases := []string{"SomethingElse"}
		if len(t.phases.failed) > 0 {
			phases = []string{t.phases.failed[0], "SomethingElse"}
		}
		for _, phase := range phases {
			all = append(all, ask("its "+t.phase+" is "+phase, func(o map[string]any) { put(o, []string{"status", t.phase}, phase, true) }))
		}
	}
	if t.suspend {
		all = append(all, ask("a suspended object", func(o map[string]any) { put(o, []string{"spec", "suspend"}, true, true) }))
	}
	return all
}

func finishedCases(o *unstructured.Unstructured) []draftCase {
	failed := o.DeepCopy()
	put(failed.Object, []string{"status", "conditions"}, []any{condition("Failed", "True")}, true)
	running := o.DeepCopy()
	delete(running.Object, "status")
	return []draftCase{
		{name: "an object that has failed", question: engine.Request{Operation: engine.InterpretFinished, Object: failed}},
		{name: "an object that no controller has seen yet", question: engine.Request{Operation: engine.InterpretFinished, Object: running}},
	}
}

func reviseCases(o *unstructured.Unstructured) []draftCase {
	return []draftCase{{name: "three replicas", question: engine.Request{Operation: engine.ReviseReplica, Object: o, Replicas: 3}}}
}

func (k *kind) retainCases(o *unstructured.Unstructured) []draftCase {
	observed := o.DeepCopy()
	put(observed.Object, k.traits.replicas, int64(5), true)
	owned := o.DeepCopy()
	put(owned.Object, []string{"metadata", "labels", "resourcetemplate.karmada.io/retain-replicas"}, "true", true)
	return []draftCase{
		{name: "the template says how many replicas there are", question: engine.Request{Operation: engine.Retain, Object: o, Observed: observed}},
		{name: "an autoscaler of the member says how many replicas there are", question: engine.Request{Operation: engine.Retain, Object: owned, Observed: observed}},
	}
}

func (k *kind) aggregateCases(o *unstructured.Unstructured) []draftCase {
	status, _ := o.Object["status"].(map[string]any)
	reported := func() map[string]any {
		s := (&unstructured.Unstructured{Object: status}).DeepCopy().Object
		if k.traits.observed {
			s["generation"], s["resourceTemplateGeneration"] = int64(1), int64(1)
			s["observedGeneration"] = int64(1)
		}
		return s
	}
	template := o.DeepCopy()
	delete(template.Object, "status")
	ask := func(name string, statuses ...map[string]any) draftCase {
		return draftCase{name: name, question: engine.Request{Operation: engine.AggregateStatus, Object: template}, statuses: statuses}
	}
	second := reported()
	if others := k.traits.others(); len(others) > 0 {
		second[others[0]] = "other"
	}
	if k.traits.condition != "" {
		second["conditions"] = []any{condition(k.traits.condition, "False")}
	}
	if failed := k.traits.phases.failed; len(failed) > 0 {
		second[k.traits.phase] = failed[0]
	}
	return []draftCase{
		ask("two clusters that are well", reported(), reported()),
		ask("a cluster that is not well", reported(), second),
		ask("no cluster reports anything yet"),
	}
}

// document returns the case in the form of case files, with its output.
func (c *draftCase) document(op engine.Operation, output map[string]any) (string, error) {
	var b strings.Builder
	entries := []struct {
		key   string
		value any
	}{{"name", c.name}}
	add := func(key string, value any) {
		entries = append(entries, struct {
			key   string
			value any
		}{key, value})
	}
	q := &c.question
	switch {
	case q.Observed != nil:
		add("desiredObj", q.Object.Object)
		add("observedObj", q.Observed.Object)
	case op.Name == engine.InterpretHealth || op.Name == engine.InterpretStatus:
		add("observedObj", q.Object.Object)
	default:
		add("desiredObj", q.Object.Object)
	}
	if op.Takes(engine.ItemsParam) {
		add("statusItems", c.items())
	}
	if op.Takes(engine.CountParam) {
		add("inputReplicas", q.Replicas)
	}
	add("operation", string(op.Name))
	add("output", output)
	for _, e := range entries {
		text, err := yaml.Marshal(map[string]any{e.key: e.value})
		if err != nil {
			return "", fmt.Errorf("write case %q: %w", c.name, err)
		}
		b.Write(text)
	}
	return b.String(), nil
}

// items are the status items as case files have them.
func (c *draftCase) items() []any {
	all := []any{}
	for i, status := range c.statuses {
		all = append(all, map[string]any{"clusterName": fmt.Sprintf("member%d", i+1), "applied": true, "health": "Healthy", "status": status})
	}
	return all
}
