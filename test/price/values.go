// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
)

// value is an argument. Its Lua and its CEL are evaluated once, before the calls.
type value struct {
	name string
	// kind is text, number, list, map, items or other.
	kind string
	// lua and cel write it; "" is a field of the object of its name.
	lua, cel string
	// field is what the object has under the name; nil is nothing.
	field func() any
	// large reports whether it is long, wide or deep.
	large bool
}

// values are the arguments that there are.
func values() []value {
	return []value{
		{name: "long", kind: "text", field: func() any { return strings.Repeat("a", 1_000_000) }, large: true},
		{name: "wide", kind: "text", field: func() any { return strings.Repeat("ä", 300_000) }, large: true},
		{name: "broken", kind: "text", field: func() any { return strings.Repeat("\xff", 500_000) }, large: true},
		{name: "digits", kind: "text", field: func() any { return strings.Repeat("9", 500_000) }, large: true},
		{name: "spaces", kind: "text", field: func() any { return strings.Repeat(" ", 500_000) + "1" }, large: true},
		{name: "needle", kind: "text", field: func() any { return strings.Repeat("a", 300_000) + "lxAdaaZk" }, large: true},
		{name: "dots", kind: "text", field: func() any { return strings.Repeat("a.", 250_000) }, large: true},
		{name: "commas", kind: "text", field: func() any { return strings.Repeat(",", 300_000) }, large: true},
		{name: "percents", kind: "text", field: func() any { return strings.Repeat("%w", 200_000) }, large: true},
		{name: "formats", kind: "text", field: func() any { return strings.Repeat("%s", 3_000) }},
		{name: "sets", kind: "text", field: func() any { return "[" + strings.Repeat("b", 60) + "]*c" }},
		{name: "lazy", kind: "text", field: func() any { return ".-.-.-b" }},
		{name: "folded", kind: "text", field: func() any { return `(?i)[B-\x{1e942}]*(a*)*$` }},
		{name: "letter", kind: "text", field: func() any { return "a" }},
		{name: "empty", kind: "text", field: func() any { return "" }},
		{name: "amount", kind: "text", field: func() any { return "0." + strings.Repeat("3", 60) + "e-9" }},
		{name: "exponent", kind: "text", field: func() any { return "0.1e-99999999" }},
		{name: "time", kind: "text", field: func() any { return "2020-01-01T00:00:00Z" }},
		{name: "url", kind: "text", field: func() any { return "http://a/?" + strings.Repeat("a&", 50_000) }, large: true},
		{name: "version", kind: "text", field: func() any { return "1.0.0-" + strings.Repeat("a.", 50_000) + "a" }, large: true},
		{name: "least", kind: "number", lua: "(-9223372036854775807 - 1)", cel: "(-9223372036854775808)"},
		{name: "most", kind: "number", lua: "9223372036854775807", cel: "9223372036854775807"},
		{name: "zero", kind: "number", lua: "0", cel: "0"},
		{name: "one", kind: "number", lua: "1", cel: "1"},
		{name: "million", kind: "number", lua: "1000000", cel: "1000000"},
		{name: "tiny", kind: "number", field: func() any { return 5e-324 }},
		{name: "huge", kind: "number", field: func() any { return math.MaxFloat64 }},
		{name: "nan", kind: "number", field: func() any { return math.NaN() }},
		{name: "infinite", kind: "number", field: func() any { return math.Inf(1) }},
		{name: "numbers", kind: "list", field: func() any { return list(100_000, func(i int) any { return int64((i * 7919) % 100_000) }) }, large: true},
		{name: "texts", kind: "list", field: func() any { return list(50_000, func(i int) any { return fmt.Sprintf("text %x", i*7919) }) }, large: true},
		{name: "longTexts", kind: "list", field: func() any { return list(40, func(i int) any { return strings.Repeat("a", 20_000) + fmt.Sprint(i) }) }, large: true},
		{name: "lists", kind: "list", field: func() any {
			return list(300, func(int) any { return list(300, func(i int) any { return fmt.Sprint(i) }) })
		}, large: true},
		{name: "nothing", kind: "list", field: func() any { return []any{} }},
		{name: "maps", kind: "list", field: func() any {
			return list(20_000, func(i int) any { return map[string]any{"a": int64(i), "type": fmt.Sprint(i)} })
		}, large: true},
		{name: "components", kind: "list", field: func() any { return components(5_000) }, large: true},
		{name: "items", kind: "items", field: func() any { return items(2_000) }, large: true},
		{name: "emptyItems", kind: "items", field: func() any {
			return list(20_000, func(i int) any { return map[string]any{"clusterName": fmt.Sprint("m", i)} })
		}, large: true},
		{name: "keys", kind: "map", field: func() any { return many60000() }, large: true},
		{name: "longKeys", kind: "map", field: func() any {
			m := map[string]any{}
			for i := range 12 {
				m[strings.Repeat("k", 60_000)+fmt.Sprint(i)] = int64(i)
			}
			return m
		}, large: true},
		{name: "deep", kind: "map", field: func() any {
			var v any = map[string]any{}
			for range 5_000 {
				v = map[string]any{"a": v}
			}
			return v
		}, large: true},
		{name: "pod", kind: "map", field: func() any { return pod(3_000) }, large: true},
		{name: "conditions", kind: "map", field: func() any {
			return map[string]any{"status": map[string]any{"conditions": list(5_000, func(i int) any { return condition(i) })}}
		}, large: true},
		{name: "null", kind: "other", lua: "nil", cel: "null"},
		{name: "yes", kind: "other", lua: "true", cel: "true"},
		{name: "call", kind: "function", lua: "function(a) return a end", cel: "type"},
		{name: "order", kind: "function", lua: "function(a, b) return a < b end", cel: "type"},
		{name: "bytes", kind: "bytes", lua: "{1, 2, 3}", cel: "bytes(object.long)", large: true},
		{name: "stamp", kind: "stamp", lua: "{a = 1}", cel: "timestamp(object.time)"},
		{name: "pause", kind: "pause", lua: "{}", cel: "duration('1h')"},
		{name: "unsigned", kind: "unsigned", lua: "2^53", cel: "18446744073709551615u"},
		{name: "quantity", kind: "kubernetes.Quantity", lua: "'1.5Gi'", cel: "quantity('123456789012345678901234567890e-9')"},
		{name: "small", kind: "kubernetes.Quantity", lua: "'1n'", cel: "quantity('1n')"},
		{name: "link", kind: "kubernetes.URL", lua: "'a.b'", cel: "url(object.url)"},
		{name: "release", kind: "kubernetes.Semver", lua: "'a'", cel: "semver(object.version)"},
		{name: "address", kind: "net.IP", lua: "'b'", cel: "ip('::1')"},
		{name: "network", kind: "net.CIDR", lua: "'c'", cel: "cidr('10.0.0.0/8')"},
		{name: "named", kind: "kubernetes.NamedFormat", lua: "'d'", cel: "format.dns1123Subdomain()"},
		{name: "optional", kind: "optional", lua: "{{}}", cel: "optional.of(object.numbers)", large: true},
	}
}

