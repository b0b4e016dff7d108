// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

// container builds a container with requests and limits; nil leaves them out.
func container(requests, limits map[string]any) any {
	resources := map[string]any{}
	if requests != nil {
		resources["requests"] = requests
	}
	if limits != nil {
		resources["limits"] = limits
	}
	return map[string]any{"name": "c", "resources": resources}
}

// sidecar builds an init container that runs on beside the others.
func sidecar(requests map[string]any) any {
	c := container(requests, nil).(map[string]any)
	c["restartPolicy"] = "Always"
	return c
}

func template(spec map[string]any) []any { return []any{map[string]any{"spec": spec}} }

func needs(resources map[string]any) any { return map[string]any{"resourceRequest": resources} }

func TestAccuratePodRequirements(t *testing.T) {
	examples(t, "accuratePodRequirements", map[string]example{
		"nothing":        {args: template(map[string]any{"containers": []any{map[string]any{"name": "c"}}})},
		"no spec":        {args: []any{map[string]any{}}},
		"no template":    {args: []any{nil}, err: "podTemplate must be a map, not nil"},
		"a list":         {args: []any{[]any{"x"}}, err: "podTemplate must be a map, not a list"},
		"an empty list":  {args: []any{[]any{}}},
		"one container":  {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "500m", "memory": "1Gi"}, nil)}}), want: needs(map[string]any{"cpu": "500m", "memory": "1Gi"})},
		"number":         {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": int64(2), "memory": 1024.0}, nil)}}), want: needs(map[string]any{"cpu": "2", "memory": "1Ki"})},
		"limits default": {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "1"}, map[string]any{"cpu": "4", "memory": "2Gi"})}}), want: needs(map[string]any{"cpu": "1", "memory": "2Gi"})},
		"sum and most": {
			args: template(map[string]any{
				"containers":     []any{container(map[string]any{"cpu": "100m", "memory": "512Mi"}, nil), container(map[string]any{"cpu": "1", "memory": "1Gi"}, nil)},
				"initContainers": []any{container(map[string]any{"cpu": "2", "memory": "1Gi"}, nil), container(map[string]any{"cpu": "1"}, nil)},
				"overhead":       map[string]any{"cpu": "10m", "memory": "64Mi"},
			}),
			// cpu: max(100m + 1, 2, 1) + 10m; memory: max(512Mi + 1Gi, 1Gi) + 64Mi.
			want: needs(map[string]any{"cpu": "2010m", "memory": "1600Mi"}),
		},
		"sidecars run on": {
			args: template(map[string]any{
				"containers": []any{container(map[string]any{"cpu": "1", "memory": "1Gi"}, nil)},
				"initContainers": []any{
					container(map[string]any{"memory": "3Gi"}, nil),
					sidecar(map[string]any{"cpu": "300m", "memory": "1Gi"}),
					container(map[string]any{"cpu": "2"}, nil),
					sidecar(map[string]any{"cpu": "100m"}),
				},
			}),
			// cpu: max(1 + 300m + 100m, 300m + 2); memory: max(1Gi + 1Gi, 3Gi).
			want: needs(map[string]any{"cpu": "2300m", "memory": "3Gi"}),
		},
		"the pod as a whole": {
			args: template(map[string]any{
				"resources":  map[string]any{"requests": map[string]any{"cpu": "8", "example.com/x": "5"}, "limits": map[string]any{"memory": "16Gi", "ephemeral-storage": "1Gi"}},
				"containers": []any{container(map[string]any{"cpu": "1"}, nil), container(map[string]any{"example.com/x": "1"}, nil)},
				"overhead":   map[string]any{"cpu": "250m"},
			}),
			want: needs(map[string]any{"cpu": "8250m", "memory": "16Gi", "example.com/x": "1"}),
		},
		"a limit of the pod is none of its requests where containers request": {
			args: template(map[string]any{
				"resources":  map[string]any{"limits": map[string]any{"cpu": "8", "hugepages-2Mi": "8Mi"}},
				"containers": []any{container(map[string]any{"cpu": "1", "hugepages-2Mi": "4Mi"}, nil)},
			}),
			want: needs(map[string]any{"cpu": "1", "hugepages-2Mi": "8Mi"}),
		},
		"a bad quantity of the pod": {args: template(map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": "lots"}}}), err: `resource cpu: "lots" is not a quantity`},
		"rounded to thousandths each, to units at the end": {
			args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "0.3m", "memory": "300m"}, nil), container(map[string]any{"cpu": "0.3m", "memory": "600m"}, nil)}}),
			want: needs(map[string]any{"cpu": "2m", "memory": "1"}),
		},
		"only a priority": {args: template(map[string]any{"priorityClassName": "high"}), want: map[string]any{"priorityClassName": "high"}},
		"names": {
			args: template(map[string]any{"containers": []any{container(map[string]any{
				"nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi", "attachable-volumes-aws-ebs": "3", "x.kubernetes.io/y": "1", "pods": "5",
				"ephemeral-storage": "10G", "foo": "1", "requests.cpu": "1", "requests.nvidia.com/gpu": "1",
			}, nil)}}),
			want: needs(map[string]any{
				"nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi", "attachable-volumes-aws-ebs": "3", "x.kubernetes.io/y": "1", "pods": "5",
				// 10^10 bytes have ten factors of two, so one of 1024.
				"ephemeral-storage": "9765625Ki",
			}),
		},
		"zero dropped":   {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "0", "memory": "1"}, nil)}}), want: needs(map[string]any{"memory": "1"})},
		"only zero":      {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "0"}, nil)}})},
		"rounded up":     {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "0.0001", "memory": "100m"}, nil)}}), want: needs(map[string]any{"cpu": "1m", "memory": "1"})},
		"bad quantity":   {args: template(map[string]any{"containers": []any{container(map[string]any{"cpu": "lots"}, nil)}}), err: `resource cpu: "lots" is not a quantity`},
		"bad but unread": {args: template(map[string]any{"containers": []any{container(map[string]any{"foo": "lots"}, nil)}}), err: `resource foo: "lots" is not a quantity`},
		"too large":      {args: template(map[string]any{"containers": []any{container(map[string]any{"memory": "7E"}, nil), container(map[string]any{"memory": "7E"}, nil)}}), want: needs(map[string]any{"memory": "9223372036854775807"})},
		"claim": {
			args: template(map[string]any{
				"nodeSelector": map[string]any{"disk": "ssd"},
				"tolerations":  []any{map[string]any{"key": "k"}},
				"affinity": map[string]any{"nodeAffinity": map[string]any{
					"requiredDuringSchedulingIgnoredDuringExecution":  map[string]any{"nodeSelectorTerms": []any{}},
					"preferredDuringSchedulingIgnoredDuringExecution": []any{map[string]any{}},
				}},
				"priorityClassName": "high",
			}),
			want: map[string]any{
				"nodeClaim": map[string]any{
					"nodeSelector":     map[string]any{"disk": "ssd"},
					"tolerations":      []any{map[string]any{"key": "k"}},
					"hardNodeAffinity": map[string]any{"nodeSelectorTerms": []any{}},
				},
				"priorityClassName": "high",
			},
		},
		"empty claim is none": {args: template(map[string]any{"nodeSelector": map[string]any{}, "tolerations": []any{}, "affinity": map[string]any{"nodeAffinity": map[string]any{}}})},
		"null":                {args: template(map[string]any{"containers": nil, "nodeSelector": nil, "overhead": nil})},
	})
}
