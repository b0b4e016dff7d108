// SPDX-License-Identifier: Apache-2.0

// Package attack lists scripts and expressions that try to take more time or memory
// than they may, to stop the process, or to reach what is not theirs, each with how it
// must end. The package knows no language and runs nothing itself.
//
// Its tests run each attack in the process of the test, and a choice of them, with at
// least one of each class, through the dragoman program in a process of 1 GiB. With the
// variable ATTACK_PROCESSES=all that is each of them, for five minutes of processor time:
//
//	ATTACK_PROCESSES=all go test ./test/attack
package attack

import (
	"fmt"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Attack is one script and how it must end.
type Attack struct {
	Name string
	// Source is a Lua chunk that finds Object in params, or a CEL expression that
	// finds Target in object.
	Source string
	// Want is the code of the error that ends it, Harmless or Limited.
	Want script.Code
}

const (
	// Harmless is the code of an attack that returns a result, since it does nothing.
	Harmless script.Code = ""
	// Limited is that of one that meets whichever limit is the first.
	Limited script.Code = "Gas, Memory or Depth"
)

// MostGrowth is how many bytes an attack may make a process grow, and at most take
// from the heap in all.
const MostGrowth = 64 << 20

// Expects reports whether the attack may end with an error of this code; "" is none.
func (a Attack) Expects(code script.Code) bool {
	if a.Want == Limited {
		return code == script.Gas || code == script.Memory || code == script.Depth
	}
	return code == a.Want
}

// Object is the object of the attacks in Lua: a list of two maps and 200 small maps.
func Object() map[string]any {
	object := map[string]any{"list": []any{
		map[string]any{"a": strings.Repeat("x", 2000)},
		map[string]any{"b": int64(1)},
	}}
	for range 200 {
		object["k"+strings.Repeat("k", len(object))] = map[string]any{"v": "some text of a value"}
	}
	return object
}

// Target is the object of the attacks in CEL: long texts, lists and maps of a thousand
// parts, and what parsers take long for.
func Target() map[string]any {
	var numbers, maps, names []any
	fields := map[string]any{}
	for i := range 1000 {
		numbers = append(numbers, int64(i))
		names = append(names, fmt.Sprint(i))
		maps = append(maps, map[string]any{"a": map[string]any{"b": int64(i)}})
		fields[fmt.Sprint(i)] = map[string]any{"a": int64(i)}
	}
	return map[string]any{
		"s":       strings.Repeat("a", 1000),
		"medium":  strings.Repeat("a", 1<<15),
		"big":     strings.Repeat("a", 1<<20),
		"digits":  strings.Repeat("9", 1<<20),
		"numbers": numbers, "names": names, "maps": maps, "fields": fields,
		"time": "2020-01-01T00:00:00Z", "zone": "Europe/Berlin",
		"pattern": "(a{20}){20}b", "large": strings.Repeat("a{1000}", 140),
		"url":    "http://a/?" + strings.Repeat("a&", 500),
		"semver": "1.0.0-" + strings.Repeat("a.", 400) + "a",
	}
}

func repeated(s string, n int) string { return strings.Repeat(s, n) }
