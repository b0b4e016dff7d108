// SPDX-License-Identifier: Apache-2.0

package scriptbundle

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// at returns a revision of one digit.
func at(digit, version string) interpreterv1alpha1.BundleRevision {
	return interpreterv1alpha1.BundleRevision{Revision: strings.Repeat(digit, 64), Version: version}
}

// TestReport has what the conditions and the history are after a state of the store.
func TestReport(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	wrong := errors.New("scriptbundle/b/Site/health.lua:2:1: syntax error")
	one, two := at("1", "1.0.0"), at("2", "2.0.0")
	failed := func(c string) metav1.Condition {
		return metav1.Condition{Type: c, Status: metav1.ConditionFalse, Reason: "Why", Message: "why"}
	}
	for name, tc := range map[string]struct {
		reason  string
		mode    interpreterv1alpha1.BundleMode
		wanted  *interpreterv1alpha1.BundleRevision
		history []interpreterv1alpha1.BundleRevision
		source  []metav1.Condition
		state   bundle.Status
		want    []string
	}{
		"Active": {
			reason: "the first revision passed all stages", wanted: &one,
			state: bundle.Status{Stage: bundle.Active, Wanted: one.Revision, Active: one.Revision},
			want:  []string{"Compiled True", "Checked True", "SmokeTested True", "Active True the scripts of revision 111111111111 (1.0.0) answer", "history 1.0.0"},
		},
		"Next": {
			reason: "the one before is kept", wanted: &two, history: []interpreterv1alpha1.BundleRevision{one},
			state: bundle.Status{Stage: bundle.Active, Wanted: two.Revision, Active: two.Revision},
			want:  []string{"Compiled True", "Checked True", "SmokeTested True", "Active True the scripts of revision 222222222222 (2.0.0) answer", "history 2.0.0 1.0.0"},
		},
		"NotCompiled": {
			reason: "the stage has the reason, and those after it none", wanted: &two, history: []interpreterv1alpha1.BundleRevision{one},
			state: bundle.Status{Stage: bundle.Verified, Wanted: two.Revision, Active: one.Revision, Err: wrong},
			want: []string{
				"Compiled False " + wrong.Error(), "Checked Unknown", "SmokeTested Unknown",
				"Active False revision 222222222222 (2.0.0) is not active, and revision 111111111111 (1.0.0) stays active: " + wrong.Error(), "history 1.0.0",
			},
		},
		"WrongParameter": {
			reason: "a second report must not take it for a source that is not verified", wanted: &two,
			state: bundle.Status{Stage: bundle.Fetched, Wanted: two.Revision, Err: wrong},
			want: []string{
				"Compiled False " + wrong.Error(), "Checked Unknown", "SmokeTested Unknown",
				"Active False revision 222222222222 (2.0.0) is not active, and nothing of this bundle answers: " + wrong.Error(), "history",
			},
		},
		"NotChecked": {
			reason: "nothing was active before", wanted: &two,
			state: bundle.Status{Stage: bundle.Compiled, Wanted: two.Revision, Err: wrong},
			want: []string{
				"Compiled True", "Checked False " + wrong.Error(), "SmokeTested Unknown",
				"Active False revision 222222222222 (2.0.0) is not active, and nothing of this bundle answers: " + wrong.Error(), "history",
			},
		},
		"OfAnotherRevision": {
			reason: "the store has not got this one yet", wanted: &two, history: []interpreterv1alpha1.BundleRevision{one},
			state: bundle.Status{Stage: bundle.Active, Wanted: one.Revision, Active: one.Revision},
			want:  []string{"history 1.0.0"},
		},
		"Underway": {
			reason: "it takes long to try", wanted: &two, history: []interpreterv1alpha1.BundleRevision{one},
			state: bundle.Status{Stage: bundle.Compiled, Wanted: two.Revision, Active: one.Revision},
			want: []string{
				"Compiled True", "Checked Unknown", "SmokeTested Unknown",
				"Active Unknown revision 222222222222 (2.0.0) is tried, and revision 111111111111 (1.0.0) stays active", "history 1.0.0",
			},
		},
		"NotVerified": {
			reason: "what is wanted is what was verified before", wanted: &one, history: []interpreterv1alpha1.BundleRevision{one},
			source: []metav1.Condition{failed(interpreterv1alpha1.ConditionVerified)},
			state:  bundle.Status{Stage: bundle.Active, Wanted: one.Revision, Active: one.Revision},
			want:   []string{"Compiled Unknown", "Checked Unknown", "SmokeTested Unknown", "Active False revision 111111111111 (1.0.0) stays active: why", "history 1.0.0"},
		},
		"Away": {
			reason: "what is active is what was wanted last", wanted: &one, history: []interpreterv1alpha1.BundleRevision{one},
			source: []metav1.Condition{failed(interpreterv1alpha1.ConditionFetched)},
			state:  bundle.Status{Stage: bundle.Active, Wanted: one.Revision, Active: one.Revision},
			want:   []string{"Compiled True", "Checked True", "SmokeTested True", "Active True the scripts of revision 111111111111 (1.0.0) answer", "history 1.0.0"},
		},
		"NeverThere": {
			reason: "there is nothing to activate",
			source: []metav1.Condition{failed(interpreterv1alpha1.ConditionFetched)},
			want:   []string{"Compiled Unknown", "Checked Unknown", "SmokeTested Unknown", "Active False why", "history"},
		},
		"NotKept": {
			reason: "spec.revision names one that is gone", wanted: &one, history: []interpreterv1alpha1.BundleRevision{one},
			source: []metav1.Condition{{Type: interpreterv1alpha1.ConditionFetched, Status: metav1.ConditionFalse, Reason: source.ReasonNotKept, Message: "gone"}},
			state:  bundle.Status{Stage: bundle.Active, Wanted: one.Revision, Active: one.Revision},
			want:   []string{"Compiled Unknown", "Checked Unknown", "SmokeTested Unknown", "Active False revision 111111111111 (1.0.0) stays active: gone", "history 1.0.0"},
		},
		"Shadow": {
			reason: "what was active stays", mode: interpreterv1alpha1.ModeShadow, wanted: &two, history: []interpreterv1alpha1.BundleRevision{one},
			state: bundle.Status{Stage: bundle.Active, Wanted: one.Revision, Active: one.Revision},
			want: []string{
				"Active True the scripts of revision 111111111111 (1.0.0) answer; a new revision is only evaluated beside them in the mode Shadow", "history 1.0.0",
			},
		},
		"ShadowOfNothing": {
			reason: "nothing answers", mode: interpreterv1alpha1.ModeShadow, wanted: &two,
			want: []string{"Active False nothing of this bundle answers in the mode Shadow; dragoman promote activates it", "history"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &interpreterv1alpha1.ScriptBundle{Spec: interpreterv1alpha1.ScriptBundleSpec{Mode: tc.mode}}
			b.Status.Wanted, b.Status.History, b.Status.Conditions = tc.wanted, tc.history, tc.source
			if len(tc.history) > 0 {
				b.Status.Active = &tc.history[0]
			}
			report(b, tc.state, now)
			report(b, tc.state, now) // what was written before changes nothing
			var got []string
			for _, c := range b.Status.Conditions[len(tc.source):] {
				line := c.Type + " " + string(c.Status)
				if c.Status == metav1.ConditionFalse || c.Type == interpreterv1alpha1.ConditionActive {
					line += " " + c.Message
				}
				got = append(got, line)
			}
			versions := "history"
			for _, r := range b.Status.History {
				versions += " " + r.Version
			}
			if diff := cmp.Diff(tc.want, append(got, versions)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHistoryKeepsThree(t *testing.T) {
	b := &interpreterv1alpha1.ScriptBundle{}
	var versions []string
	for _, digit := range []string{"1", "2", "3", "4", "2"} {
		r := at(digit, digit)
		b.Status.Wanted = &r
		report(b, bundle.Status{Stage: bundle.Active, Wanted: r.Revision, Active: r.Revision}, time.Unix(0, 0))
		var now string
		for _, h := range b.Status.History {
			now += h.Version
		}
		versions = append(versions, now)
	}
	if diff := cmp.Diff([]string{"1", "21", "321", "432", "243"}, versions); diff != "" {
		t.Errorf("the newest comes first, and each is there once (-want +got):\n%s", diff)
	}
}
