// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// The benchmarks ask what an operation costs without registry and JSON, beside
// a function in Go that does the same by hand. None of them asserts a time.

const healthSource = `
local settled = {RUNNING = true, FINISHED = true, CANCELED = true, SUSPENDED = true, FAILED = true}
local starting = {CREATED = true, INITIALIZING = true, RECONCILING = true}
local allowed = {"JobManagerDeploymentUnavailable", "NoResourceAvailable"}

local function forgivable(message)
  for _, word in ipairs(allowed) do
    if string.find(message, word, 1, true) then
      return true
    end
  end
  return false
end

function InterpretHealth(obj)
  if obj.status ~= nil and obj.status.jobStatus ~= nil then
    local state = obj.status.jobStatus.state
    if state ~= "CREATED" and state ~= "RECONCILING" then
      return true
    end
    if obj.status.error ~= nil then
      return forgivable(obj.status.error)
    end
  end
  return false
end
`

const retainSource = `
function Retain(desired, observed)
  if desired.metadata.labels ~= nil and desired.metadata.labels["retain-replicas"] == "true" then
    desired.spec.replicas = observed.spec.replicas
  end
  return desired
end
`

const componentsSource = `
local function requirements(spec, pod)
  local r = {resourceRequest = {cpu = spec.resource.cpu, memory = kube.flinkMemory(spec.resource.memory)}}
  if pod ~= nil then
    r.nodeClaim = {nodeSelector = pod.nodeSelector, tolerations = pod.tolerations}
    r.priorityClassName = pod.priorityClassName
  end
  return r
end

function GetComponents(obj)
  local spec = obj.spec
  local pod = kube.get(spec, "podTemplate.spec")
  local workers = spec.taskManager.replicas
  if workers == nil then
    local slots = tonumber(kube.get(spec, {"flinkConfiguration", "taskmanager.numberOfTaskSlots"}, "1"))
    workers = math.ceil(kube.get(spec, "job.parallelism", 1) / slots)
  end
  return {
    {name = "jobmanager", replicas = spec.jobManager.replicas or 1, replicaRequirements = requirements(spec.jobManager, pod)},
    {name = "taskmanager", replicas = workers, replicaRequirements = requirements(spec.taskManager, pod)},
  }
end
`

func flinkObject() map[string]any {
	manager := func() map[string]any {
		return map[string]any{"resource": map[string]any{"cpu": int64(1), "memory": "2048m"}}
	}
	return map[string]any{
		"apiVersion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment",
		"metadata":   map[string]any{"name": "basic", "namespace": "test", "labels": map[string]any{"retain-replicas": "true"}},
		"spec": map[string]any{
			"image":              "flink:1.20",
			"replicas":           int64(3),
			"flinkConfiguration": map[string]any{"taskmanager.numberOfTaskSlots": "2"},
			"jobManager":         manager(),
			"taskManager":        manager(),
			"job":                map[string]any{"parallelism": int64(10)},
			"podTemplate": map[string]any{"spec": map[string]any{
				"nodeSelector":      map[string]any{"disktype": "ssd", "zone": "us-west-1"},
				"tolerations":       []any{map[string]any{"key": "key1", "operator": "Equal", "value": "value1", "effect": "NoSchedule"}},
				"priorityClassName": "high-priority",
			}},
		},
		"status": map[string]any{"jobStatus": map[string]any{"state": "RUNNING"}},
	}
}

