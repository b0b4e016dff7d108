// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

var healthOp = &Op[*unstructured.Unstructured, workv1alpha2.ResourceHealth]{
	Operation: Operation{
		Name: InterpretHealth, Field: "healthInterpretation", Entry: "InterpretHealth", File: "health", index: 6,
		Params: []string{"object"}, Results: []string{"healthy"},
		Doc: "Whether the object is healthy: true, false, or nil where it cannot be told yet.",
	},
	bind: func(in *unstructured.Unstructured, args []any) []any { return append(args, in.Object) },
	decode: func(_ *unstructured.Unstructured, rule *Rule, results []any) (workv1alpha2.ResourceHealth, error) {
		switch v := at(results, 0).(type) {
		case bool:
			if v {
				return workv1alpha2.ResourceHealthy, nil
			}
			return workv1alpha2.ResourceUnhealthy, nil
		case nil:
			if !rule.Compat {
				return workv1alpha2.ResourceUnknown, nil
			}
			return "", script.Errorf(script.Result, "healthy: want a boolean, got nil")
		default:
			return "", script.Errorf(script.Result, "healthy: want a boolean, got a %s", script.TypeName(v))
		}
	},
}

// Health asks whether the object is Healthy, Unhealthy or Unknown.
func (v Snapshot) Health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	return run(v, healthOp, kindOf(object), object)
}
