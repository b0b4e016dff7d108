// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Steps and bytes of a toleration beside its fields.
const (
	tolerationSteps = 8
	tolerationBytes = 192
)

// tolerations reads a list of tolerations.
func (r *reader) tolerations(v any) ([]corev1.Toleration, error) {
	all := []corev1.Toleration{}
	ok, err := r.items(v, func(value any) error {
		if err := r.Add(tolerationSteps, tolerationBytes); err != nil {
			return err
		}
		t, err := r.toleration(value)
		all = append(all, t)
		return err
	})
	if err == nil && !ok {
		err = wrong("want a list, got a %s", script.TypeName(v))
	}
	return all, err
}

// toleration reads one toleration.
func (r *reader) toleration(v any) (corev1.Toleration, error) {
	var t corev1.Toleration
	err := r.fields(v, func(key string, v any) error {
		var err error
		switch key {
		case "key":
			t.Key, err = r.string(v)
		case "value":
			t.Value, err = r.string(v)
		case "operator":
			var s string
			s, err = r.string(v)
			t.Operator = corev1.TolerationOperator(s)
		case "effect":
			var s string
			s, err = r.string(v)
			t.Effect = corev1.TaintEffect(s)
		case "tolerationSeconds":
			t.TolerationSeconds, err = r.seconds(v)
		default:
			return r.unknownField(key, "key", "operator", "value", "effect", "tolerationSeconds")
		}
		return belowField(key, err)
	})
	return t, err
}

// seconds reads a whole number of 64 bits.
func (r *reader) seconds(v any) (*int64, error) {
	switch n := v.(type) {
	case int64:
		return &n, r.grow(numberSize)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<63 {
			return new(int64(n)), r.grow(numberSize)
		}
		return nil, wrong("want a whole number, got %v", n)
	}
	return nil, wrong("want a number, got a %s", script.TypeName(v))
}
