// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// reportedStatus is the status that the table of the published behaviour was made
// with, and some more.
const reportedStatus = `{
	"replicas": 2, "ts": 1734462491693, "big": 100000000, "med": 2097152, "half": 2.5,
	"s": "abc def", "n": null, "b": true, "m": {"k": "v"}, "list": ["a", "b"],
	"jobStatus": {"jobId": "e6fd", "job_name": "x"}
}`

func rules(paths ...string) *policyv1alpha1.StatePreservation {
	p := &policyv1alpha1.StatePreservation{}
	for _, path := range paths {
		p.Rules = append(p.Rules, policyv1alpha1.StatePreservationRule{AliasLabelName: "alias", JSONPath: path})
	}
	return p
}

func TestExtractState(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   string
		want   string
		fails  string // a part of the error
	}{
		"Number":             {reason: "a whole number is written as it is", path: "{.replicas}", want: "2"},
		"Timestamp":          {reason: "also a large one: no exponent, which is no label", path: "{.ts}", want: "1734462491693"},
		"Big":                {reason: "nor a rounded one", path: "{.big}", want: "100000000"},
		"Med":                {reason: "of any size", path: "{.med}", want: "2097152"},
		"Half":               {reason: "a fraction stays one", path: "{.half}", want: "2.5"},
		"Text":               {reason: "a text is taken as it is", path: "{.jobStatus.jobId}", want: "e6fd"},
		"Bool":               {reason: "a boolean is its word", path: "{.b}", want: "true"},
		"Joined":             {reason: "text around the braces stays", path: "x-{.jobStatus.jobId}", want: "x-e6fd"},
		"Literal":            {reason: "a path without braces is a text", path: "true", want: "true"},
		"LiteralPath":        {reason: "also where it looks like a path", path: ".replicas", fails: `".replicas" cannot be a label`},
		"NoMatch":            {reason: "a filter that matches nothing is empty", path: `{.list[?(@=="zz")]}`, want: ""},
		"Empty":              {reason: "an empty path is empty", path: "", want: ""},
		"Null":               {reason: "null is its word, as published", path: "{.n}", want: "null"},
		"Space":              {reason: "a value that cannot be a label is an error", path: "{.s}", fails: `"abc def" cannot be a label`},
		"Map":                {reason: "a map cannot be a label", path: "{.m}", fails: "cannot be a label"},
		"List":               {reason: "nor can a list", path: "{.list}", fails: "cannot be a label"},
		"Missing":            {reason: "a missing field is an error that names the rule", path: "{.missing}", fails: "statePreservation.rules[0] (alias, {.missing}): missing is not found"},
		"MissingIndex":       {reason: "so is a missing item", path: "{.list[5]}", fails: "out of bounds"},
		"FromTheTop":         {reason: "the root is the status: the path does not begin with it", path: "{.status.replicas}", fails: "status is not found"},
		"OtherCase":          {reason: "a field of the same letters is what was meant", path: "{ .jobStatus.jobID }", fails: "did you mean { .jobStatus.jobId }?"},
		"OtherUnderscore":    {reason: "or one with underscores", path: "{.jobStatus.jobName}", fails: "did you mean { .jobStatus.job_name }?"},
		"OtherCaseAbove":     {reason: "also above the last field", path: "{.jobstatus.jobId}", fails: "did you mean { .jobStatus.jobId }?"},
		"NotAPath":           {reason: "what does not parse is an error", path: "{.replicas", fails: "is not a JSONPath"},
		"MissingNothingNear": {reason: "no guess is better than a wild one", path: "{.jobStatus.state}", fails: "state is not found"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ExtractState(rules(tc.path), []byte(reportedStatus))
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("%s: extract %s: error %v, want one with %q", tc.reason, tc.path, err, tc.fails)
				}
				return
			}
			if err != nil || got["alias"] != tc.want {
				t.Errorf("%s: extract %s = %q, %v; want %q", tc.reason, tc.path, got["alias"], err, tc.want)
			}
		})
	}
}

func TestExtractStateHintsOnlyWhereItIsMeant(t *testing.T) {
	_, err := ExtractState(rules("{.jobStatus.state}"), []byte(reportedStatus))
	if err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("there is no field like it: %v", err)
	}
}

func TestExtractStateSeveral(t *testing.T) {
	p := rules("{.replicas}", "{.missing}", "{.s}")
	p.Rules[0].AliasLabelName, p.Rules[1].AliasLabelName = "good", "bad"
	got, err := ExtractState(p, []byte(reportedStatus))
	if diff := cmp.Diff(map[string]string{"good": "2"}, got); diff != "" {
		t.Errorf("what can be read is given beside the errors (-want +got):\n%s", diff)
	}
	for _, part := range []string{"rules[1] (bad", "rules[2] (alias"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("each broken rule is named: error %v lacks %q", err, part)
		}
	}
}

func TestExtractStateWithoutStatus(t *testing.T) {
	if got, err := ExtractState(nil, nil); got != nil || err != nil {
		t.Errorf("without rules there is no state: %v, %v", got, err)
	}
	if _, err := ExtractState(rules("{.replicas}"), nil); err == nil {
		t.Error("without a status a path is an error")
	}
	if got, err := ExtractState(rules("true"), nil); err != nil || got["alias"] != "true" {
		t.Errorf("a text needs no status: %v, %v", got, err)
	}
	if _, err := ExtractState(rules("{.replicas}"), []byte("{")); err == nil {
		t.Error("a status that is no JSON is an error")
	}
}

// nested returns JSON of levels of {"a": ...}.
func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

func TestExtractStateIsBounded(t *testing.T) {
	cases := map[string]struct{ path, status, fails string }{
		"DepthByDepth": {"{..a..a..a..a..a}", nested(60), "costs too much on this status"},
		"Deeper":       {"{..a..a..a}", nested(200), "costs too much on this status"},
		"Whole":        {strings.Repeat("{@}", 1365), `"` + strings.Repeat("x", 1<<20) + `"`, "cannot be a label"},
		"Range":        {"{range .a[*]}" + strings.Repeat("x", 4000) + "{end}", `{"a": [` + strings.Repeat("1,", 50_000) + "1]}", "costs too much on this status"},
		"Item":         {"{[0]}", "null", "not array"},
		"ManyFields": {"{.B}", `{"b": 1` + func() string {
			var b strings.Builder
			for i := range 60_000 {
				fmt.Fprintf(&b, `,"k%d": 1`, i)
			}
			return b.String()
		}() + "}", "B is not found"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := slices.Repeat([]string{tc.path}, 64) // as many as the CRD admits
			if _, err := ExtractState(rules(all...), []byte(tc.status)); err == nil || !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("error %.200v, want one with %q", err, tc.fails)
			}
		})
	}
}

func TestExtractStateIsFairAmongRules(t *testing.T) {
	p := rules("{..a..a..a..a..a}", "{.a.a.b}")
	p.Rules[0].AliasLabelName, p.Rules[1].AliasLabelName = "hostile", "honest"
	got, err := ExtractState(p, []byte(`{"a": {"a": `+strings.TrimSuffix(nested(60), "}")+`, "b": "yes"}}}`))
	if got["honest"] != "yes" || err == nil {
		t.Errorf("the honest rule has %q, error %.200v", got["honest"], err)
	}
}