// compiled compiles a script that must compile.
func compiled(t testing.TB, source string) script.Program {
	t.Helper()
	p, err := Compile(Script{File: "bench.lua", Text: source}, script.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decodeFunc is a Taker.
type decodeFunc func(results []any) error

func (f decodeFunc) Decode(results []any, _ script.Meter) error { return f(results) }

func run(b *testing.B, source, entry string, take decodeFunc, args ...any) {
	p := compiled(b, source)
	c := &script.Call{Entry: entry, Args: args, Now: time.Unix(0, 0)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(c, take); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmpty(b *testing.B) {
	run(b, `function F() end`, "F", func([]any) error { return nil })
}

func BenchmarkHealth(b *testing.B) {
	b.Run("lua", func(b *testing.B) {
		run(b, healthSource, "InterpretHealth", func(r []any) error {
			if healthy, ok := r[0].(bool); !ok || !healthy {
				b.Fatalf("got %v, want true", r)
			}
			return nil
		}, flinkObject())
	})
	b.Run("go", func(b *testing.B) {
		obj := flinkObject()
		b.ReportAllocs()
		for b.Loop() {
			goHealth(obj)
		}
	})
}

func goHealth(obj map[string]any) bool {
	status, _ := obj["status"].(map[string]any)
	job, _ := status["jobStatus"].(map[string]any)
	state, _ := job["state"].(string)
	return job != nil && state != "CREATED" && state != "RECONCILING"
}

func BenchmarkRetain(b *testing.B) {
	b.Run("lua unchanged", func(b *testing.B) {
		run(b, retainSource, "Retain", plainOnly, flinkObject(), flinkObject())
	})
	b.Run("lua changed", func(b *testing.B) {
		observed := flinkObject()
		observed["spec"].(map[string]any)["replicas"] = int64(5)
		run(b, retainSource, "Retain", plainOnly, flinkObject(), observed)
	})
	b.Run("go", func(b *testing.B) {
		desired, observed := flinkObject(), flinkObject()
		b.ReportAllocs()
		for b.Loop() {
			goRetain(desired, observed)
		}
	})
}

func plainOnly(r []any) error {
	_, err := script.Plain(r[0])
	return err
}

func goRetain(desired, observed map[string]any) map[string]any {
	labels, _ := desired["metadata"].(map[string]any)["labels"].(map[string]any)
	if labels["retain-replicas"] == "true" {
		want := observed["spec"].(map[string]any)["replicas"]
		if desired["spec"].(map[string]any)["replicas"] != want {
			desired["spec"].(map[string]any)["replicas"] = want
		}
	}
	return desired
}

// component is a typed result, as the engine decodes one.
type component struct {
	name        string
	replicas    int64
	requests    corev1.ResourceList
	selector    map[string]string
	tolerations []corev1.Toleration
	priority    string
}

func BenchmarkComponents(b *testing.B) {
	run(b, componentsSource, "GetComponents", takeComponents, flinkObject())
}

func decodeComponents(v any) ([]component, error) {
	out := make([]component, 0, 2)
	_, err := script.Items(v, func(_ int, item any) error {
		c, err := decodeComponent(item)
		out = append(out, c)
		return err
	})
	return out, err
}

func decodeComponent(item any) (c component, err error) {
	c.name, _ = script.Field(item, "name").(string)
	c.replicas, _ = script.Field(item, "replicas").(int64)
	needs := script.Field(item, "replicaRequirements")
	c.priority, _ = script.Field(needs, "priorityClassName").(string)
	claim := script.Field(needs, "nodeClaim")
	if c.requests, err = decodeRequests(script.Field(needs, "resourceRequest")); err != nil {
		return c, err
	}
	if c.selector, err = decodeSelector(script.Field(claim, "nodeSelector")); err != nil {
		return c, err
	}
	c.tolerations, err = decodeTolerations(script.Field(claim, "tolerations"))
	return c, err
}

func decodeRequests(v any) (corev1.ResourceList, error) {
	list := make(corev1.ResourceList, 2)
	_, err := script.Fields(v, func(key string, v any) error {
		q, err := decodeQuantity(v)
		list[corev1.ResourceName(key)] = q
		return err
	})
	return list, err
}

func decodeSelector(v any) (map[string]string, error) {
	selector := make(map[string]string, 2)
	_, err := script.Fields(v, func(key string, v any) error {
		selector[key], _ = v.(string)
		return nil
	})
	return selector, err
}

func decodeTolerations(v any) (list []corev1.Toleration, err error) {
	_, err = script.Items(v, func(_ int, v any) error {
		list = append(list, decodeToleration(v))
		return nil
	})
	return list, err
}

func decodeQuantity(v any) (resource.Quantity, error) {
	if n, ok := v.(int64); ok {
		return *resource.NewQuantity(n, resource.DecimalSI), nil
	}
	s, _ := v.(string)
	return builtin.ParseQuantity(s)
}

func decodeToleration(v any) corev1.Toleration {
	var t corev1.Toleration
	t.Key, _ = script.Field(v, "key").(string)
	t.Value, _ = script.Field(v, "value").(string)
	operator, _ := script.Field(v, "operator").(string)
	effect, _ := script.Field(v, "effect").(string)
	t.Operator, t.Effect = corev1.TolerationOperator(operator), corev1.TaintEffect(effect)
	return t
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(Script{File: "health.lua", Text: healthSource}, script.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoop(b *testing.B) {
	run(b, `function F() local n = 0 for i = 1, 10000 do if i % 2 == 0 then n = n + 1 end end return n end`, "F", func([]any) error { return nil })
}

func BenchmarkParallelHealth(b *testing.B) {
	p := compiled(b, healthSource)
	obj := flinkObject()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		c := &script.Call{Entry: "InterpretHealth", Args: []any{obj}}
		take := decodeFunc(func([]any) error { return nil })
		for pb.Next() {
			if _, err := p.Run(c, take); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParallelHealthInGo shows how much faster two processors of a machine are than
// one at work that shares nothing.
func BenchmarkParallelHealthInGo(b *testing.B) {
	obj := flinkObject()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !goHealth(obj) {
				b.Error("got an unhealthy object")
			}
		}
	})
}
