// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Numbers of the samples.
const (
	sampleReplicas = 2
	sampleName     = "sample"
)

// sample returns an object of a kind that is well: that of the user where there is one, with
// what it lacks, else one made from the shape.
func (k *kind) sample() *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if len(k.objects) > 0 {
		o = k.objects[0].DeepCopy()
		for _, field := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "selfLink", "ownerReferences", "finalizers"} {
			unstructured.RemoveNestedField(o.Object, "metadata", field)
		}
		unstructured.RemoveNestedField(o.Object, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	}
	o.SetAPIVersion(k.apiVersion())
	o.SetKind(k.Kind)
	if o.GetName() == "" {
		o.SetName(sampleName)
	}
	if o.GetNamespace() == "" && k.namespaced {
		o.SetNamespace("default")
	}
	if o.GetGeneration() == 0 {
		o.SetGeneration(1)
	}
	if o.Object["spec"] == nil && k.root.at("spec") != nil {
		o.Object["spec"] = value(k.root.at("spec"))
	}
	k.fillSpec(o.Object)
	if o.Object["status"] == nil && k.traits.hasStatus {
		o.Object["status"] = k.status()
	}
	return o
}

// fillSpec adds the replicas and the pod templates that a made object lacks.
func (k *kind) fillSpec(o map[string]any) {
	if k.traits.replicas != nil {
		put(o, k.traits.replicas, int64(sampleReplicas), false)
	}
	if len(k.objects) > 0 {
		return
	}
	for i, name := range componentNames(k.traits.templates) {
		k.traits.templates[i].fill(o, name)
	}
	for _, r := range k.traits.references {
		put(o, r.path, "sample-"+strings.ToLower(r.kind), false)
	}
}

// fill writes a template into an object, with a number beside it where there is one. In a list
// and in a map it is the one part.
func (t *template) fill(o map[string]any, name string) {
	step := repeatAt(t.path)
	if step < 0 {
		put(o, t.path, podTemplate(name), true)
		if t.replicas != nil {
			put(o, t.replicas, int64(sampleReplicas), false)
		}
		return
	}
	part := map[string]any{}
	put(part, t.path[step+1:], podTemplate("worker"), true)
	if len(t.replicas) > step+1 {
		put(part, t.replicas[step+1:], int64(sampleReplicas), true)
	}
	if t.path[step] == eachValue {
		put(o, t.path[:step], map[string]any{"Worker": part}, true)
		return
	}
	if t.name != "" {
		part[t.name] = "workers"
	}
	put(o, t.path[:step], []any{part}, true)
}

// put writes a value under a path, making the maps above it. What is there stays, unless it is
// replaced; below what is no map nothing is written.
func put(o map[string]any, path []string, value any, replace bool) {
	for _, step := range path[:len(path)-1] {
		below, isMap := o[step].(map[string]any)
		if !isMap {
			if o[step] != nil {
				return
			}
			below = map[string]any{}
			o[step] = below
		}
		o = below
	}
	if last := path[len(path)-1]; replace || o[last] == nil {
		o[last] = value
	}
}

func podTemplate(name string) map[string]any {
	container := map[string]any{
		"name": name, "image": "registry.example.com/" + name + ":1.0",
		"resources": map[string]any{"requests": map[string]any{"cpu": "500m", "memory": "1Gi"}},
		"envFrom":   []any{map[string]any{"configMapRef": map[string]any{"name": "settings"}}},
	}
	return map[string]any{"spec": map[string]any{"containers": []any{container}}}
}

// value returns the least value that a shape allows: required fields, defaults left out.
func value(s *shape) any {
	switch {
	case s.preset != nil:
		return s.preset
	case len(s.choices) > 0:
		return s.choices[0]
	}
	switch s.kind {
	case objectType:
		o := map[string]any{}
		for _, name := range s.required {
			if below := s.fields[name]; below != nil && below.preset == nil {
				o[name] = value(below)
			}
		}
		return o
	case listType:
		return []any{}
	case integerType:
		return max(s.least, 1)
	case numberType:
		return float64(max(s.least, 1))
	case booleanType:
		return false
	}
	return "sample"
}

// status is that of an object that is well.
func (k *kind) status() map[string]any {
	t, status := &k.traits, map[string]any{}
	for _, name := range t.counts {
		status[name] = int64(sampleReplicas)
		if isBad(name) {
			status[name] = int64(0)
		}
	}
	if t.phase != "" {
		status[t.phase] = t.phases.healthy[0]
	}
	for _, name := range t.others() {
		status[name] = "sample"
	}
	if t.job {
		status["completionTime"] = "2026-01-01T00:00:00Z"
	}
	if t.observed {
		status["observedGeneration"] = int64(1)
	}
	if t.condition != "" {
		status["conditions"] = []any{condition(t.condition, "True")}
	}
	return status
}

func condition(name, status string) map[string]any {
	return map[string]any{
		"type": name, "status": status, "reason": "Sample", "message": "written by dragoman init",
		"lastTransitionTime": "2026-01-01T00:00:00Z",
	}
}

// isBad reports whether a count is 0 in an object that is well.
func isBad(name string) bool {
	lower := strings.ToLower(name)
	for _, part := range []string{"fail", "unavailable", "pending", "error", "unready", "restart", "evicted", "terminating"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}
