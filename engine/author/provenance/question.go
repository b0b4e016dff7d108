// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// Arguments are what operations take beside the object. What is nil is assumed.
type Arguments struct {
	Observed *unstructured.Unstructured
	Items    []any
	Replicas *int64
	State    map[string]string
	Failover bool
}

// Questions returns what can be asked about an object: all operations, or those that are named. An
// argument that is not given is assumed: it is what the rules answer about the object, as
// Operation.Sample has it. What has no sample is not asked, and is an error where it is named.
func (r *Rules) Questions(object *unstructured.Unstructured, given Arguments, only []engine.Op) ([]Question, error) {
	var questions []Question
	for _, op := range engine.Operations() {
		if len(only) > 0 && !slices.Contains(only, op.Name) {
			continue
		}
		q, err := op.Sample(object, r.interpreter.Snapshot())
		if op.Takes(engine.StateParam) && given.State != nil {
			q.State, err = given.State, nil
		}
		switch {
		case err == nil:
			questions = append(questions, given.question(op, q))
		case slices.Contains(only, op.Name) && op.Takes(engine.StateParam):
			return nil, fmt.Errorf("%s needs a state: pass it by --state (%w)", op.Name, err)
		case slices.Contains(only, op.Name):
			return nil, fmt.Errorf("%s: %w", op.Name, err)
		}
	}
	return questions, nil
}

// question puts the arguments that are given into a request, and names those that are not.
func (a Arguments) question(op engine.Operation, q engine.Request) Question {
	assumed := ""
	switch {
	case op.Takes(engine.ObservedParam) && a.Observed != nil:
		q.Observed = a.Observed
	case op.Takes(engine.ObservedParam):
		assumed = "the observed object is the same"
	case op.Takes(engine.ItemsParam) && a.Items != nil:
		q.Items = a.Items
	case op.Takes(engine.ItemsParam):
		assumed = "its status comes from one cluster, member1"
	case op.Takes(engine.CountParam) && a.Replicas != nil:
		q.Replicas = *a.Replicas
	case op.Takes(engine.CountParam):
		assumed = fmt.Sprintf("it is to have %d replicas", q.Replicas)
	}
	if op.Takes(engine.StateParam) && a.State == nil {
		assumed = fmt.Sprintf("it goes on with the state that it has itself, %s", states(q.State))
	}
	if op.Takes(engine.FailoverParam) {
		q.Failover = a.Failover
	}
	return Question{q, assumed}
}

// states returns state as it is written on the command line, in the order of its names.
func states(state map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(state)) {
		all = append(all, name+"="+state[name])
	}
	return strings.Join(all, ",")
}
