// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"testing"
)

// dividedAmong returns a division for a cluster, among clusters called a, b, c and so on.
func dividedAmong(cluster string, replicas ...any) map[string]any {
	shares := []any{}
	for i, n := range replicas {
		shares = append(shares, map[string]any{"name": string(rune('a' + i)), "replicas": n})
	}
	return map[string]any{"cluster": cluster, "shares": shares}
}

func TestShare(t *testing.T) {
	seven := int64(7)
	examples(t, "share", map[string]example{
		"in proportion, first":      {args: []any{seven, dividedAmong("a", int64(2), int64(1))}, want: int64(5)},
		"in proportion, second":     {args: []any{seven, dividedAmong("b", int64(2), int64(1))}, want: int64(2)},
		"of equal ones the first":   {args: []any{seven, dividedAmong("a", int64(1), int64(1))}, want: int64(4)},
		"not the second":            {args: []any{seven, dividedAmong("b", int64(1), int64(1))}, want: int64(3)},
		"floats of the published":   {args: []any{7.0, dividedAmong("a", 2.0, 1.0)}, want: int64(5)},
		"no replicas here":          {args: []any{seven, dividedAmong("b", int64(2), int64(0))}, want: int64(0)},
		"left out is none":          {args: []any{seven, dividedAmong("b", int64(2), nil)}, want: int64(0)},
		"no replicas anywhere":      {args: []any{seven, dividedAmong("a", int64(0), int64(0))}, want: seven},
		"no shares":                 {args: []any{seven, map[string]any{"cluster": "a"}}, want: seven},
		"a cluster without a share": {args: []any{seven, dividedAmong("x", int64(2), int64(1))}, want: int64(0)},
		"no division":               {args: []any{seven, nil}, want: seven},
		"no second argument":        {args: []any{seven}, want: seven},
		"no number":                 {args: []any{nil, dividedAmong("a", int64(1))}, want: nil},
		"fewer than clusters":       {args: []any{int64(1), dividedAmong("b", int64(1), int64(1))}, want: int64(0)},
		"a fraction":                {args: []any{1.5, dividedAmong("a", int64(1))}, err: "number must be a whole number from 0 to 2147483647, not 1.5"},
		"below zero":                {args: []any{int64(-1), dividedAmong("a", int64(1))}, err: "number must be a whole number"},
		"text":                      {args: []any{"all", dividedAmong("a", int64(1))}, err: "number must be a whole number from 0 to 2147483647, not a string"},
		"a division that is text":   {args: []any{seven, "a"}, err: "division must be a map, not a string"},
		"shares that are text":      {args: []any{seven, map[string]any{"shares": "a"}}, err: "division.shares must be a list, not a string"},
		"a share that is a number":  {args: []any{seven, map[string]any{"shares": []any{int64(1)}}}, err: "division.shares: item 1: a share must be a map, not a number"},
		"replicas that are text":    {args: []any{seven, dividedAmong("a", int64(1), "x")}, err: `division.shares: item 2: replicas must be a whole number`},
	})
}

// BenchmarkShare divides among many clusters, and reports what one unit of gas takes.
func BenchmarkShare(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			shares := []any{}
			for i := range n {
				shares = append(shares, map[string]any{"name": fmt.Sprint("m", i), "replicas": int64(i)})
			}
			args, spent := []any{int64(1<<31 - 1), map[string]any{"cluster": "m1", "shares": shares}}, int64(0)
			for b.Loop() {
				_, gas, err := share().Call(args)
				if err != nil {
					b.Fatal(err)
				}
				spent += gas
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(spent), "ns/gas")
		})
	}
}
