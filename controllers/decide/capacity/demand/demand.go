// SPDX-License-Identifier: Apache-2.0

// Package demand asks the engine what the pods of a template need: what is scheduled,
// counted against a quota, and admitted by that. A template and the rules of its kind go
// in; replicas or components come out. It knows neither policies nor clusters.
package demand

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
)

// Demand is what the pods of one template need. Where there are Components, the other
// fields are empty; what runs no pods has the zero value.
type Demand struct {
	Replicas     int32
	Requirements *workv1alpha2.ReplicaRequirements
	Components   []workv1alpha2.Component
}

// Of asks the rules what a template needs: its components, if they are wanted and must
// stay together, else its replicas where its kind has them, else nothing. The error is
// that of a script.
func Of(rules engine.Snapshot, object *unstructured.Unstructured, wantComponents bool) (Demand, error) {
	kind := object.GroupVersionKind()
	if wantComponents && rules.Supports(kind, engine.InterpretComponent) {
		components, err := rules.Components(object)
		if err != nil {
			return Demand{}, err
		}
		if indivisible(rules, kind, components) {
			return Demand{Components: components}, nil
		}
	}
	if !rules.Supports(kind, engine.InterpretReplica) {
		return Demand{}, nil
	}
	replicas, err := rules.Replicas(object)
	if err != nil {
		return Demand{}, err
	}
	return Demand{Replicas: replicas.Count, Requirements: replicas.Requirements}, nil
}

// In returns what a binding demands.
func In(spec *workv1alpha2.ResourceBindingSpec) Demand {
	return Demand{Replicas: spec.Replicas, Requirements: spec.ReplicaRequirements, Components: spec.Components}
}

// Set writes the demand into a binding, which names its template. Its requirements name the
// namespace of the template, unless a script has set another.
func (d Demand) Set(spec *workv1alpha2.ResourceBindingSpec) {
	spec.Replicas, spec.ReplicaRequirements, spec.Components = d.Replicas, d.Requirements, d.Components
	if d.Requirements != nil && d.Requirements.Namespace == "" {
		spec.ReplicaRequirements = d.Requirements.DeepCopy()
		spec.ReplicaRequirements.Namespace = spec.Resource.Namespace
	}
}

// Equal reports whether two demands are the same, quantities by their value. The namespace does
// not count: it says where pods run, not what they need, and bindings of earlier versions have none.
func (d Demand) Equal(other Demand) bool {
	return equality.Semantic.DeepEqual(d.anywhere(), other.anywhere())
}

// anywhere returns the demand without a namespace.
func (d Demand) anywhere() Demand {
	if d.Requirements != nil && d.Requirements.Namespace != "" {
		d.Requirements = d.Requirements.DeepCopy()
		d.Requirements.Namespace = ""
	}
	return d
}

// indivisible reports whether an object must go to one cluster: it has several
// components, or one of several pods that no script can divide. A Deployment, which has
// one component, is divided by its replicas.
func indivisible(rules engine.Snapshot, kind schema.GroupVersionKind, components []workv1alpha2.Component) bool {
	if len(components) != 1 {
		return len(components) > 1
	}
	divisible := rules.Supports(kind, engine.ReviseReplica) || !rules.Supports(kind, engine.InterpretReplica)
	return components[0].Replicas > 1 && !divisible
}
