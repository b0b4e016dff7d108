// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// text is a hostile text by what it is.
type text struct{ name, text string }

// hostileQuantities are texts that take a parser of quantities long. The first five are
// short.
func hostileQuantities() []text {
	return []text{
		{"far below zero", "0.1e-99999999"},
		{"below zero", "1e-9999999"},
		{"far above", "1e999999999"},
		{"signed far above", "+1e+99999999"},
		{"negative far below", "-0.1e-999999999"},
		{"a megabyte of digits", strings.Repeat("9", 1_000_000)},
		{"a fraction of zeros", "0." + strings.Repeat("0", 1_000_000) + "1"},
		{"leading zeros", strings.Repeat("0", 1_000_000) + "1"},
		{"digits with a Ki", strings.Repeat("9", 100_000) + "Ki"},
		{"digits with an n", strings.Repeat("9", 100_000) + "n"},
		{"digits and exponent", strings.Repeat("9", 500_000) + "e-500000"},
		{"a long exponent", "1e-" + strings.Repeat("9", 500_000)},
		{"zeros in the exponent", "1e-" + strings.Repeat("0", 500_000) + "9999999"},
		{"a thousand digits", strings.Repeat("9", 1_000) + "e-999"},
	}
}

// quantities are such texts where an answer has a quantity, and where a function of kube
// reads one: from the script, and from the object by an honest script.
func quantities() []Question {
	return append(quantitiesOf(hostileQuantities()[:2]), manyQuantities()...)
}

// quantityForms are those with all other texts.
func quantityForms() []Question {
	return append(quantitiesOf(hostileQuantities()[2:]), shippedWith(hostileQuantities()[2:5])...)
}

// shipped are objects of kinds that the bundles of the program know.
func shipped() []Question { return shippedWith(hostileQuantities()[:2]) }

func quantitiesOf(texts []text) []Question {
	var all []Question
	for _, q := range texts {
		name, text := q.name, q.text
		object := func() map[string]any { return map[string]any{"spec": map[string]any{"cpu": text}} }
		for _, f := range []Form{Published, Bundle} {
			all = append(all,
				Question{
					Name: fmt.Sprintf("quantity %s in replicas, %s", name, f), Form: f, Operation: replica, Object: object, Want: Bounded,
					Source: `return 1, {resourceRequest = {cpu = object.spec.cpu}}`,
				},
				Question{
					Name: fmt.Sprintf("quantity %s in components, %s", name, f), Form: f, Operation: component, Object: object, Want: Bounded,
					Source: `return {{name = "a", replicas = 1, replicaRequirements = {resourceRequest = {cpu = object.spec.cpu}}}}`,
				},
			)
		}
		all = append(all,
			Question{
				Name: "quantity " + name + " in replicas, CEL", Form: Expression, Operation: replica, Object: object, Want: Bounded,
				Source: `{"replicas": 1, "requirements": {"resourceRequest": {"cpu": object.spec.cpu}}}`,
			},
			Question{
				Name: "quantity " + name + " of CEL", Form: Expression, Operation: status, Object: object, Want: Bounded,
				Source: Forever(`isQuantity(object.spec.cpu) || true`),
			},
			Question{
				Name: "quantity " + name + " of kube", Form: Bundle, Operation: status, Object: object, Want: Bounded, Source: kubeQuantities,
			},
		)
	}
	return all
}

// kubeQuantities passes a quantity to each function of kube that reads one.
const kubeQuantities = `
local q = object.spec.cpu
local pod = {spec = {containers = {{name = "c", resources = {requests = {cpu = q, memory = q}, limits = {cpu = q}}}}}}
while true do
  pcall(kube.resourceAdd, q, q)
  pcall(kube.getResourceQuantity, q)
  pcall(kube.accuratePodRequirements, pod)
  pcall(kube.flinkMemory, q)
  pcall(kube.component, "a", 1, pod)
  pcall(kube.largestRequirements, {{name = "a", replicas = 1, replicaRequirements = {resourceRequest = {cpu = q}}}})
end`

// manyQuantities are many quantities, and those that are short and cost much.
func manyQuantities() []Question {
	containers := func(text string) func() map[string]any {
		return func() map[string]any {
			return map[string]any{"spec": map[string]any{"containers": listOf(5_000, func(i int) any {
				return map[string]any{"name": "c" + key(i), "resources": map[string]any{"requests": map[string]any{"cpu": text, "memory": text}}}
			})}}
		}
	}
	requests := func(text string) string {
		return fmt.Sprintf(`local r = {} for i = 1, 15000 do r["r" .. i] = %q end return 1, {resourceRequest = r}`, text)
	}
	return []Question{
		{Name: "quantity too small", Form: Bundle, Operation: replica, Source: `return 1, {resourceRequest = {cpu = "0.1e-99999999"}}`, Want: Bounded},
		{Name: "quantity too small, CEL", Form: Expression, Operation: replica, Source: `{"replicas": 1, "requirements": {"resourceRequest": {"cpu": "0.1e-99999999"}}}`, Want: Bounded},
		{Name: "quantities of 15,000 resources", Form: Bundle, Operation: replica, Source: requests("1.5"), Want: Bounded},
		{Name: "quantities of 15,000 resources of 300 digits", Form: Bundle, Operation: replica, Source: requests(strings.Repeat("9", 300)), Want: Bounded},
		{Name: "quantities of 15,000 resources near zero", Form: Published, Operation: replica, Source: requests("0." + strings.Repeat("0", 300) + "1"), Want: Bounded},
		{Name: "quantities that are numbers", Form: Bundle, Operation: replica, Source: `return 1, {resourceRequest = {a = 5e-324, b = 1e308, c = -1e300, d = 2^63}}`, Want: Bounded},
		{Name: "quantities that are no numbers", Form: Published, Operation: replica, Source: `return 1, {resourceRequest = {a = 0/0, b = math.huge}}`, Want: Bounded},
		{Name: "quantities of 5,000 containers", Form: Bundle, Operation: status, Object: containers("1.5"), Source: `while true do kube.accuratePodRequirements(object) end`, Want: Limited},
		{Name: "quantities of 5,000 containers with many digits", Form: Bundle, Operation: status, Object: containers(strings.Repeat("9", 70) + "e-18"), Source: `while true do kube.accuratePodRequirements(object) end`, Want: Bounded},
		{Name: "quantities of 5,000 containers in one answer", Form: Published, Operation: replica, Object: containers("1500m"), Source: `return 1, kube.accuratePodRequirements(object)`, Want: Bounded},
		{Name: "quantities of a component for each container", Form: Bundle, Operation: component, Object: containers("0.1e-99999999"), Source: `local t = {} for i, c in ipairs(object.spec.containers) do t[i] = {name = c.name, replicas = 1, replicaRequirements = {resourceRequest = c.resources.requests}} end return t`, Want: Bounded},
	}
}

