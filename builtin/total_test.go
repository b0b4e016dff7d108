// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

// of makes a component that asks for resources, and for a node with the label zone where
// zone is not "".
func of(name string, replicas any, zone string, resources map[string]any) any {
	asks := object("resourceRequest", resources)
	if zone != "" {
		asks["nodeClaim"] = object("nodeSelector", object("zone", zone))
	}
	return object("name", name, "replicas", replicas, "replicaRequirements", asks)
}

func TestTotalReplicas(t *testing.T) {
	examples(t, "totalReplicas", map[string]example{
		"none":       {args: []any{[]any{}}, want: int64(0)},
		"two":        {args: []any{[]any{object("name", "a", "replicas", int64(2)), object("name", "b", "replicas", 3.0)}}, want: int64(5)},
		"one is nil": {args: []any{[]any{object("name", "a"), object("name", "b", "replicas", int64(0))}}, want: int64(1)},
		"too many":   {args: []any{[]any{object("replicas", int64(1<<31-1)), object("replicas", int64(1))}}, err: "the components have more than 2147483647 replicas together"},
		"half":       {args: []any{[]any{object("replicas", 0.5)}}, err: "component 1: replicas must be a whole number from 0 to 2147483647, not 0.5"},
		"no map":     {args: []any{[]any{"x"}}, err: "component 1 must be a map, not a string"},
		"no list":    {args: []any{object("a", int64(1))}, err: "components must be a list, not a map"},
	})
}

func TestLargestRequirements(t *testing.T) {
	small, large := object("cpu", "500m", "memory", "4Gi"), object("cpu", int64(1), "memory", "1Gi", "nvidia.com/gpu", int64(1))
	both := object("cpu", int64(1), "memory", "4Gi", "nvidia.com/gpu", int64(1))
	claim := object("nodeSelector", object("zone", "a"))
	examples(t, "largestRequirements", map[string]example{
		"none":              {args: []any{[]any{}}},
		"nothing asked":     {args: []any{[]any{object("name", "a", "replicas", int64(1))}}},
		"one":               {args: []any{[]any{of("a", int64(1), "a", small)}}, want: object("resourceRequest", small, "nodeClaim", claim)},
		"of each the more":  {args: []any{[]any{of("a", int64(1), "", small), of("b", int64(1), "", large)}}, want: object("resourceRequest", both)},
		"one zone":          {args: []any{[]any{of("a", int64(1), "a", small), of("b", int64(1), "a", large)}}, want: object("resourceRequest", both, "nodeClaim", claim)},
		"two zones":         {args: []any{[]any{of("a", int64(1), "a", small), of("b", int64(1), "b", large)}}, want: object("resourceRequest", both)},
		"one has no zone":   {args: []any{[]any{of("a", int64(1), "", small), of("b", int64(1), "a", large)}}, want: object("resourceRequest", both)},
		"without replicas":  {args: []any{[]any{of("a", int64(1), "a", small), of("b", int64(0), "b", large)}}, want: object("resourceRequest", small, "nodeClaim", claim)},
		"an equal one":      {args: []any{[]any{of("a", int64(1), "", object("cpu", "1000m")), of("b", int64(1), "", object("cpu", "1"))}}, want: object("resourceRequest", object("cpu", "1000m"))},
		"a broken quantity": {args: []any{[]any{of("a", int64(1), "", small), of("b", int64(1), "", object("cpu", "much"))}}, err: "component b: "},
	})
}

func TestPick(t *testing.T) {
	status := object("phase", "Up", "job", object("id", "x", "state", "RUNNING"), "gone", nil)
	examples(t, "pick", map[string]example{
		"fields":  {args: []any{status, fields("phase", "job.state", "gone", "missing")}, want: object("phase", "Up", "job", object("state", "RUNNING"))},
		"no name": {args: []any{status, fields()}, want: object()},
		"nil":     {args: []any{nil, fields("phase")}, want: object()},
		"text":    {args: []any{"x", fields("phase")}, err: "object must be a map, not a string"},
		"name":    {args: []any{status, "phase"}, err: "fields must be a list, not a string"},
	})
}
