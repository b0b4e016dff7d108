// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestInstrument(t *testing.T) {
	tests := map[string]struct {
		source string
		want   price
		rounds []price
	}{
		"no loop":         {`object.a && object.b`, price{5, callBytes}, nil},
		"bind":            {`cel.bind(x, 1, x)`, price{4, listBytes}, nil},
		"all":             {`object.all(x, x)`, price{4, 0}, []price{{5, viewBytes + 2*callBytes}}},
		"loop in loop":    {`object.all(x, x.all(y, y))`, price{4, 0}, []price{{5, viewBytes + 2*callBytes}, {8, viewBytes + 2*callBytes}}},
		"map":             {`object.map(x, x)`, price{4, listBytes}, []price{{5, viewBytes + callBytes + listBytes + itemBytes}}},
		"list and map":    {`[1, {"a": 2}]`, price{6, listBytes + 2*itemBytes + mapBytes + fieldBytes}, nil},
		"keys are free":   {`object[object.a]`, price{4, callBytes}, nil},
		"optional member": {`object.?a`, price{3, callBytes}, nil},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in, err := c.scope(dyn("object"))
			if err != nil {
				t.Fatal(err)
			}
			tree, issues := in.env.Compile(tc.source)
			if issues.Err() != nil {
				t.Fatal(issues.Err())
			}
			got := instrument(tree.NativeRep())
			if got.price != tc.want {
				t.Errorf("price of %s is %+v, want %+v", tc.source, got.price, tc.want)
			}
			if len(got.rounds) != len(tc.rounds) {
				t.Fatalf("%s has the loops %v, want %v", tc.source, got.rounds, tc.rounds)
			}
			for _, want := range tc.rounds {
				if !holds(got.rounds, want) {
					t.Errorf("%s has the loops %v, want %v", tc.source, got.rounds, tc.rounds)
				}
			}
		})
	}
}

func holds(rounds map[int64]price, want price) bool {
	for _, p := range rounds {
		if p == want {
			return true
		}
	}
	return false
}

func TestSize(t *testing.T) {
	value := types.DefaultTypeAdapter.NativeToValue
	tests := map[string]struct {
		value ref.Val
		want  size
	}{
		"number":         {types.Int(1), size{1, 0}},
		"string":         {types.String("abc"), size{1, 3}},
		"bytes":          {types.Bytes("abc"), size{1, 3}},
		"none":           {types.OptionalNone, size{1, 0}},
		"optional":       {types.OptionalOf(types.String("a")), size{2, 1}},
		"plain list":     {value([]any{"ab", int64(1), nil}), size{4, 2}},
		"plain map":      {value(map[string]any{"ab": []any{"c"}}), size{4, 3}},
		"list of values": {value([]ref.Val{types.String("ab"), types.True}), size{3, 2}},
		"map of values":  {value(map[ref.Val]ref.Val{types.String("a"): types.String("bc")}), size{3, 3}},
		"list of texts":  {value([]string{"ab", "c"}), size{3, 3}},
	}
	for name, tc := range tests {
		m := &meter{limits: script.DefaultLimits()}
		if got := m.size(tc.value); got != tc.want {
			t.Errorf("%s: size is %+v, want %+v", name, got, tc.want)
		}
	}
}

func TestSumAndProductDoNotOverflow(t *testing.T) {
	if got := sum(math.MaxInt64, 1); got != math.MaxInt64 {
		t.Errorf("sum is %d", got)
	}
	if got := product(math.MaxInt64/2, 3); got != math.MaxInt64 {
		t.Errorf("product is %d", got)
	}
	if got := sum(2, product(3, 4)); got != 14 {
		t.Errorf("2+3*4 is %d", got)
	}
}

func TestSnippetOfALongLine(t *testing.T) {
	line := ""
	for range 30 {
		line += "0123456789"
	}
	got := snippet("1\n"+line, 2, 205)
	want := line[185:] + "\n" + "                   ^"
	if got != want {
		t.Errorf("snippet is\n%s\nwant\n%s", got, want)
	}
}
