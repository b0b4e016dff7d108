// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
)

// excluded stands in an expected value where anything will do.
const excluded = "{{EXCLUDE}}"

// Failure is one difference between what a case expects and what it got.
type Failure struct {
	// Path names the value from the result on, such as components.jobmanager.replicas;
	// error is the outcome as a whole.
	Path string `json:"path"`
	// Want and Got are JSON; an absent value has none.
	Want json.RawMessage `json:"expected,omitempty"`
	Got  json.RawMessage `json:"actual,omitempty"`
	// Message is what is wrong where that is no difference of two values, and Line is where it stands in
	// the file of the case; else "" and 0.
	Message string `json:"message,omitempty"`
	Line    int    `json:"line,omitempty"`
	// Values are the parts of a condition that is not true, in the order of their evaluation.
	Values []Value `json:"values,omitempty"`
}

// Value is a part of a condition, and its value as text, which is cut where it is long.
type Value struct {
	Expression string `json:"expression"`
	Value      string `json:"value"`
}

// absent is a value that is not there, other than null.
type absent struct{}

// maxFailures is how many differences are looked for in one value.
const maxFailures = 100

// diff compares two plain values by path, and returns the first differences. same, if not
// nil, reports whether two values at a path are equal though they are written differently.
func diff(path string, want, got any, same func(path string, want, got any) bool) []Failure {
	d := differ{same: same}
	d.values(path, want, got)
	return d.failures
}

// differ collects differences, at most maxFailures.
type differ struct {
	// subset leaves out the keys of maps that are not wanted, and first ends after a difference, which has no values.
	subset   bool
	first    bool
	same     func(path string, want, got any) bool
	failures []Failure
}

func (d *differ) full() bool { return len(d.failures) >= maxFailures || d.first && len(d.failures) > 0 }

func (d *differ) values(path string, want, got any) {
	want, got = number(want), number(got)
	if d.subset && want == nil && got == any(absent{}) {
		return
	}
	if want == any(excluded) || d.same != nil && d.same(path, want, got) {
		return
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			d.maps(path, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			d.lists(path, w, g)
			return
		}
	default:
		if isScalar(got) && want == got {
			return
		}
	}
	if d.first {
		d.failures = []Failure{{Path: path}}
		return
	}
	d.failures = append(d.failures, Failure{Path: path, Want: text(want), Got: text(got)})
}

func (d *differ) maps(path string, want, got map[string]any) {
	keys := slices.Collect(maps.Keys(want))
	for key := range got {
		if _, both := want[key]; !both && !d.subset {
			keys = append(keys, key)
		}
	}
	d.entries(path, want, got, keys)
}

// entries compares the values of some keys.
func (d *differ) entries(path string, want, got map[string]any, keys []string) {
	slices.Sort(keys)
	for _, key := range keys {
		if d.full() {
			return
		}
		d.values(field(path, key), entry(want, key), entry(got, key))
	}
}

func (d *differ) lists(path string, want, got []any) {
	for i := range max(len(want), len(got)) {
		if d.full() {
			return
		}
		d.values(fmt.Sprintf("%s[%d]", path, i), item(want, i), item(got, i))
	}
}

func entry(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

var simpleKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

const (
	// maxPath bounds a path in bytes; the values below a longer one have the same path.
	maxPath = 512
	// maxKey bounds a key within a path.
	maxKey = 100
)

func field(path, key string) string {
	if len(path) > maxPath {
		return path
	}
	if len(key) > maxKey {
		key = strings.ToValidUTF8(key[:maxKey], "") + "..."
	}
	if simpleKey.MatchString(key) {
		return path + "." + key
	}
	return path + "[" + strconv.Quote(key) + "]"
}

// number returns a whole float64 as int64, everything else as it is.
func number(v any) any {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return v
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// sameQuantity reports whether two values are equal quantities of resources, or both empty.
func sameQuantity(path string, want, got any) bool {
	if empty(want) && empty(got) {
		return true
	}
	w, isText := want.(string)
	g, isText2 := got.(string)
	if !isText || !isText2 || !strings.Contains(path, ".resourceRequest") {
		return false
	}
	a, err := builtin.ParseQuantity(w)
	b, err2 := builtin.ParseQuantity(g)
	return err == nil && err2 == nil && a.Cmp(b) == 0
}

func empty(v any) bool {
	switch x := v.(type) {
	case nil, absent:
		return true
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}

// text returns a value as JSON; nothing for an absent one.
func text(v any) json.RawMessage {
	if _, ok := v.(absent); ok {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		data, _ = json.Marshal(fmt.Sprint(v))
	}
	return data
}
