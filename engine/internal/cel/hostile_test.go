// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// hostile are values that take functions long, as fields of an object: long, wide and deep
// ones, extreme numbers, and texts that collide, do not parse, or parse slowly.
func hostile() map[string]any {
	list := func(n int, item func(i int) any) []any {
		l := make([]any, n)
		for i := range l {
			l[i] = item(i)
		}
		return l
	}
	fields := func(n int, prefix string) map[string]any {
		m := map[string]any{}
		for i := range n {
			m[fmt.Sprint(prefix, i)] = int64(i)
		}
		return m
	}
	var deep any = int64(1)
	for range 60 {
		deep = []any{deep}
	}
	return map[string]any{
		"s0": "", "s1": "a", "s2": strings.Repeat("a", 1<<20), "s3": strings.Repeat("\u4e16\u754c", 1<<17), "s4": colliding, "s5": strings.Repeat("\xff", 1<<20),
		"s6": "1e99", "s7": "0." + strings.Repeat("9", 50) + "e-9", "s8": "http://u:p@h:80/" + strings.Repeat("a/", 400) + "?" + strings.Repeat("a=b&", 50), "s9": strings.Repeat("1ns", 341),
		"s10": "2020-01-01T00:00:00.999999999+13:59", "s11": "1:2:3:4:5:6:7:8", "s12": "1.2.3-" + strings.Repeat("a.", 500) + "b", "s13": strings.Repeat("%s", 500), "s14": "%.100f%.100e%s",
		"s15": "(a*)*(a|b)*(a*)*b", "s16": strings.Repeat(`\pL*`, 30) + "x", "s17": "Europe/Berlin", "s18": "(?i)[a-\u3000]", "s19": "a*b|a", "s20": strings.Repeat("\n\"\\", 1<<18), "s21": "5e-324", "s22": strings.Repeat("9", 900),
		"i0": int64(0), "i1": int64(-1), "i2": int64(math.MaxInt64), "i3": int64(math.MinInt64), "i4": int64(100_000),
		"d0": 0.0, "d1": 5e-324, "d2": 1e308,
		"l0": []any{}, "l1": list(30_000, func(i int) any { return int64(i) }), "l2": list(5_000, func(i int) any { return fmt.Sprint("k", i) }), "l3": list(500, func(i int) any { return strings.Repeat("a", 1000) + fmt.Sprint(i) }),
		"l4": list(1000, func(i int) any { return []any{[]any{int64(i)}, "a"} }), "l5": list(10_000, func(i int) any { return float64(i % 7) }), "l6": list(1000, func(i int) any { return fields(2, "f") }), "l7": deep, "l8": []any{"a", fields(20_000, "k")},
		"m0": map[string]any{}, "m1": fields(20_000, "k"), "m2": fields(50, strings.Repeat("a", 10_000)),
	}
}

// hostileOf returns expressions of a type on the object.
func hostileOf(t *types.Type) []string {
	field := func(letter string, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprint("object.", letter, i)
		}
		return all
	}
	quantities := []string{"quantity(object.s6)", "quantity(object.s7)", "quantity('500m')"}
	switch t.Kind() {
	case types.StringKind:
		return field("s", 23)
	case types.IntKind:
		return field("i", 5)
	case types.DoubleKind:
		return field("d", 3)
	case types.BytesKind:
		return []string{"bytes(object.s2)", "bytes(object.s5)"}
	case types.ListKind:
		return append(field("l", 9), "object.l1.map(x, x)", "object.l4.map(x, quantity(object.s6))", "object.l3.map(x, bytes(x))", "object.l2.map(x, optional.of(x))")
	case types.MapKind:
		return append(field("m", 3), "object.m2.transformMap(k, v, k)")
	case types.DurationKind:
		return []string{"duration(object.s9)"}
	}
	switch t.TypeName() {
	case "kubernetes.Quantity":
		return quantities
	case "kubernetes.Semver":
		return []string{"semver(object.s12)"}
	case "kubernetes.URL":
		return []string{"url(object.s8)"}
	case "net.IP":
		return []string{"ip(object.s11)"}
	case "net.CIDR":
		return []string{"cidr('1.2.3.4/8')"}
	case "kubernetes.NamedFormat":
		return []string{"format.dns1123Subdomain()", "format.uri()", "format.datetime()", "format.byte()"}
	case "optional_type":
		return []string{"optional.of(object.l1)", "optional.none()"}
	}
	if k := t.Kind(); k == types.DynKind || k == types.TypeParamKind {
		return append([]string{"object.s2", "object.d1", "object.m1", "object.l3"}, quantities...)
	}
	return []string{example(t)}
}

