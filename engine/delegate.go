// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// The methods below ask the View of now; each is described there.

// Supports is that of the View of now.
func (i *Interpreter) Supports(kind schema.GroupVersionKind, operation string) bool {
	return i.Snapshot().Supports(kind, operation)
}

// Origin is that of the View of now.
func (i *Interpreter) Origin(kind schema.GroupVersionKind, operation string) string {
	return i.Snapshot().Origin(kind, operation)
}

// Evaluate is that of the View of now.
func (i *Interpreter) Evaluate(q Request) ([]any, error) { return i.Snapshot().Evaluate(q) }

// Replicas is that of the View of now.
func (i *Interpreter) Replicas(object *unstructured.Unstructured) (Replicas, error) {
	return i.Snapshot().Replicas(object)
}

// Components is that of the View of now.
func (i *Interpreter) Components(object *unstructured.Unstructured) ([]workv1alpha2.Component, error) {
	return i.Snapshot().Components(object)
}

// Revise is that of the View of now.
func (i *Interpreter) Revise(object *unstructured.Unstructured, replicas int64) (*unstructured.Unstructured, error) {
	return i.Snapshot().Revise(object, replicas)
}

// Retain is that of the View of now.
func (i *Interpreter) Retain(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return i.Snapshot().Retain(desired, observed)
}

// Status is that of the View of now.
func (i *Interpreter) Status(object *unstructured.Unstructured) (map[string]any, error) {
	return i.Snapshot().Status(object)
}

// Aggregate is that of the View of now.
func (i *Interpreter) Aggregate(object *unstructured.Unstructured, items []any) (*unstructured.Unstructured, error) {
	return i.Snapshot().Aggregate(object, items)
}

// Health is that of the View of now.
func (i *Interpreter) Health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	return i.Snapshot().Health(object)
}

// Dependencies is that of the View of now.
func (i *Interpreter) Dependencies(object *unstructured.Unstructured) ([]configv1alpha1.DependentObjectReference, error) {
	return i.Snapshot().Dependencies(object)
}

// State is that of the View of now.
func (i *Interpreter) State(object *unstructured.Unstructured) (map[string]string, error) {
	return i.Snapshot().State(object)
}

// Restore is that of the View of now.
func (i *Interpreter) Restore(desired *unstructured.Unstructured, state map[string]string) (*unstructured.Unstructured, error) {
	return i.Snapshot().Restore(desired, state)
}
