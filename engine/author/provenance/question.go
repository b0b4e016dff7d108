// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/compare"
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
// argument that is not given is assumed, as compare.Questions does; RestoreState is not asked
// without a state, and it is an error to name it then.
func Questions(object *unstructured.Unstructured, given Arguments, only []engine.Op) ([]Question, error) {
	all := compare.Questions(object)
	if given.State != nil {
		all = append(all, engine.Request{Operation: engine.RestoreState, Object: object, State: given.State})
	}
	if given.State == nil && slices.Contains(only, engine.RestoreState) {
		return nil, fmt.Errorf("%s needs a state: pass it by --state", engine.RestoreState)
	}
	var questions []Question
	for _, op := range engine.Operations() {
		i := slices.IndexFunc(all, func(q engine.Request) bool { return q.Operation == op.Name })
		if i < 0 || len(only) > 0 && !slices.Contains(only, op.Name) {
			continue
		}
		questions = append(questions, given.question(op, all[i]))
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
	if op.Takes(engine.FailoverParam) {
		q.Failover = a.Failover
	}
	return Question{q, assumed}
}