// hostileCalls returns calls of each overload of each function with hostile arguments, and
// loops over them.
func hostileCalls(c *Compiler) []string {
	var calls []string
	for name, f := range c.base.Functions() {
		if strings.ContainsAny(name, "@!") || name == operators.OptSelect {
			continue
		}
		for _, o := range f.OverloadDecls() {
			sets := make([][]string, 0, len(o.ArgTypes()))
			for _, t := range o.ArgTypes() {
				sets = append(sets, hostileOf(t))
			}
			for _, args := range combinations(sets, 40) {
				calls = append(calls, written(name, o.IsMemberFunction(), args))
			}
		}
	}
	for _, over := range append(hostileOf(types.NewListType(types.DynType)), hostileOf(types.NewMapType(types.DynType, types.DynType))...) {
		for _, macro := range []string{"all(x, true)", "map(x, x)", "filter(x, true)", "all(x, y, true)", "transformMap(x, y, y)", "transformMapEntry(x, y, {'a' + string(x): 1})", "sortBy(x, x)", "map(x, string(x))"} {
			calls = append(calls, over+"."+macro)
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

// combinations returns some of the ways to take one of each set, each member of each set at
// least once.
func combinations(sets [][]string, most int) [][]string {
	total := 1
	for _, s := range sets {
		total *= len(s)
	}
	var all [][]string
	for n := 0; n < total; n += max(1, total/most) {
		args := make([]string, len(sets))
		at := n
		for i, s := range sets {
			args[i] = s[at%len(s)]
			at /= len(s)
		}
		all = append(all, args)
	}
	return all
}

// written returns a call as it stands in a source.
func written(name string, member bool, args []string) string {
	sign, isOperator := operators.FindReverse(name)
	switch {
	case name == operators.Index:
		return args[0] + "[" + args[1] + "]"
	case name == operators.OptIndex:
		return args[0] + "[?" + args[1] + "]"
	case name == operators.Conditional:
		return args[0] + " ? " + args[1] + " : " + args[2]
	case isOperator && len(args) == 2:
		return "(" + args[0] + ") " + sign + " (" + args[1] + ")"
	case isOperator:
		return sign + "(" + args[0] + ")"
	case member:
		return args[0] + "." + name + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// hostileGas is the limit of these runs.
const hostileGas = 50_000

// TestHostileArguments calls each function with hostile arguments: no run may take more
// memory than it pays for, beside what steps take.
func TestHostileArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	c := compiler(t)
	object := hostile()
	ran := 0
	for _, source := range hostileCalls(c) {
		p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
		if err != nil {
			continue
		}
		ran++
		call := &script.Call{Names: []string{"object"}, Args: []any{object}, Now: noon, Limits: script.Limits{Gas: hostileGas}}
		var got script.Usage
		taken := attack.Heap(func() { got, err = p.Run(call, &decoder{}) })
		if most := uint64(3*got.Memory + 150*got.Gas + 200_000 + attack.HeapSlack); taken > most {
			t.Errorf("%s takes %d bytes from the heap for %+v", source, taken, got)
		}
		if failed, ok := err.(*script.Error); ok && (failed.Code == script.Internal || failed.Line == 0) {
			t.Errorf("%s: %v", source, err)
		}
	}
	if ran < 2000 {
		t.Errorf("only %d calls compile: they prove little", ran)
	}
}

// BenchmarkHostileArguments reports the call that takes the most time for a unit of gas.
// The machine must be idle.
func BenchmarkHostileArguments(b *testing.B) {
	c := compiler(b)
	object := hostile()
	worst, name := 0.0, ""
	for b.Loop() {
		for _, source := range hostileCalls(c) {
			p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
			if err != nil {
				continue
			}
			if ratio := timePerGas(p, object); ratio > worst {
				worst, name = ratio, source
			}
		}
	}
	b.ReportMetric(worst, "ns/gas-max")
	b.Logf("the most is %.0f ns for a unit of gas, of %s", worst, name)
}

// timePerGas returns the nanoseconds of a run for each unit of gas, the least of five runs.
// What each run takes at least, some hundred nanoseconds, is counted as eight units.
func timePerGas(p script.Program, object any) float64 {
	least := math.Inf(1)
	for range 5 {
		call := &script.Call{Names: []string{"object"}, Args: []any{object}, Now: noon, Limits: script.Limits{Gas: hostileGas}}
		start := time.Now()
		used, _ := p.Run(call, &decoder{})
		least = min(least, float64(time.Since(start).Nanoseconds())/float64(used.Gas+8))
	}
	return least
}
