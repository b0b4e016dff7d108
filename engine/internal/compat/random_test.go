// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// random makes values of few keys, so that places meet.
type random struct{ *rand.Rand }

var (
	keys    = []string{"a", "b", "", "a.b", "spec"}
	scalars = []any{int64(1), int64(1)<<53 + 1, int64(math.MaxInt64), int64(math.MinInt64), 2.0, 0.5, 1e20, math.Copysign(0, -1), float64(1 << 62), "x", true, nil}
)

func (r random) value(depth int) any {
	switch n := r.IntN(10); {
	case depth == 0 || n < 3:
		return scalars[r.IntN(len(scalars))]
	case n < 7:
		x := map[string]any{}
		for range r.IntN(4) {
			x[keys[r.IntN(len(keys))]] = r.value(depth - 1)
		}
		return x
	default:
		x := make([]any, r.IntN(4))
		for i := range x {
			x[i] = r.value(depth - 1)
		}
		return x
	}
}

// changed returns v with some parts replaced, as a script does.
func (r random) changed(v any) any {
	if r.IntN(8) == 0 {
		return r.value(2)
	}
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range x {
			out[k] = r.changed(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = r.changed(e)
		}
		return out
	}
	return v
}

func TestRandomValuesAreAsPublished(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	for range 20_000 {
		reference, other := r.value(5), r.value(5)
		in, err := Input(reference, free{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the input differs", plainInput(reference), in)
		result := r.changed(in)
		for _, form := range []Form{Map, List} {
			want, wantErr := plainOutput(result, form, reference, other)
			got, err := Output(result, form, free{}, reference, other)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("got error %v; want %v", err, wantErr)
			}
			if err == nil {
				same(t, "the output differs", want, got)
			}
		}
	}
}

// nested is a value without anything to mend.
func nested() m {
	return m{"metadata": m{"labels": m{"a": "b"}}, "spec": m{"list": l{int64(1), 0.5, m{"x": "y"}}, "empty": m{}, "none": l{}}}
}

func TestUnchangedValuesAreNotCopied(t *testing.T) {
	v := nested()
	in, err := Input(v, free{})
	if err != nil || !identical(in, v) {
		t.Errorf("the input is a copy, error %v", err)
	}
	out, err := Output(v, Map, free{}, v)
	if err != nil || !identical(out, v) {
		t.Errorf("the output is a copy, error %v", err)
	}
}

func TestOnlyWhatChangesIsCopied(t *testing.T) {
	v := nested()
	v["metadata"].(m)["creationTimestamp"] = nil
	in, err := Input(v, free{})
	if err != nil {
		t.Fatal(err)
	}
	if identical(in, v) || identical(in.(m)["metadata"], v["metadata"]) {
		t.Error("the way to a null is not copied")
	}
	if !identical(in.(m)["spec"], v["spec"]) || !identical(in.(m)["metadata"].(m)["labels"], v["metadata"].(m)["labels"]) {
		t.Error("what stands beside a null is copied")
	}
}

// identical reports whether two values are one map.
func identical(a, b any) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

// counting adds up what is paid.
type counting struct{ gas, memory, limit int64 }

var errSpent = errors.New("spent")

func (c *counting) Pay(gas, memory int64) error {
	c.gas += gas
	c.memory += memory
	if c.limit > 0 && c.gas > c.limit {
		return errSpent
	}
	return nil
}

// hostile are values whose places are long, deep or many.
func hostile() map[string]any {
	long := string(make([]byte, 200_000))
	wide := l{}
	leaves := l{}
	for range 20_000 {
		wide = append(wide, m{})
		leaves = append(leaves, m{"n": 2.0})
	}
	deep := any(m{})
	for range 5_000 {
		deep = m{"abcdefghij": deep}
	}
	many := m{}
	for i := range 20_000 {
		many[string(rune('a'+i%26))+string(rune(i+1000))] = m{}
	}
	nulls := l{}
	for range 50_000 {
		nulls = append(nulls, m{"a": nil})
	}
	return map[string]any{
		"empties under a long key": m{long: m{"list": wide}},
		"leaves under a long key":  m{long: m{"list": leaves}},
		"deep":                     deep,
		"many places":              m{"a": many, "b": l{many, many, many}},
		"nulls":                    nulls,
	}
}

// sizeOf returns the nodes of a value and the bytes of its keys.
func sizeOf(v any) (size int64) {
	size = 1
	switch x := v.(type) {
	case m:
		for k, e := range x {
			size += int64(len(k))/64 + sizeOf(e)
		}
	case l:
		for _, e := range x {
			size += sizeOf(e)
		}
	}
	return size
}

// What conversion takes is proportional to the size of the value, however long, deep or
// wide, and is paid.
func TestHostileValuesArePaidBySize(t *testing.T) {
	for name, v := range hostile() {
		t.Run(name, func(t *testing.T) {
			var in, out counting
			seen, err := Input(v, &in)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Output(seen, Map, &out, v); err != nil {
				t.Fatal(err)
			}
			steps := sizeOf(v)
			for what, c := range map[string]counting{"input": in, "output": out} {
				if least, most := steps/script.StepsPerGas-600, 4*steps; c.gas < least || c.gas > most {
					t.Errorf("%s: %d units of gas for %d nodes; want %d to %d", what, c.gas, steps, least, most)
				}
				if most := 800 * steps; c.memory > most {
					t.Errorf("%s: %d bytes for %d nodes; at most %d are expected", what, c.memory, steps, most)
				}
			}
		})
	}
}

func TestWalksEndWithTheMeter(t *testing.T) {
	for name, v := range hostile() {
		c := &counting{limit: 300}
		if _, err := Input(v, c); !errors.Is(err, errSpent) || c.gas > 10_000 {
			t.Errorf("%s: input: got error %v after %d units of gas", name, err, c.gas)
		}
		c = &counting{limit: 300}
		if _, err := Output(v, Map, c, v); !errors.Is(err, errSpent) || c.gas > 10_000 {
			t.Errorf("%s: output: got error %v after %d units of gas", name, err, c.gas)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, v := range hostile() {
		b.Run(name, func(b *testing.B) {
			c := &counting{}
			b.ReportAllocs()
			for b.Loop() {
				seen, err := Input(v, c)
				if err == nil {
					_, err = Output(seen, Map, c, v)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(c.gas), "ns/gas")
			b.ReportMetric(float64(c.memory)/float64(b.N), "paid-B/op")
		})
	}
}
