// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// oldStatus does not apply where health does not come from the status: the object is healthy
// without it, as one that is suspended. Nor does it to an object that has finished, whose
// controller may look at it no more.
func oldStatus(s *subject) ([]Failure, bool) {
	object := s.c.Question.Object
	observed, found, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if !s.has(engine.InterpretHealth) || !found || err != nil || s.finished(object) {
		return nil, false
	}
	if healthy, err := s.healthy(s.withoutStatus()); err != nil || healthy == true {
		return nil, false
	}
	changed := object.DeepCopy()
	changed.SetGeneration(max(object.GetGeneration(), observed) + 1)
	healthy, err := s.healthy(changed)
	if err != nil {
		return nil, false
	}
	if healthy == true {
		return []Failure{{Path: "health by an old status", Want: text("false or nothing"), Got: text(true)}}, true
	}
	return nil, true
}

// suspensions are where the spec of a kind has whether it is suspended.
var suspensions = [][]string{{"spec", "suspend"}, {"spec", "runPolicy", "suspend"}}

// suspended applies to objects whose spec has the field, whatever it is. One that has
// finished may have failed, and stays as it is.
func suspended(s *subject) ([]Failure, bool) {
	if !s.has(engine.InterpretHealth) || s.finished(s.c.Question.Object) {
		return nil, false
	}
	for _, path := range suspensions {
		object := s.c.Question.Object.DeepCopy()
		if _, found, err := unstructured.NestedBool(object.Object, path...); !found || err != nil {
			continue
		}
		if err := unstructured.SetNestedField(object.Object, true, path...); err != nil {
			return failed("suspend the object", err), true
		}
		healthy, err := s.healthy(object)
		if err != nil {
			return nil, false
		}
		if healthy == false {
			return []Failure{{Path: "health of what is suspended", Want: text("true or nothing"), Got: text(false)}}, true
		}
		return nil, true
	}
	return nil, false
}

// healthy returns the health of an object, nil where it is not known.
func (s *subject) healthy(object *unstructured.Unstructured) (any, error) {
	answer, err := s.ask(engine.Request{Operation: engine.InterpretHealth, Object: object, Failover: s.c.Question.Failover})
	return plain(answer), err
}

// finished reports whether the scripts know that the object has finished.
func (s *subject) finished(object *unstructured.Unstructured) bool {
	if !s.has(engine.InterpretFinished) {
		return false
	}
	answer, err := s.ask(engine.Request{Operation: engine.InterpretFinished, Object: object})
	return err == nil && plain(answer) == true
}

// withoutStatus returns the object of the case as no controller has seen it.
func (s *subject) withoutStatus() *unstructured.Unstructured {
	object := s.c.Question.Object.DeepCopy()
	delete(object.Object, "status")
	return object
}
