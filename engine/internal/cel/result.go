// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// plainValue returns v as a plain value. An input map or list that v holds is that
// map or list; all others are made again, and paid for. A quantity, a time, and a
// duration become strings; an empty optional becomes nil, and a full one what it
// holds. The error is a Result error that names the path to what cannot be a
// plain value.
func plainValue(m *meter, v ref.Val) (any, error) {
	w := walker{meter: m}
	plain, wrong := w.value(v, 0)
	if wrong != nil {
		return nil, script.Errorf(script.Result, "%s", diag.Clip(wrong.String()))
	}
	return plain, nil
}

// walker turns values into plain ones.
type walker struct{ meter *meter }

// flaw is what cannot be in a result, and where.
type flaw struct {
	// path leads to the value, innermost key first.
	path   []string
	reason string
}

// String returns path and reason.
func (f *flaw) String() string {
	var b strings.Builder
	for i := len(f.path) - 1; i >= 0; i-- {
		b.WriteString(f.path[i])
	}
	if b.Len() == 0 {
		return f.reason
	}
	return strings.TrimPrefix(b.String(), ".") + ": " + f.reason
}

// below adds a step to the path.
func (f *flaw) below(format string, key any) *flaw {
	f.path = append(f.path, fmt.Sprintf(format, key))
	return f
}

func (w *walker) value(v ref.Val, depth int) (any, *flaw) {
	switch x := v.(type) {
	case types.String:
		w.meter.fits(int64(len(x)))
		return string(x), nil
	case types.Int:
		return int64(x), nil
	case types.Uint:
		if uint64(x) > math.MaxInt64 {
			return nil, &flaw{reason: fmt.Sprintf("%d is larger than an int", uint64(x))}
		}
		return int64(x), nil
	case types.Double:
		if f := float64(x); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f, nil
		}
		return nil, &flaw{reason: fmt.Sprintf("%v is not a number that a result can hold", float64(x))}
	case types.Bool:
		return bool(x), nil
	case types.Null:
		return nil, nil
	case *types.Optional:
		if !x.HasValue() {
			return nil, nil
		}
		return w.value(x.GetValue(), depth)
	case types.Timestamp:
		return x.UTC().Format(time.RFC3339), nil
	case types.Duration:
		return string(x.ConvertToType(types.StringType).(types.String)), nil
	case traits.Mapper:
		return w.fields(x, depth)
	case traits.Lister:
		return w.items(x, depth)
	}
	if q, ok := v.Value().(*resource.Quantity); ok {
		if isLarge(v) {
			w.meter.charge(2 * quantityGas)
			w.meter.allocate(512)
		}
		return q.String(), nil
	}
	return nil, &flaw{reason: fmt.Sprintf("a result cannot hold a value of type %s", v.Type().TypeName())}
}

// enter counts one level.
func (w *walker) enter(depth int) *flaw {
	if depth >= w.meter.limits.Nesting {
		return &flaw{reason: fmt.Sprintf("the result nests deeper than %d", w.meter.limits.Nesting)}
	}
	return nil
}

func (w *walker) fields(m traits.Mapper, depth int) (any, *flaw) {
	if x, ok := m.Value().(map[string]any); ok {
		return x, nil
	}
	if f := w.enter(depth); f != nil {
		return nil, f
	}
	n := length(m)
	w.meter.charge(n)
	w.meter.allocate(sum(product(n, fieldBytes), mapBytes))
	plain := make(map[string]any, n)
	var (
		first *flaw
		under ref.Val
	)
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		f := w.field(plain, m, key, depth)
		// The order of a walk varies, the message must not.
		if f != nil && (first == nil || compareKeys(key, under) < 0) {
			first, under = f, key
		}
	}
	return plain, first
}

// field adds one field to a plain map.
func (w *walker) field(plain map[string]any, m traits.Mapper, key ref.Val, depth int) *flaw {
	name, ok := key.(types.String)
	if !ok {
		return &flaw{reason: fmt.Sprintf("a key is of type %s; a result has string keys only", key.Type().TypeName())}
	}
	v, f := w.value(m.Get(key), depth+1)
	if f != nil {
		return f.below(".%s", name)
	}
	plain[string(name)] = v
	return nil
}

func (w *walker) items(l traits.Lister, depth int) (any, *flaw) {
	if x, ok := l.Value().([]any); ok {
		return x, nil
	}
	if f := w.enter(depth); f != nil {
		return nil, f
	}
	n := length(l)
	w.meter.charge(n)
	w.meter.allocate(sum(product(n, itemBytes), listBytes))
	plain := make([]any, n)
	for i := range n {
		v, f := w.value(l.Get(types.Int(i)), depth+1)
		if f != nil {
			return nil, f.below("[%d]", i)
		}
		plain[i] = v
	}
	return plain, nil
}