func list(n int, value func(i int) any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = value(i)
	}
	return all
}

func many60000() map[string]any {
	m := make(map[string]any, 60_000)
	for i := range 60_000 {
		m[fmt.Sprintf("k%x", i)] = int64(i)
	}
	return m
}

func condition(i int) any {
	return map[string]any{"type": fmt.Sprint("c", i), "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z"}
}

// items are status items with conditions and counts.
func items(n int) []any {
	return list(n, func(i int) any {
		return map[string]any{"clusterName": fmt.Sprint("m", i), "applied": true, "health": "Healthy", "status": map[string]any{
			"replicas": int64(i), "observedGeneration": int64(1), "conditions": list(10, condition), "time": "2020-01-01T00:00:00Z", "a": int64(i),
		}}
	})
}

// components are those of an answer, each with what it needs.
func components(n int) []any {
	return list(n, func(i int) any {
		return map[string]any{"name": fmt.Sprint("c", i), "replicas": int64(1), "replicaRequirements": map[string]any{
			"resourceRequest": map[string]any{"cpu": "1.5", "memory": "1Gi"}, "nodeClaim": map[string]any{"nodeSelector": map[string]any{"a": fmt.Sprint(i)}},
		}}
	})
}

// pod is a template with containers and volumes.
func pod(n int) map[string]any {
	return map[string]any{"spec": map[string]any{
		"containers": list(n, func(i int) any {
			return map[string]any{"name": fmt.Sprint("c", i), "resources": map[string]any{"requests": map[string]any{"cpu": "1.5", "memory": "1Gi"}}, "env": []any{map[string]any{"valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": fmt.Sprint("s", i)}}}}}
		}),
		"volumes":      list(n, func(i int) any { return map[string]any{"secret": map[string]any{"secretName": fmt.Sprint("s", i)}} }),
		"nodeSelector": many60000(),
	}}
}

// object is the one object of all trials; nobody changes it.
var object = sync.OnceValue(func() map[string]any {
	fields := map[string]any{"apiVersion": "price.example/v1", "kind": "Price", "metadata": map[string]any{"name": "a"}, "metadata2": nil}
	for _, v := range values() {
		if v.field != nil {
			fields[v.name] = v.field()
		}
	}
	return fields
})

// with returns the object with a number of calls.
func with(n int64) map[string]any {
	fields := make(map[string]any, len(object())+1)
	for k, v := range object() {
		fields[k] = v
	}
	fields["n"] = n
	return fields
}

// chosen returns lists of arguments for parameters of some kinds, "" being any: each value
// of its kind stands at each place once, and n more lists. What stands beside it is chosen
// at random, and now and then of any kind.
func chosen(r *rand.Rand, kinds []string, n int) [][]value {
	var all [][]value
	for at, kind := range kinds {
		for _, v := range values() {
			if kind == "" || v.kind == kind {
				args := random(r, kinds)
				args[at] = v
				all = append(all, args)
			}
		}
	}
	for range n {
		all = append(all, random(r, kinds))
	}
	if len(all) == 0 {
		return [][]value{nil}
	}
	return all
}

// seeded returns random numbers that depend on a subject, so that a new one changes no
// other.
func seeded(seed uint64, subject string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(subject))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// random returns arguments for parameters of some kinds.
func random(r *rand.Rand, kinds []string) []value {
	all := values()
	args := make([]value, 0, len(kinds))
	for _, kind := range kinds {
		var fit []value
		for _, v := range all {
			if kind == "" || v.kind == kind || r.IntN(60) == 0 {
				fit = append(fit, v)
			}
		}
		if len(fit) == 0 {
			fit = all
		}
		args = append(args, fit[r.IntN(len(fit))])
	}
	return args
}

// trial returns a trial with arguments, which are parts of the one object.
func (s *Subject) trial(args []value, run runner) Trial {
	t := Trial{Subject: s, prepare: func() runner { return run }}
	t.Arguments, t.large = names(args)
	return t
}

// names describes arguments.
func names(args []value) (text string, large bool) {
	var all []string
	for _, v := range args {
		all = append(all, v.name)
		large = large || v.large
	}
	return strings.Join(all, ", "), large
}
