// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// BenchmarkScriptsInGo does the same by hand, on the same objects.
func BenchmarkScriptsInGo(b *testing.B) {
	flink, items := realFlink(), flinkItems()
	inGo := map[string]func(){
		"flink components": func() { goComponents(flink) },
		"flink health":     func() { goHealth(flink) },
		"flink aggregate":  func() { goAggregate(flink, items) },
	}
	for name, f := range inGo {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

// goAggregate returns obj with the last status of items.
func goAggregate(obj map[string]any, items []any) map[string]any {
	for _, item := range items {
		status, ok := item.(map[string]any)["status"]
		if !ok {
			continue
		}
		obj = maps.Clone(obj)
		obj["status"] = status
	}
	return obj
}

// mapIn returns the map under key, nil where there is none.
func mapIn(m map[string]any, key string) map[string]any {
	v, _ := m[key].(map[string]any)
	return v
}

// goComponents does what components of flink/lib/pods.lua does.
func goComponents(obj map[string]any) []component {
	spec := mapIn(obj, "spec")
	common := mapIn(mapIn(spec, "podTemplate"), "spec")
	one := func(name, key string, replicas int64) component {
		manager := mapIn(spec, key)
		own := mapIn(mapIn(manager, "podTemplate"), "spec")
		c := component{name: name, replicas: replicas, requests: goRequests(manager), selector: map[string]string{}}
		pod := func(field string) any {
			if v := own[field]; v != nil {
				return v
			}
			return common[field]
		}
		selector, _ := pod("nodeSelector").(map[string]any)
		for k, v := range selector {
			c.selector[k], _ = v.(string)
		}
		tolerations, _ := pod("tolerations").([]any)
		for _, t := range tolerations {
			c.tolerations = append(c.tolerations, decodeToleration(t))
		}
		c.priority, _ = pod("priorityClassName").(string)
		return c
	}
	managers, ok := mapIn(spec, "jobManager")["replicas"].(int64)
	if !ok {
		managers = 1
	}
	return []component{one("jobmanager", "jobManager", managers), one("taskmanager", "taskManager", goTaskManagers(spec))}
}

func goRequests(manager map[string]any) corev1.ResourceList {
	needs := mapIn(manager, "resource")
	if needs == nil {
		needs = mapIn(mapIn(manager, "resources"), "requests")
	}
	list := make(corev1.ResourceList, 2)
	list["cpu"], _ = decodeQuantity(needs["cpu"])
	for name, key := range [...]string{"memory", "ephemeralStorage"} {
		size, ok := needs[key].(string)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(size, "m"), 10, 64)
		if err == nil {
			list[[...]corev1.ResourceName{"memory", "ephemeral-storage"}[name]] = *resource.NewQuantity(n<<20, resource.BinarySI)
		}
	}
	return list
}

func goTaskManagers(spec map[string]any) int64 {
	if n, ok := mapIn(spec, "taskManager")["replicas"].(int64); ok {
		return n
	}
	text, _ := mapIn(spec, "flinkConfiguration")["taskmanager.numberOfTaskSlots"].(string)
	slots, err := strconv.ParseInt(text, 10, 64)
	parallelism, ok := mapIn(spec, "job")["parallelism"].(int64)
	if err != nil || !ok || slots < 1 {
		return 1
	}
	return (parallelism + slots - 1) / slots
}
