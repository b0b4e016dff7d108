// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

// FuzzCompileAndRun looks for expressions that stop the engine, change their
// input, cost more than they may, or differ from one run to the next.
func FuzzCompileAndRun(f *testing.F) {
	for _, seed := range []string{
		flinkHealthHas, flinkHealthOptional, flinkComponents,
		`object.metadata.labels.transformMapEntry(k, v, {v: k})`, `{"a": [object.spec, quantity("1Gi"), now, duration("1h")]}`,
		`[3, 1].sortBy(x, -x).map(x, string(x)).join(",")`, `"a1".findAll("[0-9]") + "%s".format([object]).split("")`,
		`cel.bind(a, [1], cel.bind(b, dyn([a, a]), b == b))`, `kube.echo(object.?spec[?"x"].orValue(params.a))`,
		`{dyn(b"a"): 1}`, `1/0 == 1 || [1].exists(x, x / 0 > 1)`, `object.spec.items.all(x, y, x < y)`, `lists.range(10).flatten().distinct()`,
		`url("http://a/?b=c").getQuery()`, `now.getHours("UTC") + int(quantity("1e3").asInteger())`, `optional.of(1).or(optional.none()).hasValue()`,
	} {
		f.Add(seed)
	}
	c := compiler(f, Function{Name: "echo", Max: 2, Call: func(args []any) (any, int64, error) {
		if len(args) == 0 {
			return nil, 1, nil
		}
		return args[0], 1, nil
	}})
	limits := script.Limits{Gas: 20_000, Memory: 1 << 20, String: 1 << 16, Source: 4 << 10}
	f.Fuzz(func(t *testing.T, source string) {
		c.Reads(source, []string{"object"}) // it must return, whatever the source
		p, err := c.Compile("fuzz.cel", source, dyn("object"), limits)
		if err != nil {
			if failed := err.(*script.Error); failed.Code != script.Syntax {
				t.Fatalf("Compile returned an error of code %s: %v", failed.Code, failed)
			}
			return
		}
		object := plain(t, deployment)
		call := &script.Call{
			Names: []string{"object"}, Args: []any{object}, Params: map[string]any{"a": "b"}, Now: noon, Limits: limits,
		}
		first, second := runCall(t, p, call), runCall(t, p, call)
		if first.err != nil && first.err.Code == script.Internal {
			t.Fatalf("internal error: %v", first.err)
		}
		if first.usage.Gas > limits.Gas || first.usage.Memory > limits.Memory {
			t.Fatalf("the run used %+v of %+v", first.usage, limits)
		}
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Fatalf("two runs differ:\n%s", diff)
		}
		if diff := cmp.Diff(plain(t, deployment), object); diff != "" {
			t.Fatalf("the run changed its input:\n%s", diff)
		}
	})
}
