// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// probe is a name, and device a resource, that no case has.
const (
	probe  = "probe"
	device = "example.com/probe"
)

// podChanges are changes to a pod template, each with what must come of it.
var podChanges = map[string]struct {
	change func(spec map[string]any)
	// requested is how much of the resource probe a pod needs then.
	requested int64
	// refers is the kind of the object probe that the pods refer to then.
	refers string
}{
	"a limit without a request": {
		change:    func(spec map[string]any) { addContainer(spec, "containers", limited(3)) },
		requested: 3,
	},
	"a native sidecar": {
		change: func(spec map[string]any) {
			sidecar := limited(5)
			sidecar["restartPolicy"] = "Always"
			addContainer(spec, "initContainers", sidecar)
		},
		requested: 5,
	},
	"an init container": {
		change:    func(spec map[string]any) { addContainer(spec, "initContainers", limited(7)) },
		requested: 7,
	},
	"a claim template for devices": {
		change: func(spec map[string]any) {
			spec["resourceClaims"] = []any{map[string]any{"name": "devices", "resourceClaimTemplateName": probe}}
		},
		refers: "ResourceClaimTemplate",
	},
	"a claim for devices": {
		change: func(spec map[string]any) {
			spec["resourceClaims"] = []any{map[string]any{"name": "devices", "resourceClaimName": probe}}
		},
		refers: "ResourceClaim",
	},
	"a Secret of an init container": {
		change: func(spec map[string]any) {
			addContainer(spec, "initContainers", map[string]any{"name": probe, "envFrom": []any{map[string]any{"secretRef": map[string]any{"name": probe}}}})
		},
		refers: "Secret",
	},
	"a projected ConfigMap": {
		change: func(spec map[string]any) {
			volumes, _ := spec["volumes"].([]any)
			source := map[string]any{"configMap": map[string]any{"name": probe}}
			spec["volumes"] = append(slices.Clone(volumes), map[string]any{"name": probe, "projected": map[string]any{"sources": []any{source}}})
		},
		refers: "ConfigMap",
	},
	"a ServiceAccount by its old name": {
		change: func(spec map[string]any) {
			delete(spec, "serviceAccountName")
			spec["serviceAccount"] = probe
		},
		refers: "ServiceAccount",
	},
}

func addContainer(spec map[string]any, field string, container map[string]any) {
	list, _ := spec[field].([]any)
	spec[field] = append(slices.Clone(list), container)
}

// limited returns a container with a limit and no request.
func limited(n int64) map[string]any {
	return map[string]any{"name": probe, "resources": map[string]any{"limits": map[string]any{device: n}}}
}

// TestPodTemplates changes each pod template of the objects of all cases, and checks that the
// scripts of its kind see that as Kubernetes does: what pods request, and what they refer to.
func TestPodTemplates(t *testing.T) {
	known := interpreter(t).Snapshot()
	checked := map[string]int{}
	for key, object := range objectsOfCases(t) {
		for _, path := range podSpecs(object.Object, nil) {
			for name, c := range podChanges {
				changed := object.DeepCopy()
				spec := specAt(changed.Object, path)
				c.change(spec)
				seen, err := sees(known, changed, c.requested, c.refers)
				where := key + ": " + strings.Join(path, ".")
				if err != nil || isUnseen(where) {
					continue
				}
				checked[object.GetKind()]++
				if !seen {
					t.Errorf("%s: %s is not seen", where, name)
				}
			}
		}
	}
	t.Logf("%d kinds: %v", len(checked), checked)
	if len(checked) < 20 {
		t.Errorf("pod templates of %d kinds were changed", len(checked))
	}
}

// unseen are what does not count, by the beginning of its description, with the reason.
var unseen = map[string]string{
	"appwrapper/declared sets are in the order of their declaration: spec.components.0.template.spec.groups.0": "no set of pods is declared for it",
	"generic/the pods of an object that is applied elsewhere are not its own: spec":                            "they are pods of another object",
	"kruise/sidecars run in the pods of others: spec":                                                          "no pods, and no namespace to look in",
	"kruise/the pods of two clusters add up and the spec stays: spec":                                          "no pods, and no namespace to look in",
	"kruise/what the sidecars refer to goes along to the namespace of their pods: spec":                        "sidecars have neither claims for devices nor a ServiceAccount",
	"kruise/what the pods refer to goes along, by the template and the patches of subsets: spec.topology":      "a patch adds to some of the pods",
	"lws/a group of one is a leader alone: spec.leaderWorkerTemplate.workerTemplate":                           "there are no workers",
	"spark/an application depends on what its pods refer to, by their fields and by Spark's: spec.driver":      "spec.driver.serviceAccount is in place of that of the template",
}

// isUnseen reports whether a pod template is among those that count for less than Kubernetes
// would have it.
func isUnseen(where string) bool {
	for prefix := range unseen {
		if strings.HasPrefix(where, prefix) {
			return true
		}
	}
	return false
}

// sees reports whether the scripts see a request or a reference. The error is that of a script
// that cannot answer for the object.
func sees(known engine.Snapshot, object *unstructured.Unstructured, requested int64, refers string) (bool, error) {
	kind := object.GroupVersionKind()
	if refers != "" {
		if !known.Supports(kind, engine.InterpretDependency) {
			return false, fmt.Errorf("no dependencies")
		}
		references, err := known.Dependencies(object)
		for _, r := range references {
			if r.Kind == refers && r.Name == probe {
				return true, err
			}
		}
		return false, err
	}
	if !known.Supports(kind, engine.InterpretComponent) {
		return false, fmt.Errorf("no components")
	}
	components, err := known.Components(object)
	for _, c := range components {
		if c.ReplicaRequirements == nil {
			continue
		}
		got := c.ReplicaRequirements.ResourceRequest[device]
		if got.Cmp(*resource.NewQuantity(requested, resource.DecimalSI)) >= 0 && !got.IsZero() {
			return true, err
		}
	}
	return false, err
}

// objectsOfCases returns the objects of all cases of the bundles, each once, by bundle and case.
func objectsOfCases(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	objects, seen := map[string]*unstructured.Unstructured{}, map[string]bool{}
	for _, b := range bundles(t) {
		for _, c := range casesOf(t, b) {
			text, err := json.Marshal(c.Question.Object)
			if err != nil || seen[string(text)] {
				continue
			}
			seen[string(text)] = true
			objects[b.Name+"/"+c.Name] = c.Question.Object
		}
	}
	return objects
}

// podSpecs returns the paths of the pod specs in a value, those of pod templates: maps with a list
// of containers. Items of lists go by their place.
func podSpecs(v any, path []string) [][]string {
	var found [][]string
	switch x := v.(type) {
	case map[string]any:
		if _, ok := x["containers"].([]any); ok && len(path) > 0 && path[len(path)-1] == "spec" {
			return [][]string{slices.Clone(path)}
		}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if key != "status" {
				found = append(found, podSpecs(x[key], append(slices.Clone(path), key))...)
			}
		}
	case []any:
		for i, item := range x {
			found = append(found, podSpecs(item, append(slices.Clone(path), fmt.Sprint(i)))...)
		}
	}
	return found
}

// specAt returns the map at a path of podSpecs.
func specAt(v any, path []string) map[string]any {
	for _, key := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			_, _ = fmt.Sscan(key, &i)
			v = x[i]
		}
	}
	spec, _ := v.(map[string]any)
	return spec
}
