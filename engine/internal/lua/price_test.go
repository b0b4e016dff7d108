// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// price is something that takes long for what it looks like, and what it costs at least.
type price struct {
	// source does it n times with what stands in the params.
	source string
	// least is the gas of one time.
	least int64
}

// prices run checks that each source, which does something 10 times, costs that much at
// least. An amount is a tenth of the steps or bytes that are worked, or more.
func prices(t *testing.T, params map[string]any, list map[string]price) {
	t.Helper()
	for name, p := range list {
		t.Run(name, func(t *testing.T) {
			a := ask(t, "for i = 1, 10 do "+p.source+" end", script.Call{Params: params, Limits: script.Limits{Gas: 100_000_000, Memory: 1 << 30}})
			if a.err != nil {
				t.Fatal(a.err)
			}
			if got := a.usage.Gas / 10; got < p.least {
				t.Errorf("it costs %d units of gas, want %d at least", got, p.least)
			}
		})
	}
}

func TestPricesOfSearches(t *testing.T) {
	a := strings.Repeat("a", 1<<16)
	prices(t, map[string]any{
		"a": a, "class": a + "%a", "zeros": strings.Repeat("%0", 1<<10), "ones": strings.Repeat("%1", 1<<10),
		"set": "[bcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_a]*",
		"far": strings.Repeat("b?", 1<<9) + "[a]",
	}, map[string]price{
		"a needle as long as the text":         {`string.find(params.a, params.a, 1, true)`, 1 << 11},
		"a pattern that no text matches":       {`string.find("x", params.class)`, 1 << 10},
		"a template of matches":                {`string.gsub("x", "y*", params.zeros)`, 2 << 7},
		"a template of captures":               {`string.gsub("", "()", params.ones)`, 1 << 7},
		"a set of 64 characters, 65,536 times": {`string.find(params.a, params.set)`, 1 << 15},
	})
}

// TestPriceOfASetIsItsOwn: a set behind a long pattern costs no more than one before.
func TestPriceOfASetIsItsOwn(t *testing.T) {
	gas := func(pattern string) int64 {
		return ask(t, `return string.find("aaaa", params.p)`, script.Call{Params: map[string]any{"p": pattern}}).usage.Gas
	}
	if before, behind := gas("[a][a][a][a]"+strings.Repeat("b?", 500)), gas(strings.Repeat("b?", 500)+"[a][a][a][a]"); behind > before+10 {
		t.Errorf("it costs %d units of gas, and %d before a long pattern", behind, before)
	}
}
