// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// TestEveryFunctionHasAPrice walks the environment, and the tables of prices.
func TestEveryFunctionHasAPrice(t *testing.T) {
	names := compiler(t).base.Functions()
	for name := range names {
		if !priced(name) {
			t.Errorf("%s has no price", name)
		}
	}
	for name := range charges {
		if names[name] == nil {
			t.Errorf("%s has a price, and is no function", name)
		}
		if free[name] || texts[name].do != nil || matchers[name] {
			t.Errorf("%s has two prices", name)
		}
	}
	for name := range free {
		if names[name] == nil {
			t.Errorf("%s is free, and is no function", name)
		}
	}
}

// colliding is a text whose parts of 8 bytes at its end have the hash of those before, in
// the search of Go.
var colliding = strings.Repeat("a", 4000) + "lxAdaaZk"

// TestPrices runs calls whose work is not that of one step, and shows what they pay.
func TestPrices(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	long := map[string]any{}
	for i := range 100 {
		long[fmt.Sprint(strings.Repeat("a", 10_000), i)] = int64(i)
	}
	object := map[string]any{
		"empty": "", "text": strings.Repeat("a", 1<<20), "colliding": colliding, "long": long, "bad": strings.Repeat("\xff", 100_000),
		"digits": "9" + strings.Repeat("0", 50), "exponent": "1e99", "small": "5e-324", "milli": "500m",
	}
	tests := map[string]struct {
		source      string
		least, most int64
		memory      int64
	}{
		"contains":                    {`object.text.contains(object.colliding)`, 1 << 14, 17_000, 16_000},
		"replace":                     {`object.text.replace(object.colliding, "b")`, 1 << 14, 34_000, 16_000},
		"split":                       {`object.text.split(object.colliding)`, 1 << 14, 34_000, 16_000},
		"split, at most":              {`object.text.split("b", 9223372036854775807)`, 1 << 14, 34_000, 0},
		"a long text in a short one":  {`object.empty.indexOf(object.text)`, 1 << 16, 70_000, 4 << 20},
		"the last of a long text":     {`object.empty.lastIndexOf(object.text)`, 1 << 16, 70_000, 4 << 20},
		"quotes of what is no text":   {`strings.quote(object.bad)`, 6_000, 30_000, 300_000},
		"a part of what is no text":   {`object.bad.substring(1)`, 12_000, 30_000, 700_000},
		"a loop over long keys":       {`object.long.all(k, true)`, 100_000, 200_000, 0},
		"a loop over long keys, once": {`object.long.exists(k, true)`, 100_000, 200_000, 0},
		"a quantity":                  {`quantity(object.milli)`, 8, 40, 0},
		"a quantity of many digits":   {`quantity(object.digits)`, 48, 90, 512},
		"a quantity of an exponent":   {`quantity(object.exponent)`, 48, 90, 512},
		"a double":                    {`double("1.5")`, 0, 10, 0},
		"a double of an exponent":     {`double(object.small)`, 60, 80, 0},
		"a named time zone":           {`now.getHours("Asia/Tokyo")`, 500, 520, 0},
		"all matches":                 {`object.colliding.findAll("a*b|a")`, 100_000, math.MaxInt64, 0},
		"a folded class":              {`object.empty.matches("(?i)[" + "a-\u3000]")`, 10_000, 20_000, 0},
		"formats of a text":           {`"%s".format([object.text])`, 1 << 14, 60_000, 4 << 20},
	}
	c := compiler(t)
	for name, tc := range tests {
		p, err := c.Compile("test.cel", tc.source, dyn("object"), script.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		call := &script.Call{Names: []string{"object"}, Args: []any{object}, Now: noon, Limits: script.Limits{Gas: 1 << 40, Memory: 1 << 40}}
		var got script.Usage
		taken := attack.Heap(func() { got, _ = p.Run(call, &decoder{}) })
		if got.Gas < tc.least || got.Gas > tc.most {
			t.Errorf("%s takes %d units, want %d to %d", name, got.Gas, tc.least, tc.most)
		}
		if got.Memory < tc.memory {
			t.Errorf("%s pays for %d bytes, want %d", name, got.Memory, tc.memory)
		}
		if most := uint64(2*got.Memory + 64*got.Gas + 100_000); taken > most {
			t.Errorf("%s takes %d bytes from the heap, and pays for %d", name, taken, got.Memory)
		}
	}
}

// TestTextFunctionsAgreeWithGo compares the functions that are done here with those of Go,
// with short and long texts of few letters.
func TestTextFunctionsAgreeWithGo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = "aab\n\"\xc3\xa9\xff"[r.IntN(1+r.IntN(8))]
		}
		return string(b)
	}
	m := &run{meter: meter{limits: script.Limits{Gas: 1 << 40, Memory: 1 << 40, String: 1 << 30}}}
	for range 20_000 {
		s, sought, with := random(400), random(1+r.IntN(100)), random(5)
		if r.IntN(3) == 0 && len(s) > 100 {
			at := r.IntN(len(s) - 80)
			sought = s[at : at+1+r.IntN(79)]
		}
		most, limit := math.MaxInt, -1
		if r.IntN(2) == 0 {
			limit = r.IntN(4)
			most = limit
		}
		if got, want := contains(m, []string{s, sought}, 0), types.Bool(strings.Contains(s, sought)); got != want {
			t.Fatalf("contains(%q, %q) is %v", s, sought, got)
		}
		if got, want := replace(m, []string{s, sought, with}, most), types.String(strings.Replace(s, sought, with, limit)); got != want {
			t.Fatalf("replace(%q, %q, %q, %d) is %q, want %q", s, sought, with, limit, got, want)
		}
		got, want := split(m, []string{s, sought}, most).Value(), strings.SplitN(s, sought, limit)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("split(%q, %q, %d): %s", s, sought, limit, diff)
		}
	}
}

// TestTextFunctionsRefuseOtherArguments passes dynamic values of types, and in places, that
// the functions do not take.
func TestTextFunctionsRefuseOtherArguments(t *testing.T) {
	c := compiler(t)
	object := map[string]any{"s": "abc", "i": int64(1), "l": []any{}}
	for source, want := range map[string]string{
		`object.s.contains(object.i)`:               "test.cel:1:18: no such overload: contains(string, int)",
		`object.l.contains(object.s)`:               "test.cel:1:18: no such overload: contains(list, string)",
		`object.s.replace("a", "b", object.s)`:      "test.cel:1:17: no such overload: replace(string, string, string, string)",
		`object.s.replace("a", object.i, object.s)`: "test.cel:1:17: no such overload: replace(string, string, int, string)",
		`object.s.split(object.i, object.i)`:        "test.cel:1:15: no such overload: split(string, int, int)",
		`object.i.split(object.s, object.i)`:        "test.cel:1:15: no such overload: split(int, string, int)",
		`strings.quote(object.i)`:                   "test.cel:1:14: no such overload: strings.quote(int)",
	} {
		p, err := c.Compile("test.cel", source, dyn("object"), script.Limits{})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := runOn(t, p, object); got.err == nil || got.err.Error() != want {
			t.Errorf("%s: error is %v, want %s", source, got.err, want)
		}
	}
}
