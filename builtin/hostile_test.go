// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// hostile returns values of a size that are long, deep, wide, unsorted or extreme, by the
// type of a parameter.
func hostile(n int) map[string][]any {
	text := strings.Repeat("k", 20*n)
	maps := []any{map[string]any{}, wide(n, int64(1)), wide(n, map[string]any{}), wide(n, nil), deep(n), map[string]any{text: map[string]any{text: text}}, wide(n, "1e99")}
	for _, pod := range pods(n) {
		maps = append(maps, map[string]any{"spec": pod, "status": wide(n, text), "metadata": map[string]any{"labels": wide(n, "true")}})
	}
	conditions := repeated(n, func(i int) any { return condition3(fmt.Sprint(i%100), text[:i%500]) })
	maps = append(maps, map[string]any{"status": map[string]any{"conditions": conditions}, "metadata": map[string]any{"generation": 1e300}})
	lists := []any{
		[]any{},
		conditions,
		repeated(n, func(i int) any { return fmt.Sprint("k", i) }),
		repeated(n, func(i int) any { return "a.b.c" }),
		repeated(n, func(i int) any { return []any{text} }),
		repeated(n, func(i int) any { return nil }),
		repeated(n, func(i int) any { return map[string]any{} }),
		repeated(n, func(i int) any { return report(fmt.Sprint(n-i), wide(2, int64(math.MaxInt64))) }),
		repeated(n, func(i int) any {
			return report(text[:20]+fmt.Sprint(n-i), map[string]any{"conditions": conditions[i : i+1]})
		}),
		repeated(8, func(i int) any { return report("m", map[string]any{"conditions": conditions}) }),
		repeated(8, func(i int) any { return report(fmt.Sprint(i), map[string]any{text: 0.1}) }),
		repeated(n, func(i int) any { return part3(fmt.Sprint(i), wide(1, "0.00000000000000000000001Gi"), nil) }),
		repeated(n, func(i int) any { return part3("a", nil, deep(10)) }),
		repeated(3, func(i int) any {
			return part3("a", wide(n, fmt.Sprint(i, ".123456789012345678901234567890")), wide(n, "x"))
		}),
	}
	texts := []any{"", text, strings.Repeat("k.", n), strings.Repeat(".", n), "k1", "conditions", "1e99", "0." + strings.Repeat("1", 120), "9E", strings.Repeat("9", n)}
	numbers := []any{int64(1), int64(math.MaxInt32), int64(math.MinInt64), 1e300, 5e-324, math.NaN(), math.Inf(1)}
	return map[string][]any{
		"map": maps, "list": lists, "string": texts, "number": numbers,
		"quantity": append(texts, numbers...), "boolean": {true, false},
		"map or list": append(append([]any{}, maps...), lists...),
		"path":        append(append([]any{}, texts...), lists...),
		"any":         append(append(append([]any{nil, true}, texts...), lists[:4]...), maps[:6]...),
	}
}

func repeated(n int, item func(i int) any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = item(i)
	}
	return all
}

func wide(n int, v any) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprint("k", i)] = v
	}
	return m
}

func deep(n int) any {
	v := any(map[string]any{})
	for range n {
		v = map[string]any{"k": v}
	}
	return v
}

func condition3(kind, message string) any {
	return map[string]any{"type": kind, "status": "True", "reason": message, "message": message}
}

func report(cluster string, status any) any {
	return map[string]any{"clusterName": cluster, "status": status}
}

func part3(name string, requests, claim any) any {
	return map[string]any{"name": name, "replicas": int64(1), "replicaRequirements": map[string]any{"resourceRequest": requests, "nodeClaim": claim}}
}

// pods are specs of pods.
func pods(n int) []any {
	asks := func(resources any) any { return map[string]any{"resources": map[string]any{"requests": resources}} }
	names := map[string]any{}
	for i := range n {
		names[fmt.Sprint("example.com/", i)] = "0.12345678901234567Gi"
	}
	from := func(i int) any {
		return map[string]any{"valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": fmt.Sprint("s", i)}}}
	}
	return []any{
		map[string]any{"containers": repeated(n, func(int) any { return map[string]any{} })},
		map[string]any{"containers": repeated(n, func(i int) any { return asks(map[string]any{"cpu": "0.5Gi", "memory": fmt.Sprint(i, "x")}) })},
		map[string]any{"containers": []any{asks(names), asks(names)}, "overhead": names},
		map[string]any{"initContainers": repeated(n, func(i int) any { return asks(map[string]any{"cpu": "0." + strings.Repeat("7", 100)}) })},
		map[string]any{"containers": []any{map[string]any{"env": repeated(n, from), "envFrom": repeated(n, func(int) any { return nil })}}},
		map[string]any{"volumes": repeated(n, func(i int) any { return map[string]any{"secret": map[string]any{"secretName": fmt.Sprint(n - i)}} })},
		map[string]any{"imagePullSecrets": repeated(n, func(int) any { return map[string]any{} }), "nodeSelector": wide(n, "x")},
	}
}

