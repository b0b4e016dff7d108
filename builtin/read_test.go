// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"strings"
	"testing"
)

func TestGet(t *testing.T) {
	obj := map[string]any{
		"status":   map[string]any{"jobStatus": map[string]any{"state": "RUNNING"}, "null": nil, "list": []any{"a"}, "": "empty"},
		"metadata": map[string]any{"labels": map[string]any{"app.kubernetes.io/name": "x"}},
	}
	examples(t, "get", map[string]example{
		"deep":                {args: []any{obj, "status.jobStatus.state"}, want: "RUNNING"},
		"one key":             {args: []any{obj, "metadata"}, want: obj["metadata"]},
		"list of keys":        {args: []any{obj, []any{"metadata", "labels", "app.kubernetes.io/name"}}, want: "x"},
		"no keys":             {args: []any{obj, []any{}}, err: "path has no keys"},
		"missing":             {args: []any{obj, "status.other.state"}},
		"missing, default":    {args: []any{obj, "status.other.state", int64(5)}, want: int64(5)},
		"null":                {args: []any{obj, "status.null", "d"}, want: "d"},
		"found, default":      {args: []any{obj, "status.jobStatus.state", "d"}, want: "RUNNING"},
		"through a string":    {args: []any{obj, "status.jobStatus.state.x", "d"}, want: "d"},
		"through a list":      {args: []any{obj, "status.list.x", "d"}, want: "d"},
		"nil object":          {args: []any{nil, "status", "d"}, want: "d"},
		"empty key":           {args: []any{obj, []any{"status", ""}}, want: "empty"},
		"number as the path":  {args: []any{obj, int64(1)}, err: "path must be a string with dots between the keys, or a list of keys, not a number"},
		"number among keys":   {args: []any{obj, []any{"status", int64(1)}}, err: "a key of a path must be a string, not a number"},
		"path missing":        {args: []any{obj}, err: "argument 2 (path) is missing; the form is get([object], path, [default])"},
		"too many":            {args: []any{obj, "a", "b", "c"}, err: "4 arguments given; the form is get([object], path, [default])"},
		"object is no object": {args: []any{"text", "a", "d"}, err: "object must be a map, not a string; the form is get([object], path, [default])"},
	})
}

func TestCondition(t *testing.T) {
	ready := map[string]any{"type": "Ready", "status": "True"}
	second := map[string]any{"type": "Ready", "status": "False"}
	list := []any{map[string]any{"type": "Other"}, "odd", nil, ready, second}
	obj := map[string]any{"status": map[string]any{"conditions": list}}
	examples(t, "condition", map[string]example{
		"found":         {args: []any{obj, "Ready"}, want: ready},
		"in a list":     {args: []any{list, "Ready"}, want: ready},
		"not found":     {args: []any{obj, "Missing"}},
		"no status":     {args: []any{map[string]any{}, "Ready"}},
		"no conditions": {args: []any{map[string]any{"status": map[string]any{"conditions": nil}}, "Ready"}},
		"nil":           {args: []any{nil, "Ready"}},
		"no type":       {args: []any{obj, nil}, err: "type must be a string, not nil"},
		"empty list":    {args: []any{[]any{}, "Ready"}},
	})
}

func TestConditionTrue(t *testing.T) {
	list := []any{object("type", "Ready", "status", "True"), object("type", "Failed", "status", "False"), object("type", "Odd", "status", true), object("type", "Bare")}
	obj := object("status", object("conditions", list))
	examples(t, "conditionTrue", map[string]example{
		"true":          {args: []any{obj, "Ready"}, want: true},
		"in a list":     {args: []any{list, "Ready"}, want: true},
		"false":         {args: []any{obj, "Failed"}, want: false},
		"a boolean":     {args: []any{obj, "Odd"}, want: false},
		"no status":     {args: []any{obj, "Bare"}, want: false},
		"not found":     {args: []any{obj, "Missing"}, want: false},
		"no conditions": {args: []any{object("status", nil), "Ready"}, want: false},
		"nil":           {args: []any{nil, "Ready"}, want: false},
		"no type":       {args: []any{obj, nil}, err: "type must be a string, not nil"},
		"one argument":  {args: []any{obj}, err: "argument 2 (type) is missing; the form is conditionTrue([object], type)"},
	})
}

func TestRetainsReplicas(t *testing.T) {
	labelled := func(v any) any {
		return object("metadata", object("labels", object("resourcetemplate.karmada.io/retain-replicas", v)))
	}
	examples(t, "retainsReplicas", map[string]example{
		"true":      {args: []any{labelled("true")}, want: true},
		"false":     {args: []any{labelled("false")}, want: false},
		"a boolean": {args: []any{labelled(true)}, want: false},
		"no label":  {args: []any{object("metadata", object("labels", nil))}, want: false},
		"nil":       {args: []any{nil}, want: false},
		"two":       {args: []any{labelled("true"), nil}, err: "2 arguments given; the form is retainsReplicas([object])"},
	})
}

func TestOrNil(t *testing.T) {
	examples(t, "orNil", map[string]example{
		"a list":         {args: []any{[]any{nil}}, want: []any{nil}},
		"an empty list":  {args: []any{[]any{}}},
		"a map":          {args: []any{object("a", false)}, want: object("a", false)},
		"an empty map":   {args: []any{object()}},
		"a map of nulls": {args: []any{object("a", nil)}},
		"nil":            {args: []any{nil}},
		"no argument":    {},
		"a string":       {args: []any{""}, err: "value must be a map or a list, not a string"},
	})
}

