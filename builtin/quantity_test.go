// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func TestResourceAdd(t *testing.T) {
	examples(t, "resourceAdd", map[string]example{
		"none":                      {want: "0"},
		"nil":                       {args: []any{nil, nil}, want: "0"},
		"one":                       {args: []any{"500m"}, want: "500m"},
		"canonical":                 {args: []any{"1.5Gi", "512Mi"}, want: "2Gi"},
		"first decides the format":  {args: []any{"1Gi", "1G"}, want: "2073741824"},
		"zero does not decide it":   {args: []any{"0", "1Gi"}, want: "1Gi"},
		"nil does not decide it":    {args: []any{nil, "1Gi", nil}, want: "1Gi"},
		"milli":                     {args: []any{"100m", "1"}, want: "1100m"},
		"numbers":                   {args: []any{int64(1), 0.5}, want: "1500m"},
		"large numbers":             {args: []any{int64(9007199254740993), int64(2)}, want: "9007199254740995"},
		"exponent":                  {args: []any{"1e3"}, want: "1e3"},
		"negative":                  {args: []any{"1", "-1500m"}, want: "-500m"},
		"bad":                       {args: []any{"1", "1x"}, err: `"1x" is not a quantity such as 500m or 2Gi`},
		"empty":                     {args: []any{""}, err: `"" is not a quantity such as 500m or 2Gi`},
		"map":                       {args: []any{map[string]any{}}, err: "quantities must be a quantity, not a map"},
		"boolean":                   {args: []any{true}, err: "quantities must be a quantity, not a boolean"},
		"not finite":                {args: []any{math.Inf(1)}, err: "a quantity must be a finite number"},
		"exponent without bound":    {args: []any{"1e999999999"}, err: `the quantity "1e999999999" is out of range`},
		"exponent below any bound":  {args: []any{"1E-99999999999999999999"}, err: `the quantity "1E-99999999999999999999" is out of range`},
		"beyond 64 bits":            {args: []any{"1000000000000000000000"}, err: `the quantity "1000000000000000000000" is out of range`},
		"sum beyond 64 bits":        {args: []any{"9E", "1E"}, err: "the sum is out of range"},
		"exa is a suffix, not an e": {args: []any{"1E"}, want: "1E"},
	})
}

func TestGetResourceQuantity(t *testing.T) {
	examples(t, "getResourceQuantity", map[string]example{
		"nil":      {args: []any{nil}, want: 0.0},
		"none":     {want: 0.0},
		"milli":    {args: []any{"100m"}, want: 0.1},
		"binary":   {args: []any{"1Gi"}, want: 1073741824.0},
		"number":   {args: []any{int64(5)}, want: 5.0},
		"fraction": {args: []any{0.25}, want: 0.25},
		"negative": {args: []any{"-1"}, err: "the quantity -1 is negative or too large"},
		"bad":      {args: []any{"x"}, err: `"x" is not a quantity`},
		"too many": {args: []any{"1", "2"}, err: "2 arguments given; the form is getResourceQuantity([quantity])"},
	})
}

func TestExponent(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "1": 0, "1Gi": 0, "1E": 0, "1e": 0, "1e3": 3, "1E+3": 3, "1e-3": 3, "1e99999999999999999999": math.MaxInt, "1e5e9": 0, "1Ei": 0,
	} {
		if got := Exponent(s); got != want {
			t.Errorf("Exponent(%q) is %d, want %d", s, got, want)
		}
	}
}

// A quantity that is read the short way is in all the one that Kubernetes reads.
func TestQuantityIsThatOfKubernetes(t *testing.T) {
	numbers := []string{"", "0", "00", "01", "1", "7", "010", "250", "999", "1000", "1001", "1024", "1025", "1536", "2048", "20480", "999999999", "1000000000", "9999999999", "999999999999999999", "-1", "+1", "1.5", ".5"}
	suffixes := []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "E-3", "mi", "K", " "}
	read := 0
	for _, number := range numbers {
		for _, suffix := range suffixes {
			s := number + suffix
			want, wrong := resource.ParseQuantity(s)
			got, err := ParseQuantity(s)
			if wrong != nil || !inRange(want) {
				if err == nil {
					t.Errorf("%q: got %s; want an error", s, got.String())
				}
				continue
			}
			read++
			if err != nil || got.Cmp(want) != 0 || got.Format != want.Format || got.String() != want.String() {
				t.Errorf("%q: got %s as %s, error %v; want %s as %s", s, got.String(), got.Format, err, want.String(), want.Format)
			}
		}
	}
	if read < 200 {
		t.Errorf("only %d quantities were read", read)
	}
}

// The quantities that nearly all objects have are read without the general parser.
func TestShortQuantities(t *testing.T) {
	for _, s := range []string{"1", "3", "250m", "512Mi", "2Gi", "100Ki"} {
		if _, ok := canonical(s); !ok {
			t.Errorf("%s is not read the short way", s)
		}
	}
}

func FuzzQuantity(f *testing.F) {
	for _, s := range []string{"1", "100m", "1.5Gi", "1e3", "-0.1", "1E", "9e299", "0.000000000001", "1e-300", "1000000000000000000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := ParseQuantity(s)
		if err != nil {
			return
		}
		again, err := ParseQuantity(q.String())
		if err != nil || again.Cmp(q) != 0 {
			t.Errorf("%q is written as %s, which reads as %s (%v)", s, q.String(), again.String(), err)
		}
		if want, err := resource.ParseQuantity(s); err != nil || want.Cmp(q) != 0 || want.String() != q.String() {
			t.Errorf("%q is read as %s; want %s (%v)", s, q.String(), want.String(), err)
		}
	})
}
