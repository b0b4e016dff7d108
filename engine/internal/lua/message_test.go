// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// TestMessagesOfLongTexts: a message shows little of a text, and takes no more of it
// than it shows.
func TestMessagesOfLongTexts(t *testing.T) {
	long := strings.Repeat("x", 30<<10)
	params := map[string]any{"text": strings.Repeat("\xff", 1<<20), "letters": strings.Repeat("a", 1<<20)}
	tests := map[string]string{
		"key of nil":             `local n; return n[params.text]`,
		"key of nil, written":    `local n; n[params.text] = 1`,
		"key of a library":       `string[params.letters] = 1`,
		"module":                 `local r = require; r(params.text)`,
		"name in the source":     `local ` + long + `; return ` + long + `.x`,
		"key in the source":      `local n = {}; return n["` + long + ` "].x`,
		"method in the source":   `local n = {}; n:` + long + `()`,
		"function of a library":  `string.` + long + `()`,
		"message that is raised": `error(params.letters:sub(1, -100))`,
		"key with a function":    `local t = {}; t[params.letters] = print; kube.sumStatus(t, t)`,
	}
	for name, source := range tests {
		t.Run(name, func(t *testing.T) {
			const times = 5
			p, err := Compile(Script{File: "test.lua", Text: `local function f() ` + source + ` end
for i = 1, 5 do message = select(2, pcall(f)) end return message:sub(1, 400)`}, script.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var a answer
			call := script.Call{Params: params, Limits: script.Limits{Gas: 10_000_000, Memory: 1 << 30}}
			taken := attack.Heap(func() { a = perform(p, call) })
			if a.err != nil {
				t.Fatal(a.err)
			}
			most := uint64(100 << 10)
			if name == "message that is raised" {
				most = (times + 1) << 20
			}
			if uint64(taken) > most {
				t.Errorf("it took %d bytes from the heap, at most %d are needed", taken, most)
			}
			if message := a.results[0].(string); len(message) > 300 && !strings.Contains(message, "aaa") {
				t.Errorf("the message has %d bytes: %s", len(message), message)
			}
		})
	}
}

func TestClip(t *testing.T) {
	tests := map[string]string{
		"":                             "",
		"short":                        "short",
		"\xffa\xff":                    "a",
		strings.Repeat("a", 40):        strings.Repeat("a", 40),
		strings.Repeat("a", 41):        strings.Repeat("a", 40) + "...",
		strings.Repeat("a", 39) + "äa": strings.Repeat("a", 39) + "...",
	}
	for text, want := range tests {
		if got := clip(text); got != want {
			t.Errorf("clip(%q) = %q, want %q", text, got, want)
		}
	}
}
