// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/script"
)

// at returns result i, nil where the script returned fewer.
func at(results []any, i int) any {
	if i < len(results) {
		return results[i]
	}
	return nil
}

func indexed(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// unknownField is the error for a key that the answer does not have. In the published
// form such keys are passed over.
func unknownField(rule *Rule, path, key string, known ...string) error {
	if rule.Compat {
		return nil
	}
	return script.Errorf(script.Result, "%s.%s: there is no such field; the fields are %s", path, key, strings.Join(known, ", "))
}

// decodeFields calls f for each field of a map; a nil field counts as absent.
func decodeFields(path string, value any, f func(key string, v any) error) (bool, error) {
	if value == nil {
		return false, nil
	}
	ok, err := script.Fields(value, func(key string, v any) error {
		if v == nil {
			return nil
		}
		return f(key, v)
	})
	if err == nil && !ok {
		err = script.Errorf(script.Result, "%s: want a map, got a %s", path, script.TypeName(value))
	}
	return ok, err
}

func decodeString(path string, v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", script.Errorf(script.Result, "%s: want a string, got a %s", path, script.TypeName(v))
	}
	return s, nil
}

// decodeCount reads a number of replicas: whole, not negative, within int32.
func decodeCount(path string, v any) (int32, error) {
	n, ok := v.(int64)
	if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
		n, ok = int64(f), true
	}
	switch {
	case !ok && (script.TypeName(v) == "number"):
		return 0, script.Errorf(script.Result, "%s: want a whole number, got %v", path, v)
	case !ok:
		return 0, script.Errorf(script.Result, "%s: want a number, got a %s", path, script.TypeName(v))
	case n < 0 || n > math.MaxInt32:
		return 0, script.Errorf(script.Result, "%s: %d is not between 0 and %d", path, n, math.MaxInt32)
	}
	return int32(n), nil
}

// decodeQuantity reads a quantity from a string or a number. The text of a string
// is kept as it is.
func decodeQuantity(path string, v any) (resource.Quantity, error) {
	switch x := v.(type) {
	case int64:
		return *resource.NewQuantity(x, resource.DecimalSI), nil
	case string, float64:
		q, err := builtin.ParseQuantity(fmt.Sprint(x))
		if err != nil {
			return q, script.Errorf(script.Result, "%s: %v", path, err)
		}
		return q, nil
	}
	return resource.Quantity{}, script.Errorf(script.Result, "%s: want a quantity, got a %s", path, script.TypeName(v))
}

func decodeResources(path string, v any) (corev1.ResourceList, error) {
	list := make(corev1.ResourceList, 2)
	_, err := decodeFields(path, v, func(key string, v any) error {
		q, err := decodeQuantity(path+"."+key, v)
		list[corev1.ResourceName(key)] = q
		return err
	})
	return list, err
}

// decodeRequirements reads what one replica needs; nil stays nil.
func decodeRequirements(rule *Rule, path string, v any) (*workv1alpha2.ReplicaRequirements, error) {
	if v == nil {
		return nil, nil
	}
	r := &workv1alpha2.ReplicaRequirements{}
	_, err := decodeFields(path, v, func(key string, v any) error {
		var err error
		switch key {
		case "resourceRequest":
			r.ResourceRequest, err = decodeResources(path+".resourceRequest", v)
		case "nodeClaim":
			r.NodeClaim, err = decodeNodeClaim(rule, path+".nodeClaim", v)
		case "namespace":
			r.Namespace, err = decodeString(path+".namespace", v)
		case "priorityClassName":
			r.PriorityClassName, err = decodeString(path+".priorityClassName", v)
		default:
			err = unknownField(rule, path, key, "nodeClaim", "resourceRequest", "namespace", "priorityClassName")
		}
		return err
	})
	return r, err
}

// decodeComponentRequirements reads what one replica of a component needs.
func decodeComponentRequirements(rule *Rule, path string, v any) (*workv1alpha2.ComponentReplicaRequirements, error) {
	r := &workv1alpha2.ComponentReplicaRequirements{}
	_, err := decodeFields(path, v, func(key string, v any) error {
		var err error
		switch key {
		case "resourceRequest":
			r.ResourceRequest, err = decodeResources(path+".resourceRequest", v)
		case "nodeClaim":
			r.NodeClaim, err = decodeNodeClaim(rule, path+".nodeClaim", v)
		case "priorityClassName":
			r.PriorityClassName, err = decodeString(path+".priorityClassName", v)
		default:
			err = unknownField(rule, path, key, "nodeClaim", "resourceRequest", "priorityClassName")
		}
		return err
	})
	return r, err
}

// decodeNodeClaim reads what a replica asks of its node; nil stays nil.
func decodeNodeClaim(rule *Rule, path string, v any) (*workv1alpha2.NodeClaim, error) {
	if v == nil {
		return nil, nil
	}
	var selector map[string]string
	typed := map[string]any{}
	_, err := decodeFields(path, v, func(key string, v any) (err error) {
		switch key {
		case "nodeSelector":
			selector, err = decodeStrings(path+".nodeSelector", v)
		case "tolerations", "hardNodeAffinity":
			typed[key], err = script.Plain(v)
		default:
			err = unknownField(rule, path, key, "hardNodeAffinity", "nodeSelector", "tolerations")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	claim := &workv1alpha2.NodeClaim{}
	if len(typed) > 0 {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(typed, claim, !rule.Compat); err != nil {
			return nil, script.Errorf(script.Result, "%s: %v", path, err)
		}
	}
	claim.NodeSelector = selector
	return claim, nil
}

// decodeStrings reads a map of strings.
func decodeStrings(path string, v any) (map[string]string, error) {
	read := map[string]string{}
	_, err := decodeFields(path, v, func(key string, v any) (err error) {
		read[key], err = decodeString(path+"."+key, v)
		return err
	})
	return read, err
}

// decodePlainMap reads a map that stays valid after the run; nil stays nil.
func decodePlainMap(path string, v any) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	plain, err := script.Plain(v)
	if err != nil {
		return nil, err
	}
	m, ok := plain.(map[string]any)
	if !ok {
		return nil, script.Errorf(script.Result, "%s: want a map, got a %s", path, script.TypeName(v))
	}
	return m, nil
}
