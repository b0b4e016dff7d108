// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
)

// TestErrorsHaveALine runs what fails without naming a node, and many expressions of the
// grammar.
func TestErrorsHaveALine(t *testing.T) {
	c := compiler(t, Function{Name: "echo", Max: 1, Call: func(args []any) (any, int64, error) { return args[0], 1, nil }})
	object := map[string]any{"a": int64(1), "b": "text", "least": int64(math.MinInt64), "l": []any{int64(1), "a"}, "m": map[string]any{}}
	for source, want := range map[string]int{
		"[1,\n dyn('a').sort()]":                     2,
		"1 +\nsize(dyn(now))":                        2,
		"[1,\n timestamp(object.least)]":             2,
		"[1,\n object.a - object.b]":                 2,
		"[1,\n -object.b]":                           2,
		"[1,\n !object.b]":                           2,
		"[1,\n object.a && object.b]":                2,
		"[1,\n object.a ? 1 : 2]":                    2,
		"[1,\n {dyn(b'a'): 1}]":                      2,
		"[1,\n object[dyn(b'a')]]":                   2,
		"[1,\n object.l.sort()]":                     2,
		"[1,\n object.l.join()]":                     2,
		"[1,\n object.b.split(object.a)]":            2,
		"[1,\n object.b.contains(object.a)]":         2,
		"[1,\n dyn(b'a') in dyn({'a': object.a})]":   2,
		"[1,\n timestamp(object.b)]":                 2,
		"[1,\n duration(object.b) + duration('1s')]": 2,
		"[1,\n now.getHours(object.b)]":              2,
		"[1,\n now.getHours('Local')]":               2,
		"[1,\n optional.none().value()]":             2,
		"[1,\n math.abs(object.least)]":              2,
	} {
		p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		if got := runOn(t, p, object).err; got == nil || got.Line != want || got.Code == script.Internal {
			t.Errorf("%q: error is %v, want one of line %d", source, got, want)
		}
		// No run may leave its place in an error that all share.
		if p, err = c.Compile("test.cel", "\n\n"+source, dyn("object"), script.Limits{}); err != nil {
			t.Fatal(err)
		}
		if got := runOn(t, p, object).err; got == nil || got.Line != want+2 {
			t.Errorf("%q behind two lines: error is %v, want one of line %d", source, got, want+2)
		}
	}
	for seed := range uint64(3000) {
		g := grammar{Rand: rand.New(rand.NewPCG(seed, 7))}
		source := g.expression('V', 3)
		p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
		if err != nil {
			if err.(*script.Error).Line == 0 {
				t.Errorf("%q: error has no line: %v", source, err)
			}
			continue
		}
		if got := runOn(t, p, object).err; got != nil && got.Line == 0 {
			t.Errorf("%q: error has no line: %v", source, got)
		}
	}
}

// TestTimeZoneOfTheHost runs expressions on hosts in two time zones.
func TestTimeZoneOfTheHost(t *testing.T) {
	c := compiler(t)
	winter := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	before := time.Local
	defer func() { time.Local = before }()
	for source, want := range map[string]any{
		`string(now)`:                "2026-01-01T12:00:00Z",
		`now.getHours()`:             int64(12),
		`now.getHours("Asia/Tokyo")`: int64(21),
		`now.getHours("+02:30")`:     int64(14),
		`string(timestamp("2026-01-01T12:00:00+01:00") + duration("4800h"))`:                "2026-07-20T12:00:00+01:00",
		`string(timestamp(object.t) + duration("4800h"))`:                                   "2026-07-20T12:00:00+01:00",
		`[timestamp("2026-01-01T12:00:00+01:00")].map(t, string(t + duration("4800h")))[0]`: "2026-07-20T12:00:00+01:00",
	} {
		for _, zone := range []string{"UTC", "Europe/Berlin", "Asia/Tokyo"} {
			var err error
			if time.Local, err = time.LoadLocation(zone); err != nil {
				t.Fatal(err)
			}
			p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			call := &script.Call{Names: []string{"object"}, Args: []any{map[string]any{"t": "2026-01-01T12:00:00+01:00"}}, Now: winter.In(time.Local)}
			if got := runCall(t, p, call); got.err != nil || got.value != want {
				t.Errorf("%s in %s is %v, %v, want %v", source, zone, got.value, got.err, want)
			}
		}
	}
}
