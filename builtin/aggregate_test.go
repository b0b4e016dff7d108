// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// object builds a map of pairs of key and value.
func object(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// reports builds status items of the clusters a, b and so on; nil is no status.
func reports(statuses ...any) []any {
	var items []any
	for i, s := range statuses {
		item := object("clusterName", string(rune('a'+i)), "applied", true)
		if s != nil {
			item["status"] = s
		}
		items = append(items, item)
	}
	return items
}

func fields(names ...any) []any { return names }

func TestSumStatus(t *testing.T) {
	ready := func(n any) any { return object("ready", n) }
	deep := func(n any) any { return object("tasks", object("worker.x", object("active", n))) }
	examples(t, "sumStatus", map[string]example{
		"sum":                    {args: []any{reports(ready(int64(1)), ready(int64(2))), fields("ready")}, want: object("ready", int64(3))},
		"no items":               {args: []any{nil, fields("ready")}, want: object()},
		"empty items of Lua":     {args: []any{object(), fields("ready")}, want: object()},
		"no status":              {args: []any{reports(nil, ready(int64(2))), fields("ready")}, want: object("ready", int64(2))},
		"nobody has it":          {args: []any{reports(object()), fields("ready")}, want: object()},
		"null is absent":         {args: []any{reports(ready(nil)), fields("ready")}, want: object()},
		"zero is there":          {args: []any{reports(ready(int64(0))), fields("ready")}, want: object("ready", int64(0))},
		"only the status has it": {args: []any{reports(object()), fields("ready"), ready(int64(4))}, want: object("ready", int64(0))},
		"status keeps the rest":  {args: []any{reports(ready(int64(2))), fields("ready"), object("ready", int64(9), "phase", "Up")}, want: object("ready", int64(2), "phase", "Up")},
		"empty status of Lua":    {args: []any{reports(ready(int64(2))), fields("ready"), []any{}}, want: object("ready", int64(2))},
		"list of keys":           {args: []any{reports(deep(int64(1)), deep(int64(2))), fields([]any{"tasks", "worker.x", "active"})}, want: deep(int64(3))},
		"path beside":            {args: []any{reports(object("a", object("x", int64(1)))), fields("a.x"), object("a", object("y", int64(5)))}, want: object("a", object("x", int64(1), "y", int64(5)))},
		"a number and below":     {args: []any{reports(object("a", int64(1)), object("a", object("x", int64(2)))), fields("a.x", "a")}, err: "a of cluster b must be a number, not map"},
		"floats":                 {args: []any{reports(ready(0.5), ready(int64(1))), fields("ready")}, want: object("ready", 1.5)},
		"whole floats":           {args: []any{reports(ready(1.0), ready(2.0)), fields("ready")}, want: object("ready", int64(3))},
		"beyond int64":           {args: []any{reports(ready(int64(math.MaxInt64)), ready(int64(1))), fields("ready")}, want: object("ready", float64(1<<63))},
		"negative beyond int64":  {args: []any{reports(ready(int64(math.MinInt64)), ready(int64(-1))), fields("ready")}, want: object("ready", float64(-1<<63))},
		"string":                 {args: []any{reports(ready(int64(1)), ready("2")), fields("ready")}, err: `ready of cluster b must be a number, not "2"`},
		"no fields":              {args: []any{reports()}, err: "argument 2 (fields) is missing"},
		"fields is a string":     {args: []any{reports(), "ready"}, err: "fields must be a list, not a string"},
		"field is a number":      {args: []any{reports(), fields(int64(1))}, err: "a field must be a name, a path with dots or a list of keys, not a number"},
		"key is a number":        {args: []any{reports(), fields([]any{int64(1)})}, err: "a key of a path must be a string, not a number"},
		"empty path":             {args: []any{reports(), fields([]any{})}, err: "a field has no keys"},
		"items is a string":      {args: []any{"x", fields()}, err: "items must be a list, not a string"},
		"an item is a string":    {args: []any{[]any{"x"}, fields()}, err: "item 1 must be a map with clusterName and status, not a string"},
		"a status is a string":   {args: []any{reports("x"), fields()}, err: "the status of cluster a must be a map, not a string"},
		"status is a string":     {args: []any{reports(), fields(), "x"}, err: "status must be a map, not a string"},
	})
}

func TestTooManyReads(t *testing.T) {
	many := make([]any, 2000)
	for i := range many {
		many[i] = object()
	}
	names := make([]any, 1000)
	for i := range names {
		names[i] = "field"
	}
	if _, err := call(t, "sumStatus", many, names); err == nil || err.Error() != "too many fields for the number of items" {
		t.Errorf("got error %v", err)
	}
}

func TestSumStatusOfASettledStatusIsTheStatus(t *testing.T) {
	status := object("ready", int64(3), "phase", "Up")
	items := reports(object("ready", int64(1)), object("ready", int64(2)))
	got, err := call(t, "sumStatus", items, fields("ready", "missing"), status)
	if err != nil {
		t.Fatal(err)
	}
	if reflect.ValueOf(got).Pointer() != reflect.ValueOf(status).Pointer() {
		t.Errorf("got a copy: %v", got)
	}
}

func TestObservedByAll(t *testing.T) {
	generation := func(n any) any { return object("metadata", object("generation", n)) }
	seen := func(observed, own, template any) any {
		return object("observedGeneration", observed, "generation", own, "resourceTemplateGeneration", template)
	}
	two := generation(int64(2))
	examples(t, "observedByAll", map[string]example{
		"no items":                {args: []any{two, nil}, want: true},
		"all":                     {args: []any{two, reports(seen(int64(5), int64(5), int64(2)), seen(int64(1), int64(1), int64(3)))}, want: true},
		"floats":                  {args: []any{generation(2.0), reports(seen(5.0, 5.0, 2.0))}, want: true},
		"one has no status":       {args: []any{two, reports(seen(int64(5), int64(5), int64(2)), nil)}, want: false},
		"one has an empty status": {args: []any{two, reports(object())}, want: false},
		"missing counts as zero":  {args: []any{object(), reports(object())}, want: true},
		"old template":            {args: []any{two, reports(seen(int64(5), int64(5), int64(1)))}, want: false},
		"controller lags":         {args: []any{two, reports(seen(int64(4), int64(5), int64(2)))}, want: false},
		"a later one lags":        {args: []any{two, reports(seen(int64(5), int64(5), int64(2)), seen(int64(0), int64(1), int64(2)))}, want: false},
		"not a number":            {args: []any{two, reports(seen("5", int64(5), int64(2)))}, err: `observedGeneration of cluster a must be a whole number, not "5"`},
		"a string behind a lag":   {args: []any{two, reports(seen(int64(0), int64(1), int64(2)), seen("5", int64(5), int64(2)))}, err: "observedGeneration of cluster b"},
		"a fraction":              {args: []any{generation(1.5), reports()}, err: "metadata.generation must be a whole number"},
		"object is a string":      {args: []any{"x", reports()}, err: "object must be a map, not a string"},
	})
}

func TestObservedGeneration(t *testing.T) {
	of := func(generation, before any) any {
		o := object("metadata", object("generation", generation))
		o["status"] = object("observedGeneration", before)
		return o
	}
	seen := func(observed, own, template any) any {
		return object("observedGeneration", observed, "generation", own, "resourceTemplateGeneration", template)
	}
	all, lags := seen(int64(5), int64(5), int64(7)), seen(int64(4), int64(5), int64(7))
	examples(t, "observedGeneration", map[string]example{
		"no items":                           {args: []any{of(int64(7), nil), nil}, want: int64(7)},
		"all have seen it":                   {args: []any{of(int64(7), int64(6)), reports(all, all)}, want: int64(7)},
		"one lags, and there is one before":  {args: []any{of(int64(7), int64(3)), reports(all, lags)}, want: int64(3)},
		"one lags, and there is none before": {args: []any{of(int64(7), nil), reports(all, lags)}, want: int64(6)},
		"one has not reported":               {args: []any{of(int64(7), nil), reports(all, nil)}, want: int64(6)},
		"none has reported a status":         {args: []any{of(int64(7), int64(3)), reports(nil)}, want: int64(3)},
		"none says what it has seen":         {args: []any{of(int64(7), int64(3)), reports(object("phase", "Up"))}},
		"a template without a generation":    {args: []any{of(nil, nil), reports(all)}},
		"not a number":                       {args: []any{of(int64(7), nil), reports(seen("5", int64(5), int64(2)))}, err: `observedGeneration of cluster a must be a whole number, not "5"`},
		"a fraction":                         {args: []any{of(1.5, nil), reports()}, err: "metadata.generation must be a whole number"},
		"object is a string":                 {args: []any{"x", reports()}, err: "object must be a map, not a string"},
	})
}

func TestLatest(t *testing.T) {
	at := func(v any) any { return object("at", v) }
	early, zoned, late := "2026-01-01T10:00:00Z", "2026-01-01T11:30:00+01:00", "2026-01-01T10:30:00.5Z"
	examples(t, "latest", map[string]example{
		"times by their moment":   {args: []any{reports(at(zoned), at(late), at(early)), "at"}, want: late},
		"first of equal ones":     {args: []any{reports(at(zoned), at("2026-01-01T10:30:00Z")), "at"}, want: zoned},
		"numbers":                 {args: []any{reports(at(int64(2)), at(10.5), at(int64(3))), "at"}, want: 10.5},
		"large numbers":           {args: []any{reports(at(int64(1<<53)), at(int64(1<<53+1))), "at"}, want: int64(1<<53 + 1)},
		"a path":                  {args: []any{reports(object("x", at(early))), "x.at"}, want: early},
		"nobody has it":           {args: []any{reports(nil, object()), "at"}},
		"no items":                {args: []any{nil, "at"}},
		"not a time":              {args: []any{reports(at("noon")), "at"}, err: `at of cluster a must be a time or a number, not "noon"`},
		"not a number":            {args: []any{reports(at(true)), "at"}, err: "at of cluster a must be a time or a number"},
		"time and number":         {args: []any{reports(at(early), at(int64(1))), "at"}, err: "at is a time in one cluster and a number in another"},
		"the field is a number":   {args: []any{reports(), int64(1)}, err: "field must be a string with dots between the keys, or a list of keys, not a number"},
		"the items are a boolean": {args: []any{true, "at"}, err: "items must be a list, not a boolean"},
	})
	examples(t, "earliest", map[string]example{
		"times":   {args: []any{reports(at(zoned), at(late), at(early)), "at"}, want: early},
		"numbers": {args: []any{reports(at(int64(2)), at(10.5), at(-0.5)), "at"}, want: -0.5},
		"first":   {args: []any{reports(nil, at("2026-01-01T10:30:00Z"), at(zoned)), "at"}, want: "2026-01-01T10:30:00Z"},
	})
}

func TestMergeConditions(t *testing.T) {
	c := func(status, reason, message, at string) any {
		return object("type", "Ready", "status", status, "reason", reason, "message", message, "lastTransitionTime", at)
	}
	has := func(conditions ...any) any { return object("conditions", conditions) }
	examples(t, "mergeConditions", map[string]example{
		"what is true comes last": {
			args: []any{reports(has(c("True", "Ok", "up", "1")), has(c("False", "Bad", "down", "2"))), fields("Ready")},
			want: []any{c("False", "Bad", "b=down", "2"), c("True", "Ok", "a=up", "1")},
		},
		"what is true comes last anyway": {
			args: []any{reports(has(c("False", "Bad", "down", "2")), has(c("True", "Ok", "up", "1"))), fields("Ready", "Other")},
			want: []any{c("False", "Bad", "a=down", "2"), c("True", "Ok", "b=up", "1")},
		},
		"trueLast is a string": {args: []any{nil, "Ready"}, err: "trueLast must be a list, not a string"},
		"none":                 {args: []any{nil}, want: []any{}},
		"no status":            {args: []any{reports(nil, object(), has())}, want: []any{}},
		"one":                  {args: []any{reports(has(c("True", "Ok", "up", "1")))}, want: []any{c("True", "Ok", "a=up", "1")}},
		"alike":                {args: []any{reports(has(c("True", "Ok", "up", "1")), has(c("True", "Ok", "", "2")))}, want: []any{c("True", "Ok", "a=up, b=", "1")}},
		"different": {
			args: []any{reports(has(c("True", "Ok", "up", "1")), has(c("False", "Bad", "down", "2")), has(c("True", "Ok", "up", "3")))},
			want: []any{c("True", "Ok", "a=up, c=up", "1"), c("False", "Bad", "b=down", "2")},
		},
		"another reason": {
			args: []any{reports(has(c("True", "Ok", "up", "1")), has(c("True", "Slow", "up", "2")))},
			want: []any{c("True", "Ok", "a=up", "1"), c("True", "Slow", "b=up", "2")},
		},
		"no message":        {args: []any{reports(has(object("type", "A")))}, want: []any{object("type", "A")}},
		"not a list":        {args: []any{reports(object("conditions", "x"))}, err: "status.conditions of cluster a must be a list, not a string"},
		"not a map":         {args: []any{reports(has("x"))}, err: "a condition of cluster a must be a map, not a string"},
		"items is a number": {args: []any{int64(1)}, err: "items must be a list, not a number"},
	})
}

func TestWorstConditions(t *testing.T) {
	c := func(kind, status, reason string) any { return object("type", kind, "status", status, "reason", reason) }
	has := func(conditions ...any) any { return object("conditions", conditions) }
	suspended := fields("Suspended")
	examples(t, "worstConditions", map[string]example{
		"none": {args: []any{nil}, want: []any{}},
		"a type that is normal when true": {
			args: []any{reports(has(c("Ready", "True", "Up")), has(c("Ready", "Unknown", "Busy")), has(c("Ready", "False", "Down")))},
			want: []any{c("Ready", "Unknown", "Busy")},
		},
		"a type that is abnormal when true": {
			args: []any{reports(has(c("Suspended", "False", "Up")), has(c("Suspended", "Unknown", "Busy")), has(c("Suspended", "True", "Down"))), suspended},
			want: []any{c("Suspended", "True", "Down")},
		},
		"all normal: the first": {
			args: []any{reports(has(c("Ready", "True", "A")), has(c("Ready", "True", "B")))},
			want: []any{c("Ready", "True", "A")},
		},
		"all abnormal: the first": {
			args: []any{reports(has(c("Suspended", "True", "A")), has(c("Suspended", "True", "B"))), suspended},
			want: []any{c("Suspended", "True", "A")},
		},
		"types in the order in which they come": {
			args: []any{reports(has(c("B", "True", ""), c("A", "True", "")), has(c("C", "True", ""), c("B", "False", "")))},
			want: []any{c("B", "False", ""), c("A", "True", ""), c("C", "True", "")},
		},
		"messages are merged": {
			args: []any{reports(has(object("type", "A", "message", "x")), has(object("type", "A", "message", "y")))},
			want: []any{object("type", "A", "message", "a=x, b=y")},
		},
		"an empty table of Lua": {args: []any{reports(has(c("A", "True", ""))), object()}, want: []any{c("A", "True", "")}},
		"a cluster without conditions": {
			args: []any{reports(has(c("Ready", "True", "Up"), c("Suspended", "True", "Asked"), c("Down", "False", "No")), nil), suspended},
			want: []any{
				object("type", "Ready", "status", "Unknown", "reason", "NotReported", "message", "not reported by b"),
				c("Suspended", "True", "Asked"), c("Down", "False", "No"),
			},
		},
		"a cluster with other conditions than Ready": {
			args: []any{reports(has(c("Ready", "True", "Up"), c("Synced", "True", "Up")), has(c("Placed", "True", "Up")))},
			want: []any{
				object("type", "Ready", "status", "Unknown", "reason", "NotReported", "message", "not reported by b"),
				c("Synced", "True", "Up"), c("Placed", "True", "Up"),
			},
		},
		"generations are those of the template, and the least of them": {
			args: []any{reports(
				object("generation", int64(3), "resourceTemplateGeneration", int64(7), "conditions", []any{object("type", "Ready", "observedGeneration", int64(3))}),
				object("generation", int64(2), "resourceTemplateGeneration", int64(7), "conditions", []any{object("type", "Ready", "observedGeneration", int64(1))}),
			)},
			want: []any{object("type", "Ready", "observedGeneration", int64(6))},
		},
		"types are a string":      {args: []any{nil, "A"}, err: "abnormalTrue must be a list, not a string"},
		"a type is a number":      {args: []any{nil, fields(int64(1))}, err: "a type of abnormalTrue must be a string, not a number"},
		"a condition is a string": {args: []any{reports(has("x"))}, err: "a condition of cluster a must be a map, not a string"},
		"items is a number":       {args: []any{int64(1)}, err: "items must be a list, not a number"},
	})
}

func TestTheOrderOfItemsDoesNotShow(t *testing.T) {
	status := func(at, message string, n any) any {
		return object("at", at, "n", n, "conditions", []any{object("type", "Ready", "status", message, "message", message)})
	}
	items := reports(status("2026-01-01T10:00:00Z", "up", 0.1), status("2026-01-01T11:00:00+01:00", "down", 0.2), status("2026-01-01T10:00:00.0Z", "up", 0.3))
	turned := slices.Clone(items)
	slices.Reverse(turned)
	for name, rest := range map[string][]any{
		"sumStatus": {fields("n")}, "latest": {"at"}, "earliest": {"at"}, "mergeConditions": nil, "worstConditions": nil,
	} {
		want, err := call(t, name, append([]any{items}, rest...)...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := call(t, name, append([]any{turned}, rest...)...)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s (-in order +turned): %v\n%s", name, err, d)
		}
	}
}

func TestReported(t *testing.T) {
	first, second := object("clusterName", "b", "status", object("a", int64(1))), object("clusterName", "a", "status", object())
	examples(t, "reported", map[string]example{
		"none":           {want: []any{}},
		"in their order": {args: []any{[]any{first, object("clusterName", "c"), object("status", nil), second}}, want: []any{first, second}},
		"no map":         {args: []any{[]any{"x"}}, err: "item 1 must be a map with clusterName and status, not a string"},
		"text":           {args: []any{[]any{object("clusterName", "a", "status", "x")}}, err: "the status of cluster a must be a map, not a string"},
	})
}