// amounts are quantities that are read again and again, each a little longer than what
// most are.
func amounts() []Question {
	var all []Question
	texts := []text{
		{"19 digits", "9999999999999999999"},
		{"an exponent", "1e-9"},
		{"exabytes", "1.5Ei"},
		{"60 digits", strings.Repeat("7", 60)},
		{"60 places", "0." + strings.Repeat("3", 60)},
		{"256 digits", strings.Repeat("8", 256)},
		{"30 digits and an exponent", "123456789012345678901234567890e-9"},
		{"places of pebibytes", "7.77777777777777777Pi"},
	}
	for _, t := range texts {
		name, text := t.name, t.text
		all = append(all,
			Question{Name: "kube.resourceAdd of " + name, Form: Bundle, Operation: status, Want: Bounded, Source: fmt.Sprintf(`local q = %q while true do pcall(kube.resourceAdd, q, q, q, "1n") end`, text)},
			Question{Name: "kube.getResourceQuantity of " + name, Form: Bundle, Operation: status, Want: Bounded, Source: fmt.Sprintf(`local q = %q while true do pcall(kube.getResourceQuantity, q) end`, text)},
			Question{Name: "quantity of " + name + " in CEL", Form: Expression, Operation: status, Want: Bounded, Source: Forever(fmt.Sprintf(`isQuantity(%q) && quantity(%q).add(quantity("1n")).compareTo(quantity("1")) < 2`, text, text))},
			Question{Name: "sum of " + name + " in CEL", Form: Expression, Operation: status, Want: Bounded, Source: Forever(fmt.Sprintf(`kube.resourceAdd(%q, %q, "1n") != ""`, text, text))},
		)
	}
	return all
}

func shippedWith(texts []text) []Question {
	var all []Question
	template := func(q string) map[string]any {
		return map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{"name": "c", "image": "i", "resources": map[string]any{"requests": map[string]any{"cpu": q, "memory": q}}},
		}}}
	}
	replicas := map[string]any{"type": "worker"}
	kinds := []struct {
		apiVersion, kind string
		operations       []string
		spec             func(q string) map[string]any
	}{
		{"flink.apache.org/v1beta1", "FlinkDeployment", []string{component, replica, status, health}, func(q string) map[string]any {
			manager := map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": q, "memory": "1g"}, "podTemplate": template(q)}
			return map[string]any{"jobManager": manager, "taskManager": manager, "flinkConfiguration": map[string]any{"taskmanager.numberOfTaskSlots": q}, "job": map[string]any{"parallelism": int64(2)}}
		}},
		{"apps/v1", "Deployment", []string{replica, component}, func(q string) map[string]any {
			return map[string]any{"replicas": int64(1), "template": template(q)}
		}},
		{"apps/v1", "StatefulSet", []string{replica}, func(q string) map[string]any {
			return map[string]any{"replicas": int64(1), "template": template(q)}
		}},
		{"batch/v1", "Job", []string{replica}, func(q string) map[string]any {
			return map[string]any{"parallelism": int64(1), "template": template(q)}
		}},
		{"ray.io/v1", "RayCluster", []string{component, replica}, func(q string) map[string]any {
			return map[string]any{"headGroupSpec": map[string]any{"template": template(q)}, "workerGroupSpecs": []any{map[string]any{"groupName": "w", "replicas": int64(1), "template": template(q)}}}
		}},
		{"kubeflow.org/v1", "PyTorchJob", []string{component, replica}, func(q string) map[string]any {
			return map[string]any{"pytorchReplicaSpecs": map[string]any{"Master": map[string]any{"replicas": int64(1), "template": template(q)}}, "x": replicas}
		}},
		{"batch.volcano.sh/v1alpha1", "Job", []string{component, replica}, func(q string) map[string]any {
			return map[string]any{"tasks": []any{map[string]any{"name": "t", "replicas": int64(1), "template": template(q)}}}
		}},
	}
	for _, k := range kinds {
		for _, operation := range k.operations {
			for _, t := range texts {
				all = append(all, Question{
					Name: fmt.Sprintf("shipped %s %s %s with a quantity %s", k.apiVersion, k.kind, operation, t.name), Form: Shipped, Operation: operation, Want: Bounded,
					Object: func() map[string]any {
						return map[string]any{"apiVersion": k.apiVersion, "kind": k.kind, "spec": k.spec(t.text)}
					},
				})
			}
		}
	}
	return all
}
