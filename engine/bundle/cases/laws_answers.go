// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// revisions are the numbers that reviseThenReplicas tries.
var revisions = []int64{0, 1, 2, 5, 13, 100}

// manyReplicas shows how many replicas an object can have at all: a Job, for one, no
// more than it has completions.
const manyReplicas = 1_000_000

func reviseThenReplicas(s *subject) ([]Failure, bool) {
	if !s.has(engine.ReviseReplica, engine.InterpretReplica) {
		return nil, false
	}
	if _, err := s.ask(engine.Request{Operation: engine.ReviseReplica, Replicas: manyReplicas}); err != nil {
		return nil, false
	}
	ceiling, err := s.revised(manyReplicas)
	if err != nil {
		return failed(fmt.Sprintf("replicas after revise to %d", manyReplicas), err), true
	}
	floor := s.fewest()
	var failures []Failure
	for _, n := range revisions {
		path, want := fmt.Sprintf("replicas after revise to %d", n), max(min(n, ceiling), floor)
		switch got, err := s.revised(n); {
		case err != nil:
			failures = append(failures, failed(path, err)...)
		case got != want:
			failures = append(failures, Failure{Path: path, Want: text(want), Got: text(got)})
		}
	}
	return failures, true
}

// fewest returns how many replicas the object has at least: 1 where it has one that cannot be
// taken from it, such as the head of a cluster, and that is counted; otherwise 0.
func (s *subject) fewest() int64 {
	none, err := s.revised(0)
	if err != nil || none != 1 {
		return 0
	}
	if one, err := s.revised(1); err != nil || one != 1 {
		return 0
	}
	return 1
}

// revised returns the replicas of the object after it was revised to n.
func (s *subject) revised(n int64) (int64, error) {
	revised, err := s.ask(engine.Request{Operation: engine.ReviseReplica, Replicas: n})
	if err != nil {
		return 0, err
	}
	object, _ := revised.(*unstructured.Unstructured)
	count, err := s.ask(engine.Request{Operation: engine.InterpretReplica, Object: object})
	return wholeNumber(count), err
}

func wholeNumber(v any) int64 {
	n, _ := plain(v).(int64)
	return n
}

// twice is the law of an operation that changes nothing in its own answer, which is an
// object.
func twice(op engine.Operation) Law {
	result := op.Results[0].Name
	return Law{
		Name: op.File + " twice",
		Doc:  string(op.Name) + " changes nothing in its own answer.",
		check: func(s *subject) ([]Failure, bool) {
			if !s.has(op.Name) {
				return nil, false
			}
			observed := s.c.Question.Observed
			if observed == nil {
				observed = s.c.Question.Object
			}
			once, err := s.ask(engine.Request{Operation: op.Name, Observed: observed})
			if err != nil {
				return nil, false
			}
			object, _ := once.(*unstructured.Unstructured)
			again, err := s.ask(engine.Request{Operation: op.Name, Object: object, Observed: observed})
			if err != nil {
				return failed(op.File+" of what was "+result, err), true
			}
			return diff(result, plain(once), plain(again), nil), true
		},
	}
}

// keepsIdentity relies on the engine, which refuses an answer that is another object.
func keepsIdentity(s *subject) ([]Failure, bool) {
	q := s.c.Question
	if !s.c.Operation.Patch || !s.has(q.Operation) {
		return nil, false
	}
	_, err := s.ask(q)
	var failure *script.Error
	if errors.As(err, &failure) && failure.Code == script.Result {
		return failed(string(q.Operation), err), true
	}
	return nil, err == nil
}

func orderOfItems(s *subject) ([]Failure, bool) {
	q := s.c.Question
	if q.Operation != engine.AggregateStatus || len(q.Items) < 2 {
		return nil, false
	}
	want, err := s.ask(q)
	if err != nil {
		return nil, false
	}
	reversed := slices.Clone(q.Items)
	slices.Reverse(reversed)
	rotated := slices.Concat(q.Items[1:], q.Items[:1])
	for _, items := range [][]any{reversed, rotated} {
		q.Items = items
		got, err := s.ask(q)
		if err != nil {
			return failed("items in another order", err), true
		}
		if failures := diff("aggregatedStatus", plain(want), plain(got), nil); len(failures) > 0 {
			return failures, true
		}
	}
	return nil, true
}

func noItems(s *subject) ([]Failure, bool) {
	if !s.has(engine.AggregateStatus) {
		return nil, false
	}
	for _, items := range [][]any{nil, {}} {
		if _, err := s.ask(engine.Request{Operation: engine.AggregateStatus, Items: items}); err != nil {
			return failed("aggregate of no items", err), true
		}
	}
	return nil, true
}

func componentsAndReplicas(s *subject) ([]Failure, bool) {
	if !s.has(engine.InterpretComponent, engine.InterpretReplica) {
		return nil, false
	}
	count, err := s.ask(engine.Request{Operation: engine.InterpretReplica})
	if err != nil {
		return nil, false
	}
	answer, err := s.ask(engine.Request{Operation: engine.InterpretComponent})
	components, _ := answer.([]workv1alpha2.Component)
	if err != nil || len(components) == 0 {
		return nil, false
	}
	var sum int64
	for _, c := range components {
		sum += int64(c.Replicas)
	}
	if want := wholeNumber(count); sum != want {
		return []Failure{{Path: "sum of the components", Want: text(want), Got: text(sum)}}, true
	}
	return nil, true
}
