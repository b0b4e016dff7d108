// SPDX-License-Identifier: Apache-2.0

package attack

import "strings"

// kills begins what an attack did elsewhere that ended the process.
const kills = "the process dies"

// Known is an attack that was measured on the published control plane's interpreter, or
// on CEL with its own cost limit, before this engine was written.
type Known struct {
	// What it is, in the form it was run.
	What string
	// Elsewhere is what it did there.
	Elsewhere string
	// Attacks are the names of those here that are it, or its parts.
	Attacks []string
}

// KnownLua lists the known attacks in Lua. The slice is the caller's.
func KnownLua() []Known {
	return []Known{
		{"while true do end", "an error after 1 s", []string{"endless loop"}},
		{"s = s .. s, 27 times", "1.8 s, 538 MiB", []string{"string doubled"}},
		{"t[60000000] = 1", "12 s, 3.4 GiB in one instruction", []string{"large index"}},
		{"the same, four times", "7.4 s, 3.0 GiB", []string{"large indexes"}},
		{"find of a-a-a-a-a-a-a-a-b in 64 letters", "hangs", []string{"pattern a- times eight"}},
		{"find of a-a-a-a-b in 256 letters", "hangs", []string{"pattern a- times four"}},
		{"find of .-b in 512 KiB", "hangs", []string{"pattern .-b"}},
		{"find of %b() in 128 KiB of brackets", "5 s", []string{"pattern %b"}},
		{"format of %1000000[1]d, 2048 times", kills + ", out of memory", []string{"format position", "format width", "format widths"}},
		{"table.concat of 1000 texts of 1 MiB", "2.3 s, 1 GiB", []string{"concat"}},
		{"a source of 1 MB of #", kills + ", stack overflow", []string{"source too large", "lengths"}},
		{"a table of 60 k constants", "10.7 s a call", []string{"constants by the ten thousand", "constants in small space", "distinct constants"}},
		{"if in else, 50 k levels", "21.6 s to compile", []string{"else ifs by the ten thousand", "else ifs"}},
		{"sources of one operator, 1.3 MB", "1.2 s, 930 MiB", []string{"minuses by the hundred thousand", "brackets by the hundred thousand", "minuses", "nots", "open brackets", "fields of fields", "calls of calls"}},
		{"a result 9000 deep", "1.9 s after the run", []string{"deep result"}},
		{"a result of 500 k items", "2 s, 923 MiB", []string{"large result"}},
		{"a result that shares one table, 2^40 times", "an error", []string{"doubled result", "doubled map"}},
		{"a cyclic result", "an error", []string{"cyclic result", "cyclic result that doubles"}},
		{"a recursion without end", "an error", []string{"recursion", "tail recursion", "mutual recursion"}},
		{"pcall around an endless loop, for ever", "an error after 1 s", []string{"pcall around an endless loop"}},
		{"table.insert(t, 1, i), 200 k times", "an error after 1 s", []string{"insert at the front"}},
		{"tables and texts made for ever", "1 s, 116 MiB", []string{"tables", "strings"}},
		{"string.rep of 1e9", "957 MiB without the sandbox", []string{"rep"}},
		{"gsub of 64 KiB by 64 KiB", kills + " without the sandbox", []string{"gsub grows"}},
		{"coroutines", "escape a context that counts", []string{"coroutines"}},
	}
}

// KnownCEL lists the known attacks in CEL. The slice is the caller's.
func KnownCEL() []Known {
	return []Known{
		{"a text of type dyn, doubled", "134 MB at a cost of 105, and no error", []string{"string doubling on dyn"}},
		{"a typed text, doubled", "counted", []string{"string doubling on string"}},
		{"indexOf of type dyn", "89 ms at a cost of 4668", []string{"indexOf on dyn"}},
		{"a list doubled, and exists", "1 s", []string{"list doubling and exists"}},
		{"all in all in all in all", "0.16 s", []string{"all in all in all in all", "all over dyn, four times"}},
		{"lists.range(5e6)", "refused", []string{"range of millions"}},
		{"brackets in brackets, and a long chain", "refused by the parser", []string{"brackets in brackets", "a long chain"}},
	}
}

// Fatal returns the names in Simple of the known attacks that ended the process elsewhere.
// No check in the process sees such an end. The slice is the caller's.
func Fatal() []string {
	var names []string
	for language, known := range map[string][]Known{"Lua: ": KnownLua(), "CEL: ": KnownCEL()} {
		for _, k := range known {
			if !strings.HasPrefix(k.Elsewhere, kills) {
				continue
			}
			for _, name := range k.Attacks {
				names = append(names, language+name)
			}
		}
	}
	return names
}
