// SPDX-License-Identifier: Apache-2.0

package document

import "strings"

// flow is a map or a list in brackets, in JSON and in YAML. Items are in their order; an
// item of a map begins with its key.
type flow struct {
	text string
	span
	items []span
	// space is what stands after a comma where no line break does.
	space string
}

// insert returns the change that puts an item before the i-th one.
func (f flow) insert(i int, item string) splice {
	if len(f.items) == 0 {
		inner := span{f.start + 1, f.end - 1}
		if !blank(f.text[inner.start:inner.end]) {
			inner.end = inner.start
		}
		return splice{inner.start, inner.end, item}
	}
	if i == len(f.items) {
		last := f.items[i-1]
		return splice{last.end, last.end, "," + f.gap(i-1) + item}
	}
	return splice{f.items[i].start, f.items[i].start, item + "," + f.gap(i)}
}

// remove returns the change that drops the i-th item.
func (f flow) remove(i int) splice {
	item := f.items[i]
	switch {
	case i+1 < len(f.items):
		return splice{item.start, f.items[i+1].start, ""}
	case i > 0:
		return splice{f.items[i-1].end, item.end, ""}
	case blank(strings.TrimRight(f.text[f.start+1:item.start]+f.text[item.end:f.end-1], ", \t\r\n")):
		return splice{f.start + 1, f.end - 1, ""}
	}
	return splice{item.start, item.end, ""}
}

// gap returns the white space before an item, for an item beside it.
func (f flow) gap(i int) string {
	from := f.start + 1
	if i > 0 {
		from = f.items[i-1].end
	}
	if gap := gapBefore(f.text, from, f.items[i].start); strings.Contains(gap, "\n") {
		return breakOf(f.text) + gap[strings.LastIndexByte(gap, '\n')+1:]
	}
	return f.space
}
