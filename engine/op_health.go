// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

// InterpretHealth asks whether an object is healthy.
const InterpretHealth Op = "InterpretHealth"

// examination is the input of InterpretHealth.
type examination struct {
	object   *unstructured.Unstructured
	failover bool
}

var healthOp = &operation[examination, workv1alpha2.ResourceHealth]{
	Operation: Operation{
		Name: InterpretHealth, Field: "healthInterpretation", Entry: "InterpretHealth", File: "health",
		Params:  []Param{{"object", ObjectParam}, {"failover", FailoverParam}},
		Results: []Result{{Name: "healthy", Type: "boolean or nil"}},
		Doc:     "Whether the object is healthy: true, false, or nil where it is not known yet. With failover, one that is not is moved to another cluster.",
	},
	input:  func(q Request) (examination, error) { return examination{q.Object, q.Failover}, nil },
	bind:   func(in examination, args []any) []any { return append(args, in.object.Object, in.failover) },
	values: func(out workv1alpha2.ResourceHealth) []any { return []any{healthy(out)} },
	decode: func(_ examination, r *reader, results []any) (workv1alpha2.ResourceHealth, error) {
		switch v := at(results, 0).(type) {
		case bool:
			if v {
				return workv1alpha2.ResourceHealthy, nil
			}
			return workv1alpha2.ResourceUnhealthy, nil
		case nil:
			if !r.rule.Compat {
				return workv1alpha2.ResourceUnknown, nil
			}
			return "", wrong("healthy: want a boolean, got nil")
		default:
			return "", wrong("healthy: want a boolean, got a %s", script.TypeName(v))
		}
	},
}

// healthy returns health as case files have it.
func healthy(health workv1alpha2.ResourceHealth) any {
	if health == workv1alpha2.ResourceUnknown {
		return nil
	}
	return health == workv1alpha2.ResourceHealthy
}

// Health asks whether the object is Healthy, Unhealthy or Unknown.
func (v Snapshot) Health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	return run(v, healthOp, object, examination{object: object})
}

// FailoverHealth is Health of an object that is moved to another cluster where it is
// unhealthy for too long.
func (v Snapshot) FailoverHealth(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	return run(v, healthOp, object, examination{object, true})
}
