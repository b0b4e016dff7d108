// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

func TestInQueue(t *testing.T) {
	with := func(key string, value any) map[string]any {
		return object("metadata", object("labels", object(key, value)))
	}
	queued, managed := with("kueue.x-k8s.io/queue-name", "team"), with("kueue.x-k8s.io/managed", "true")
	examples(t, "inQueue", map[string]example{
		"the template":             {args: []any{queued, object()}, want: true},
		"the observed":             {args: []any{object(), queued}, want: true},
		"managed":                  {args: []any{object(), managed}, want: true},
		"the template alone":       {args: []any{queued}, want: true},
		"neither":                  {args: []any{with("app", "a"), with("app", "a")}, want: false},
		"not managed":              {args: []any{with("kueue.x-k8s.io/managed", "false"), nil}, want: false},
		"no labels":                {args: []any{object("metadata", nil), object()}, want: false},
		"labels that are no map":   {args: []any{object("metadata", object("labels", "x")), nil}, want: false},
		"nil":                      {args: []any{nil, nil}, want: false},
		"three arguments":          {args: []any{nil, nil, nil}, err: "3 arguments given"},
		"an object that is a text": {args: []any{"x"}, err: "template must be a map, not a string"},
	})
}

func TestRetainAdmission(t *testing.T) {
	own := object(
		"metadata", object("name", "p", "labels", object("app", "a", "team", "x")),
		"spec", object("containers", []any{object("name", "c")}, "nodeSelector", object("pool", "any"), "schedulingGates", []any{object("name", "mine")}))
	there := object(
		"metadata", object("name", "q", "labels", object("app", "old", "kueue.x-k8s.io/podset", "main"), "annotations", object("kueue.x-k8s.io/workload", "w")),
		"spec", object("containers", []any{}, "nodeSelector", object("pool", "gpu"), "tolerations", []any{object("key", "gpu")}))
	want := object(
		"metadata", object("name", "p", "labels", object("app", "a", "team", "x", "kueue.x-k8s.io/podset", "main"), "annotations", object("kueue.x-k8s.io/workload", "w")),
		"spec", object("containers", []any{object("name", "c")}, "nodeSelector", object("pool", "gpu"), "tolerations", []any{object("key", "gpu")}))
	examples(t, "retainAdmission", map[string]example{
		"all":                    {args: []any{own, there}, want: want},
		"nothing observed":       {args: []any{own, nil}, want: own},
		"neither":                {args: []any{nil, nil}, want: nil},
		"no template":            {args: []any{nil, object("spec", object("schedulingGates", []any{object("name", "g")}), "metadata", object("labels", object("a", "b")))}, want: object("spec", object("schedulingGates", []any{object("name", "g")}), "metadata", object("labels", object("a", "b")))},
		"an empty one stays":     {args: []any{object("metadata", object(), "spec", object()), object()}, want: object("metadata", object(), "spec", object())},
		"nothing is made":        {args: []any{object(), object("spec", object("containers", []any{}))}, want: object()},
		"a template that is not": {args: []any{"x", nil}, err: "podTemplate must be a map, not a string"},
		"observed that is not":   {args: []any{nil, int64(1)}, err: "observed must be a map, not a number"},
	})
}