func TestFlinkMemory(t *testing.T) {
	examples(t, "flinkMemory", map[string]example{
		"mebibytes":       {args: []any{"1024m"}, want: "1Gi"},
		"2048m":           {args: []any{"2048m"}, want: "2Gi"},
		"upper case":      {args: []any{"1500M"}, want: "1500Mi"},
		"gigabytes":       {args: []any{"2g"}, want: "2Gi"},
		"with a space":    {args: []any{" 1 gb "}, want: "1Gi"},
		"kibibytes":       {args: []any{"512k"}, want: "512Ki"},
		"kb":              {args: []any{"2048 kb"}, want: "2Mi"},
		"terabytes":       {args: []any{"1t"}, want: "1Ti"},
		"tb":              {args: []any{"2TB"}, want: "2Ti"},
		"long name":       {args: []any{"3 mebibytes"}, want: "3Mi"},
		"bytes":           {args: []any{"1073741824"}, want: "1Gi"},
		"bytes with unit": {args: []any{"2097152b"}, want: "2Mi"},
		"odd bytes":       {args: []any{"1025"}, want: "1025"},
		"number":          {args: []any{int64(1048576)}, want: "1Mi"},
		"whole float":     {args: []any{2097152.0}, want: "2Mi"},
		"Kubernetes":      {args: []any{"2Gi"}, want: "2Gi"},
		"zero":            {args: []any{"0"}, want: "0"},
		"nil":             {args: []any{nil}},
		"fraction":        {args: []any{"1.5g"}, err: `the memory size "1.5g" has no unit of Flink: b, k, m, g or t`},
		"unit alone":      {args: []any{"m"}, err: `the memory size "m" does not start with a number`},
		"empty":           {args: []any{""}, err: `the memory size "" does not start with a number`},
		"negative":        {args: []any{"-1m"}, err: `the memory size "-1m" does not start with a number`},
		"negative number": {args: []any{int64(-1)}, err: "the memory size -1 is not a whole number of bytes"},
		"half a byte":     {args: []any{0.5}, err: "the memory size 0.5 is not a whole number of bytes"},
		"too large":       {args: []any{"9999999t"}, err: `the memory size "9999999t" is too large`},
		"unknown unit":    {args: []any{"1p"}, err: `the memory size "1p" has no unit of Flink: b, k, m, g or t`},
		"map":             {args: []any{map[string]any{}}, err: "size must be a quantity, not a map"},
		"fraction read":   {args: []any{" 1.5 gb", true}, want: "1500M"},
		"binary fraction": {args: []any{"0.5gi", true}, want: "512Mi"},
		"no fraction":     {args: []any{"2048m", true}, want: "2Gi"},
		"no number":       {args: []any{".x", true}, err: `".X" is not a quantity such as 500m or 2Gi`},
		"a long fraction": {args: []any{"1." + strings.Repeat("9", 1000), true}, err: `the quantity "` + "1." + strings.Repeat("9", 38) + `..." is out of range`},
		"fraction false":  {args: []any{"1.5g", false}, err: `the memory size "1.5g" has no unit of Flink: b, k, m, g or t`},
	})
}

func TestMerge(t *testing.T) {
	m := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	examples(t, "merge", map[string]example{
		"both":            {args: []any{m("a", int64(1)), m("b", int64(2))}, want: m("a", int64(1), "b", int64(2))},
		"deep":            {args: []any{m("a", m("x", int64(1), "y", int64(2))), m("a", m("y", int64(3)))}, want: m("a", m("x", int64(1), "y", int64(3)))},
		"null deletes":    {args: []any{m("a", int64(1), "b", int64(2)), m("a", nil)}, want: m("b", int64(2))},
		"null in new map": {args: []any{m(), m("a", m("x", nil, "y", int64(1)))}, want: m("a", m("y", int64(1)))},
		"null in target":  {args: []any{m("a", nil), m("b", int64(1))}, want: m("a", nil, "b", int64(1))},
		"list replaces":   {args: []any{m("a", []any{int64(1), int64(2)}), m("a", []any{int64(3)})}, want: m("a", []any{int64(3)})},
		"map over scalar": {args: []any{m("a", int64(1)), m("a", m("x", int64(1)))}, want: m("a", m("x", int64(1)))},
		"scalar over map": {args: []any{m("a", m("x", int64(1))), m("a", int64(1))}, want: m("a", int64(1))},
		"nil target":      {args: []any{nil, m("a", int64(1))}, want: m("a", int64(1))},
		"nil patch":       {args: []any{m("a", int64(1)), nil}, want: m("a", int64(1))},
		"nothing":         {want: m()},
		"empty list":      {args: []any{[]any{}, m("a", int64(1))}, want: m("a", int64(1))},
		"list":            {args: []any{[]any{int64(1)}, m()}, err: "target must be a map, not a list"},
		"string":          {args: []any{m(), "x"}, err: "patch must be a map, not a string"},
	})
}

func TestList(t *testing.T) {
	examples(t, "list", map[string]example{
		"empty": {want: []any{}},
		"items": {args: []any{int64(1), nil, "x"}, want: []any{int64(1), nil, "x"}},
	})
}
