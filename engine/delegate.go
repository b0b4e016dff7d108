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
	return i.View().Supports(kind, operation)
}

// Origin is that of the View of now.
func (i *Interpreter) Origin(kind schema.GroupVersionKind, operation string) string {
	return i.View().Origin(kind, operation)
}

// Ask is that of the View of now.
func (i *Interpreter) Ask(q Question) ([]any, error) { return i.View().Ask(q) }

// Replicas is that of the View of now.
func (i *Interpreter) Replicas(object *unstructured.Unstructured) (Replicas, error) {
	return i.View().Replicas(object)
}

// Components is that of the View of now.
func (i *Interpreter) Components(object *unstructured.Unstructured) ([]workv1alpha2.Component, error) {
	return i.View().Components(object)
}

// Revise is that of the View of now.
func (i *Interpreter) Revise(object *unstructured.Unstructured, replicas int64) (*unstructured.Unstructured, error) {
	return i.View().Revise(object, replicas)
}

// Retain is that of the View of now.
func (i *Interpreter) Retain(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return i.View().Retain(desired, observed)
}

// Status is that of the View of now.
func (i *Interpreter) Status(object *unstructured.Unstructured) (map[string]any, error) {
	return i.View().Status(object)
}

// Aggregate is that of the View of now.
func (i *Interpreter) Aggregate(object *unstructured.Unstructured, items []any) (*unstructured.Unstructured, error) {
	return i.View().Aggregate(object, items)
}

// Health is that of the View of now.
func (i *Interpreter) Health(object *unstructured.Unstructured) (workv1alpha2.ResourceHealth, error) {
	return i.View().Health(object)
}

// Dependencies is that of the View of now.
func (i *Interpreter) Dependencies(object *unstructured.Unstructured) ([]configv1alpha1.DependentObjectReference, error) {
	return i.View().Dependencies(object)
}

// State is that of the View of now.
func (i *Interpreter) State(object *unstructured.Unstructured) (map[string]string, error) {
	return i.View().State(object)
}

// Restore is that of the View of now.
func (i *Interpreter) Restore(desired *unstructured.Unstructured, state map[string]string) (*unstructured.Unstructured, error) {
	return i.View().Restore(desired, state)
}
