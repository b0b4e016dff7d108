// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// About is which object an operation asks about.
type About string

const (
	// AboutTemplate is the object of the control plane.
	AboutTemplate About = "template"
	// AboutCopy is the object that a member cluster has.
	AboutCopy About = "copy"
	// AboutBoth is the object for a member cluster, beside the one that the cluster has.
	AboutBoth About = "both"
)

// ErrNoSample is returned where an operation cannot be asked about an object alone. The error
// around it says what is missing.
var ErrNoSample = errors.New("not asked")

// Sample returns a request that asks the operation about an object alone. What it takes beside the
// object is what other operations answer about the same object, of the first of the rules that
// answer: one replica more than it has, the status that a cluster would report of it, the state
// that it would leave. It is observed as it is. The error is ErrNoSample.
func (o Operation) Sample(object *unstructured.Unstructured, rules ...Snapshot) (Request, error) {
	q := Request{Operation: o.Name, Object: object}
	for _, p := range o.Params {
		sample, known := samples[p.Kind]
		if !known {
			return q, fmt.Errorf("%w: there is no sample of a %s", ErrNoSample, p.Kind)
		}
		if sample == nil {
			continue
		}
		if err := sample(&q, answersOf{object, rules}); err != nil {
			return q, err
		}
	}
	return q, nil
}

// samples give a request the argument of a parameter. Nil needs none: the object is there, and what a
// script need not have is left out.
var samples = map[ParamKind]func(*Request, answersOf) error{
	ObjectParam: nil, DivisionParam: nil, RelatedParam: nil, FailoverParam: nil,
	ObservedParam: func(q *Request, a answersOf) error {
		q.Observed = a.object
		return nil
	},
	CountParam: func(q *Request, a answersOf) error {
		q.Replicas = a.replicas() + 1
		return nil
	},
	ItemsParam: func(q *Request, a answersOf) error {
		item, err := StatusItem(&workv1alpha2.AggregatedStatusItem{ClusterName: "member1", Applied: true})
		if err != nil {
			return err
		}
		if status := a.status(); status != nil {
			item["status"] = status
		}
		q.Items = []any{item}
		return nil
	},
	StateParam: func(q *Request, a answersOf) error {
		q.State = a.state()
		if len(q.State) == 0 {
			return fmt.Errorf("%w: the object leaves no state, by %s", ErrNoSample, InterpretState)
		}
		return nil
	},
}

// answersOf are what rules answer about an object.
type answersOf struct {
	object *unstructured.Unstructured
	rules  []Snapshot
}

// first returns the first value of the first answer to an operation, nil where there is none.
func (a answersOf) first(op Op) any {
	for _, v := range a.rules {
		if answer, err := v.Evaluate(Request{Operation: op, Object: a.object}); err == nil && len(answer) > 0 {
			return answer[0]
		}
	}
	return nil
}

// replicas returns how many replicas the object has: those of all components where no rule counts
// them otherwise, and spec.replicas where none knows its components.
func (a answersOf) replicas() int64 {
	if n, counted := a.first(InterpretReplica).(int32); counted {
		return int64(n)
	}
	if all, ok := a.first(InterpretComponent).([]workv1alpha2.Component); ok && len(all) > 0 {
		var sum int64
		for _, c := range all {
			sum += int64(c.Replicas)
		}
		return sum
	}
	replicas, _, _ := unstructured.NestedInt64(a.object.Object, "spec", "replicas")
	return max(0, replicas)
}

// status returns what a cluster would report: all of the status where no rule answers.
func (a answersOf) status() any {
	for _, v := range a.rules {
		if !v.Supports(a.object.GroupVersionKind(), InterpretStatus) {
			continue
		}
		switch status, err := v.Status(a.object); {
		case err != nil:
		case status == nil:
			return nil
		default:
			return status
		}
	}
	return a.object.Object["status"]
}

func (a answersOf) state() map[string]string {
	state, _ := a.first(InterpretState).(map[string]string)
	return state
}
