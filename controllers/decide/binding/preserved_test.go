// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestRuleProblems(t *testing.T) {
	const missing, invalid, value = workv1alpha2.PathNotFoundReason, workv1alpha2.InvalidRuleReason, workv1alpha2.InvalidLabelValueReason
	cases := map[string]struct {
		reason, key, path string
		unhealthy         bool
		want, message     string // want is the reason of the condition
	}{
		"Good":          {reason: "a rule that names a label is none", key: "job", path: "{.jobStatus.jobId}"},
		"Key":           {reason: "the key names its field", key: "no/such/key", path: "{.replicas}", want: invalid, message: `spec.failover.cluster.statePreservation.rules[0] (no/such/key, {.replicas}): aliasLabelName "no/such/key" cannot be the key of a label: `},
		"LongPrefix":    {reason: "also where only its prefix is too long", key: strings.Repeat("a", 254) + "/b", path: "{.replicas}", want: invalid, message: "no more than 253"},
		"Path":          {reason: "and the path, whatever the status is", key: "job", path: "{.a[}", unhealthy: true, want: invalid, message: "jsonPath is not a JSONPath: unterminated array; mend the rule in the policy"},
		"Value":         {reason: "a value says where it is", key: "job", path: "{.s}", want: value, message: `cluster a: spec.failover.cluster.statePreservation.rules[0] (job, {.s}): the value "abc def" cannot be a label: `},
		"LongValue":     {reason: "and is cut", key: "job", path: strings.Repeat("{.jobStatus.jobId}", 100), want: value, message: `…" cannot be a label`},
		"Missing":       {reason: "a path that a healthy copy lacks is one", key: "job", path: "{.missing}", want: missing, message: "mend the path in the policy if"},
		"MissingForNow": {reason: "that another lacks may come", key: "job", path: "{.missing}", unhealthy: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: tc.key, JSONPath: tc.path}}}
			_, err := ExtractState(r, []byte(reportedStatus))
			got := RuleProblems(err, "a", "cluster", !tc.unhealthy)
			switch {
			case tc.want == "" && len(got) > 0:
				t.Errorf("%s: got %v", tc.reason, got)
			case tc.want != "" && (len(got) != 1 || got[0].Reason != tc.want || !strings.Contains(got[0].Message, tc.message)):
				t.Errorf("%s: got %v, want %s with %q", tc.reason, got, tc.want, tc.message)
			}
		})
	}
}

func TestUnnamed(t *testing.T) {
	r := &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{
		{AliasLabelName: "no/such/key", JSONPath: "{.replicas}"}, {AliasLabelName: "x", JSONPath: "{.missing}"}, {AliasLabelName: "y", JSONPath: "{.s}"},
	}}
	_, err := ExtractState(r, []byte(reportedStatus))
	_, unreadable := ExtractState(r, []byte("{"))
	cases := map[string]struct {
		reason           string
		err              error
		labels           map[string]string
		missing, invalid int
	}{
		"None":        {reason: "no error is none"},
		"All":         {reason: "what may be named later is missing, what never is is invalid", err: err, missing: 2, invalid: 1},
		"Kept":        {reason: "what is kept is not missing", err: err, labels: map[string]string{"x": "1"}, missing: 1, invalid: 1},
		"Unreadable":  {reason: "without a status all is", err: unreadable, missing: 1},
		"AllTheSame":  {reason: "unless all is kept", err: unreadable, labels: map[string]string{"no/such/key": "1", "x": "1", "y": "1"}},
		"OtherErrors": {reason: "an error of another sort keeps the failover waiting", err: errors.New("other"), missing: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if missing, invalid := Unnamed(r, tc.err, tc.labels); len(missing) != tc.missing || len(invalid) != tc.invalid {
				t.Errorf("%s: missing %v, invalid %v", tc.reason, missing, invalid)
			}
		})
	}
}

func TestSetStatePreserved(t *testing.T) {
	other := metav1.Condition{Type: workv1alpha2.Scheduled, Status: metav1.ConditionTrue}
	one, two := Problem{"First", "a is wrong"}, Problem{"Second", "b is wrong"}
	conditions := SetStatePreserved([]metav1.Condition{other}, []Problem{one, two, one}, 7)
	c := meta.FindStatusCondition(conditions, workv1alpha2.StatePreserved)
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != "First" || c.Message != "a is wrong; and b is wrong" || c.ObservedGeneration != 7 {
		t.Errorf("the condition has each problem once, got %+v", c)
	}
	if left := SetStatePreserved(conditions, nil, 7); len(left) != 1 || left[0].Type != workv1alpha2.Scheduled {
		t.Errorf("without problems it is absent, got %v", left)
	}
	var many []Problem
	for i := range 300 {
		many = append(many, Problem{"Many", fmt.Sprintf("%d: %s", i, strings.Repeat("ü", 30))})
	}
	if c := SetStatePreserved(nil, many, 1)[0]; len(c.Message) > maxPreservedMessage || !strings.HasSuffix(c.Message, "...") {
		t.Errorf("the message has %d bytes and ends in %q", len(c.Message), c.Message[len(c.Message)-10:])
	}
}

func TestCarriedProblems(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	if err := SetCarriedStates(b, []Carried{{From: "a", To: "b", Labels: map[string]string{"job": "1", "no/such/key": "2"}}}); err != nil {
		t.Fatal(err)
	}
	got := CarriedProblems(b)
	if len(got) != 1 || !strings.HasPrefix(got[0].Message, `the state from cluster a: "no/such/key" cannot be the key of a label: `) || !strings.Contains(got[0].Message, "it is left out") {
		t.Errorf("got %v", got)
	}
}

func TestOversized(t *testing.T) {
	large := NewReport("b", true, map[string]string{"x": strings.Repeat("v", 17<<10)})
	got := Oversized([]Report{NewReport("c", true, map[string]string{"x": "1"}), large})
	if !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %v, want b", got)
	}
	if p := TooLarge(got); len(p) != 1 || p[0].Reason != workv1alpha2.StateTooLargeReason || !strings.Contains(p[0].Message, "the state of b is larger than what is kept (16 KiB for a cluster, 96 KiB in all)") {
		t.Errorf("got %v", p)
	}
	if TooLarge(nil) != nil {
		t.Error("none is no problem")
	}
}

func TestIsNews(t *testing.T) {
	kept := []Kept{{Cluster: "a", Labels: []KeptLabel{{Key: "job", Path: "{.job}", Value: "1"}}}}
	cases := map[string]struct {
		reason, last, now string
		want              bool
	}{
		"Same":  {"what the last report had is not", "healthy job=2", "healthy job=2", false},
		"Other": {"another value is", "healthy job=2", "healthy job=3", true},
		"Kept":  {"what is kept is not", "healthy", "healthy job=1", false},
		"First": {"what was not there is", "healthy job=2", "healthy job=2 path=x", true},
		"Lost":  {"what is lost is not", "healthy job=2", "healthy", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsNews(kept, reportSaid("a", tc.last), reportSaid("a", tc.now)); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}
