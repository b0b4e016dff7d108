// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

// requirements reads what one replica needs; nil stays nil.
func (r *reader) requirements(v any) (*workv1alpha2.ReplicaRequirements, error) {
	if v == nil {
		return nil, nil
	}
	needs := &workv1alpha2.ReplicaRequirements{}
	err := r.fields(v, func(key string, v any) error {
		var err error
		switch key {
		case "resourceRequest":
			needs.ResourceRequest, err = r.resources(v)
		case "nodeClaim":
			needs.NodeClaim, err = r.nodeClaim(v)
		case "namespace":
			needs.Namespace, err = r.string(v)
		case "priorityClassName":
			needs.PriorityClassName, err = r.string(v)
		default:
			return r.unknownField(key, "nodeClaim", "resourceRequest", "namespace", "priorityClassName")
		}
		return belowField(key, err)
	})
	return needs, err
}

// componentRequirements reads what one replica of a component needs.
func (r *reader) componentRequirements(v any) (*workv1alpha2.ComponentReplicaRequirements, error) {
	needs := &workv1alpha2.ComponentReplicaRequirements{}
	err := r.fields(v, func(key string, v any) error {
		var err error
		switch key {
		case "resourceRequest":
			needs.ResourceRequest, err = r.resources(v)
		case "nodeClaim":
			needs.NodeClaim, err = r.nodeClaim(v)
		case "priorityClassName":
			needs.PriorityClassName, err = r.string(v)
		default:
			return r.unknownField(key, "nodeClaim", "resourceRequest", "priorityClassName")
		}
		return belowField(key, err)
	})
	return needs, err
}

// nodeClaim reads what a replica asks of its node; nil stays nil.
func (r *reader) nodeClaim(v any) (*workv1alpha2.NodeClaim, error) {
	if v == nil {
		return nil, nil
	}
	claim := &workv1alpha2.NodeClaim{}
	err := r.fields(v, func(key string, v any) (err error) {
		switch key {
		case "nodeSelector":
			claim.NodeSelector, err = r.strings(v)
		case "tolerations":
			claim.Tolerations, err = r.tolerations(v)
		case "hardNodeAffinity":
			claim.HardNodeAffinity, err = r.affinity(v)
		default:
			return r.unknownField(key, "hardNodeAffinity", "nodeSelector", "tolerations")
		}
		return belowField(key, err)
	})
	return claim, err
}

// affinity reads the node selector of an affinity.
func (r *reader) affinity(v any) (*corev1.NodeSelector, error) {
	plain, err := r.plainMap(v)
	if err != nil {
		return nil, err
	}
	selector := &corev1.NodeSelector{}
	return selector, r.convert(plain, selector)
}

// labelSelector reads a selector of labels.
func (r *reader) labelSelector(v any) (*metav1.LabelSelector, error) {
	plain, err := r.plainMap(v)
	if err != nil {
		return nil, err
	}
	if err := r.validateLabels(plain); err != nil {
		return nil, err
	}
	if err := checkLabels(plain); err != nil {
		return nil, err
	}
	selector := &metav1.LabelSelector{}
	if err := r.convert(plain, selector); err != nil {
		return nil, err
	}
	if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
		return nil, wrong("%v", firstOfLabels(selector.MatchLabels, err))
	}
	return selector, nil
}

// checkLabels refuses labels that are no texts, the first by key.
func checkLabels(plain map[string]any) error {
	labels, _ := plain["matchLabels"].(map[string]any)
	first, found := "", false
	for key, v := range labels {
		if _, isText := v.(string); !isText && v != nil && (!found || key < first) {
			first, found = key, true
		}
	}
	if !found {
		return nil
	}
	return below(".matchLabels."+clipped(first), wrong("want a string, got a %s", script.TypeName(labels[first])))
}

// firstOfLabels returns the error of the first label by key that is wrong, or the one given
// where it is not of a label: which one is found depends on the order of the map.
func firstOfLabels(labels map[string]string, err error) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		one := &metav1.LabelSelector{MatchLabels: map[string]string{key: labels[key]}}
		if _, err := metav1.LabelSelectorAsSelector(one); err != nil {
			return err
		}
	}
	return err
}

// What a node costs that the converter turns into a field of a Go type, and each byte of
// a label, which is validated by regular expressions when it is read and when references
// are sorted.
const (
	convertSteps = 32
	labelSteps   = 2
)

// maxConverted is how many nodes a value has at most that is turned into a Go type by
// reflection, and maxLabels how many bytes the texts of a label selector have.
const (
	maxConverted = 5_000
	maxLabels    = 32 << 10
)

// convert turns a plain map into a Go type.
func (r *reader) convert(plain map[string]any, into any) error {
	before := r.size
	nodes, err := r.measure(plain)
	if err != nil {
		return err
	}
	if nodes > maxConverted {
		return wrong("it has %d fields and items; at most %d are allowed", nodes, maxConverted)
	}
	if err := r.Add(nodes*convertSteps+(r.size-before)/8, nodes*convertSteps*4+(r.size-before)*2); err != nil {
		return err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(plain, into, !r.rule.Compat); err != nil {
		return wrong("%v", err)
	}
	return nil
}

// validateLabels pays for the validation of the labels of a selector.
func (r *reader) validateLabels(plain map[string]any) error {
	before := r.size
	if _, err := r.measure(plain); err != nil {
		return err
	}
	n := r.size - before
	r.size = before // it is counted when it is converted
	if n > maxLabels {
		return wrong("it has more than %d bytes", maxLabels)
	}
	return r.Add(n*labelSteps, n*labelSteps)
}
