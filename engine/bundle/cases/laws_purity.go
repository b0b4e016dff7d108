// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/engine"
)

func inputAlone(s *subject) ([]Failure, bool) {
	q := s.c.Question
	if !s.has(q.Operation) {
		return nil, false
	}
	before := argumentsOf(q)
	_, _ = s.rules.Evaluate(q)
	after := argumentsOf(q)
	if reflect.DeepEqual(before, after) {
		return nil, true
	}
	return diff("input", before, after, nil), true
}

// argumentsOf copies the arguments of a request.
func argumentsOf(q engine.Request) map[string]any {
	arguments := map[string]any{"object": q.Object.Object, "items": q.Items}
	if q.Observed != nil {
		arguments["observed"] = q.Observed.Object
	}
	related := []any{}
	for _, o := range q.Related {
		related = append(related, o.Object)
	}
	arguments["related"] = related
	state := map[string]any{}
	for key, value := range q.State {
		state[key] = value
	}
	arguments["state"] = state
	return runtime.DeepCopyJSON(arguments)
}

func sameAgain(s *subject) ([]Failure, bool) {
	q := s.c.Question
	if !s.has(q.Operation) {
		return nil, false
	}
	return diff("the second answer", s.outcome(q), s.outcome(q), nil), true
}

// outcome returns the results of a request, or its error, as JSON has them.
func (s *subject) outcome(q engine.Request) any {
	answer, err := s.rules.Evaluate(q)
	if err != nil {
		return err.Error()
	}
	return plain(answer)
}

func survivesJSON(s *subject) ([]Failure, bool) {
	q := s.c.Question
	answer, err := s.rules.Evaluate(q)
	if err != nil || !fits(answer) {
		return nil, false
	}
	var failures []Failure
	for i, r := range s.c.Operation.Results {
		if v := reflect.ValueOf(answer[i]); answer[i] == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			continue
		}
		once, err := json.Marshal(answer[i])
		if err != nil {
			return failed(r.Name, err), true
		}
		again := reflect.New(reflect.TypeOf(answer[i]))
		if err := utiljson.Unmarshal(once, again.Interface()); err != nil {
			return failed(r.Name, err), true
		}
		failures = append(failures, diff(r.Name, raw(answer[i]), raw(again.Elem().Interface()), nil)...)
	}
	return failures, true
}

// raw returns a result before its encoding as JSON: the map of an object, and plain
// values as they are. Typed results have their own JSON form.
func raw(v any) any {
	switch x := v.(type) {
	case interface{ UnstructuredContent() map[string]any }:
		return x.UnstructuredContent()
	case map[string]any, []any, string, bool:
		return x
	}
	return plain(v)
}
