// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// Questions returns what operations can be asked about an object alone, as Operation.Sample makes it by
// what the first of the rules that answer say of the object; and what cannot.
func Questions(object *unstructured.Unstructured, operations []engine.Operation, rules ...engine.Snapshot) ([]engine.Request, []Unasked) {
	var (
		all  []engine.Request
		left []Unasked
	)
	for _, op := range operations {
		q, err := op.Sample(object, rules...)
		if err == nil {
			all = append(all, q)
			continue
		}
		if slices.ContainsFunc(rules, func(v engine.Snapshot) bool { return v.Supports(object.GroupVersionKind(), op.Name) }) {
			left = append(left, NewUnasked(op.Name, object, err))
		}
	}
	return all, left
}

// Unasked is an operation that a rule answers, and that objects of a kind give no question for.
type Unasked struct {
	Operation engine.Op `json:"operation"`
	Kind      string    `json:"kind"`
	// Reason is what is missing.
	Reason string `json:"reason"`
	// Count is how many objects that is true of.
	Count int `json:"count"`
}

// NewUnasked returns an operation that one object gives no question for.
func NewUnasked(op engine.Op, object *unstructured.Unstructured, err error) Unasked {
	reason := err.Error()
	if errors.Is(err, engine.ErrNoSample) {
		reason = strings.TrimPrefix(reason, engine.ErrNoSample.Error()+": ")
	}
	return Unasked{Operation: op, Kind: object.GetKind(), Reason: reason, Count: 1}
}