// calls calls f with each argument in turn hostile, the others being each of a few.
func hostileCalls(f Function, values map[string][]any, call func(args []any)) {
	for i, p := range f.Params {
		for _, v := range values[p.Type] {
			for other := range 3 {
				args := make([]any, len(f.Params))
				for k, q := range f.Params {
					all := values[q.Type]
					args[k] = all[(other*5+1)%len(all)]
				}
				args[i] = v
				call(args)
				if f.Variadic {
					call(append(append(args, args...), v, v, v, v))
				}
			}
		}
	}
	if len(f.Params) < 2 {
		return
	}
	first, second := f.Params[0], f.Params[1]
	for _, v := range values[first.Type] {
		for _, w := range values[second.Type] {
			call([]any{v, w})
		}
	}
}

// spent is what a limited meter panics with.
type spent struct{}

// limited is a meter of a run that ends.
type limited struct{ left int64 }

func (l *limited) Charge(gas int64) {
	if l.left -= gas; l.left < 0 {
		panic(spent{})
	}
}

// work runs a function within gas and reports whether it came to an end.
func (l *limited) work(f Function, args []any) (ended bool) {
	defer func() {
		if x := recover(); x != nil {
			_ = x.(spent)
		}
	}()
	_, _ = f.Work(args, l)
	return true
}

// What a function allocates is paid before: with a hundred units of gas none makes more than
// these afford, however large its arguments.
func TestFunctionsChargeBeforeTheyWork(t *testing.T) {
	values := hostile(2_000)
	for _, f := range Functions() {
		if f.Work == nil {
			t.Errorf("%s does not charge for its work", f.Name)
			continue
		}
		var worst uint64
		hostileCalls(f, values, func(args []any) {
			l := &limited{left: 100}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			l.work(f, args)
			runtime.ReadMemStats(&after)
			worst = max(worst, after.TotalAlloc-before.TotalAlloc)
		})
		// The list of members, of components or of paths is read before it is sorted.
		if worst > 400<<10 {
			t.Errorf("%s allocates %d bytes for 100 units of gas", f.Name, worst)
		}
	}
}

// The gas of a call is that of its work: the same in each run, and Call returns it.
func TestGasOfHostileCallsIsTheSame(t *testing.T) {
	values := hostile(300)
	for _, f := range Functions() {
		hostileCalls(f, values, func(args []any) {
			_, first, err := f.Call(args)
			_, second, err2 := f.Call(args)
			if first != second || fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Errorf("%s: %d then %d units of gas, error %v then %v", f.Name, first, second, err, err2)
			}
		})
	}
}

// BenchmarkHostile reports for each function the most CPU time that a unit of gas takes,
// and the longest call of a run with the default limit.
func BenchmarkHostile(b *testing.B) {
	values := hostile(20_000)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, f := range Functions() {
		b.Run(f.Name, func(b *testing.B) {
			var worst, slowest float64
			for b.Loop() {
				hostileCalls(f, values, func(args []any) {
					took, gas := cpuOf(f, args)
					slowest = max(slowest, took)
					if took > 200_000 {
						worst = max(worst, took/float64(gas+1))
					}
				})
			}
			b.ReportMetric(worst, "ns/gas")
			b.ReportMetric(slowest/1e6, "ms-slowest")
		})
	}
}

// cpuOf returns the least CPU time of three calls, in nanoseconds, and their gas.
func cpuOf(f Function, args []any) (took float64, gas int64) {
	took = math.Inf(1)
	for range 3 {
		l := &limited{left: 200_000}
		begin := cpuTime()
		l.work(f, args)
		took = min(took, float64(cpuTime()-begin))
		gas = 200_000 - max(l.left, 0)
		if took < 200_000 {
			break
		}
	}
	return took, gas
}

// cpuTime returns the CPU time of the thread.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// rusageThread is RUSAGE_THREAD of Linux.
const rusageThread = 1
