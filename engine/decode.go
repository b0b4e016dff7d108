// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

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

// unknownField is the error for a key that the answer does not have. In the published
// form such keys are passed over.
func (r *reader) unknownField(key string, known ...string) error {
	if r.rule.Compat {
		return nil
	}
	return belowField(key, wrong("there is no such field; the fields are %s", strings.Join(known, ", ")))
}

// fields calls f for each field of a map; a nil field counts as absent. Of several errors
// it returns the one that is the first by key.
func (r *reader) fields(value any, f func(key string, v any) error) error {
	switch {
	case value == nil:
		return nil
	case script.PlainMap(value) != nil:
		return r.unorderedFields(value, f)
	}
	ok, err := script.Fields(value, func(key string, v any) error {
		if v == nil {
			return r.Add(1, 0)
		}
		if err := r.field(key); err != nil {
			return err
		}
		return f(key, v)
	})
	if err == nil && !ok {
		err = wrong("want a map, got a %s", script.TypeName(value))
	}
	return err
}

// unorderedFields is fields for a map whose order is not fixed: f is called for all fields,
// whatever is wrong with some, so that the price is the same in every run.
func (r *reader) unorderedFields(value any, f func(key string, v any) error) error {
	var (
		first error
		under string
	)
	base := r.enter()
	_, err := script.Fields(value, func(key string, v any) error {
		if v == nil {
			return r.Add(1, 0)
		}
		if err := r.field(key); err != nil {
			return err
		}
		r.base = r.size
		err := f(key, v)
		r.base = math.MaxInt64
		if _, isFlaw := errors.AsType[*flaw](err); !isFlaw && !isTooLarge(err) {
			return err
		}
		if first == nil || key < under {
			first, under = err, key
		}
		return r.Add(wrongSteps, wrongBytes)
	})
	large := r.leave(base)
	return cmp.Or(err, first, large)
}

// items calls f for each item of a list, and reports whether it is one.
func (r *reader) items(list any, f func(value any) error) (bool, error) {
	return script.Items(list, func(i int, value any) error {
		if err := r.Add(1, 0); err != nil {
			return err
		}
		return belowItem(i, f(value))
	})
}

func (r *reader) string(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", wrong("want a string, got a %s", script.TypeName(v))
	}
	return s, r.text(s)
}

// count reads a number of replicas: whole, not negative, within int32.
func (r *reader) count(v any) (int32, error) {
	n, ok := v.(int64)
	if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
		n, ok = int64(f), true
	}
	switch {
	case !ok && (script.TypeName(v) == "number"):
		return 0, wrong("want a whole number, got %v", v)
	case !ok:
		return 0, wrong("want a number, got a %s", script.TypeName(v))
	case n < 0 || n > math.MaxInt32:
		return 0, wrong("%d is not between 0 and %d", n, math.MaxInt32)
	}
	return int32(n), r.grow(numberSize)
}

// quantity reads a quantity from a string or a number. The text of a string is kept as
// it is.
func (r *reader) quantity(v any) (resource.Quantity, error) {
	var text string
	switch x := v.(type) {
	case int64:
		return *resource.NewQuantity(x, resource.DecimalSI), r.grow(numberSize)
	case float64:
		text = strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		text = x
	default:
		return resource.Quantity{}, wrong("want a quantity, got a %s", script.TypeName(v))
	}
	if err := r.Add(script.StepsPerGas*builtin.QuantityGas(text), quantityBytes+32*int64(min(len(text), maxShown))); err != nil {
		return resource.Quantity{}, err
	}
	q, err := builtin.ParseQuantity(text)
	if err != nil {
		return q, wrong("%v", err)
	}
	return q, r.text(text)
}

// What an entry of a typed map takes, and beside it a quantity that is not a short number.
const (
	entrySteps    = 4
	entryBytes    = 128
	quantityBytes = 640
)

func (r *reader) resources(v any) (corev1.ResourceList, error) {
	list := make(corev1.ResourceList, 2)
	err := r.fields(v, func(key string, v any) error {
		if err := r.Add(entrySteps, entryBytes); err != nil {
			return err
		}
		q, err := r.quantity(v)
		list[corev1.ResourceName(key)] = q
		return belowField(key, err)
	})
	return list, err
}

// strings reads a map of strings.
func (r *reader) strings(v any) (map[string]string, error) {
	read := map[string]string{}
	err := r.fields(v, func(key string, v any) (err error) {
		if err := r.Add(entrySteps, entryBytes); err != nil {
			return err
		}
		read[key], err = r.string(v)
		return belowField(key, err)
	})
	return read, err
}

// plainMap reads a map that stays valid after the run; nil stays nil.
func (r *reader) plainMap(v any) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	plain, err := script.Plain(v)
	if err != nil {
		return nil, err
	}
	m, ok := plain.(map[string]any)
	if !ok {
		return nil, wrong("want a map, got a %s", script.TypeName(v))
	}
	return m, nil
}
