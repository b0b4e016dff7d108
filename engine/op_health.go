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

// diagnosis is the answer of InterpretHealth.
type diagnosis struct {
	health workv1alpha2.ResourceHealth
	reason workv1alpha2.HealthReason
}

var healthOp = &operation[examination, diagnosis]{
	Operation: Operation{
		Name: InterpretHealth, Field: "healthInterpretation", Entry: "InterpretHealth", File: "health", About: AboutCopy,
		Params: []Param{{"object", ObjectParam}, {"failover", FailoverParam}},
		Results: []Result{
			{Name: "healthy", Type: "boolean or nil"},
			{Name: "reason", Type: "string or nil", Optional: true},
		},
		Doc: "Whether the object is healthy: true, false, or nil where it is not known yet, and beside false or nil Progressing, where it gets on, or Pending, where it waits for somebody. With failover, one that has failed is moved to another cluster.",
	},
	input:  func(q Request) (examination, error) { return examination{q.Object, q.Failover}, nil },
	bind:   func(in examination, args []any) []any { return append(args, in.object.Object, in.failover) },
	values: func(out diagnosis) []any { return []any{healthy(out.health), reasoned(out.reason)} },
	decode: func(_ examination, r *reader, results []any) (diagnosis, error) {
		answer, reason := at(results, 0), at(results, 1)
		if word, ok := answer.(string); ok && r.rule.Expression {
			answer, reason = false, word
		}
		var out diagnosis
		switch v := answer.(type) {
		case bool:
			out.health = workv1alpha2.ResourceUnhealthy
			if v {
				out.health = workv1alpha2.ResourceHealthy
			}
		case nil:
			if r.rule.Compat {
				return out, wrong("healthy: want a boolean, got nil")
			}
			out.health = workv1alpha2.ResourceUnknown
		default:
			return out, wrong("healthy: want a boolean, got a %s", script.TypeName(v))
		}
		if r.rule.Compat {
			return out, nil // as published: the boolean is all
		}
		return out, out.explain(reason)
	},
}

// explain sets the reason of a diagnosis, which must fit its health.
func (d *diagnosis) explain(reason any) error {
	if reason == nil {
		return nil
	}
	word, ok := reason.(string)
	if !ok {
		return wrong("reason: want a string or nil, got a %s", script.TypeName(reason))
	}
	d.reason = workv1alpha2.HealthReason(word)
	switch {
	case d.reason != workv1alpha2.HealthProgressing && d.reason != workv1alpha2.HealthPending:
		return wrong("reason: want Progressing, Pending or nil, got %.40q", word)
	case d.health == workv1alpha2.ResourceHealthy:
		return wrong("reason: want nil where healthy is true, got %s", word)
	}
	return nil
}

// healthy returns health as case files have it.
func healthy(health workv1alpha2.ResourceHealth) any {
	if health == workv1alpha2.ResourceUnknown {
		return nil
	}
	return health == workv1alpha2.ResourceHealthy
}

// reasoned returns a reason as case files have it.
func reasoned(reason workv1alpha2.HealthReason) any {
	if reason == "" {
		return nil
	}
	return string(reason)
}

// Health asks whether the object is Healthy, Unhealthy or Unknown.
func (v Snapshot) Health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	health, _, err := v.HealthReason(object, false)
	return health, err
}

// HealthReason is Health with its reason, which is empty for most. With failover the object is
// moved to another cluster where it is unhealthy for too long.
func (v Snapshot) HealthReason(object *unstructured.Unstructured, failover bool) (workv1alpha2.ResourceHealth, workv1alpha2.HealthReason, error) {
	out, err := run(v, healthOp, object, examination{object, failover})
	return out.health, out.reason, err
}
