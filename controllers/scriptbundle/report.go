// SPDX-License-Identifier: Apache-2.0

package scriptbundle

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// The reasons of the condition Active beside those of package source.
const (
	// ReasonActive: the wanted revision answers.
	ReasonActive = "Active"
	// ReasonRefused: the wanted revision did not pass a stage.
	ReasonRefused = "Refused"
	// ReasonShadow: the mode is Shadow.
	ReasonShadow = "Shadow"
)

// The reasons of the conditions of stages.
const (
	ReasonPassed  = "Passed"
	ReasonFailed  = "Failed"
	ReasonPending = source.ReasonPending
)

// history is how many revisions are kept.
const history = 3

// maxMessage is less than what the API server accepts.
const maxMessage = 4000

// stages are the conditions that report stages of a store.
var stages = []struct {
	condition string
	stage     bundle.Stage
	passed    string
}{
	{interpreterv1alpha1.ConditionCompiled, bundle.Compiled, "all scripts compile"},
	{interpreterv1alpha1.ConditionChecked, bundle.Checked, "no other bundle answers the same, and its cases pass"},
	{interpreterv1alpha1.ConditionSmokeTested, bundle.SmokeTested, "each script ends on an empty object"},
}

// order are the stages of a store, in order.
var order = []bundle.Stage{bundle.Fetched, bundle.Verified, bundle.Compiled, bundle.Checked, bundle.SmokeTested, bundle.Active}

// isRead reports whether package source has dealt with the generation of a bundle.
func isRead(b *interpreterv1alpha1.ScriptBundle) bool {
	f := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionFetched)
	return f != nil && f.ObservedGeneration == b.Generation
}

// toAnswer returns the revision that is to answer, with its parameters; nil for none.
func toAnswer(b *interpreterv1alpha1.ScriptBundle) *interpreterv1alpha1.BundleRevision {
	if b.Spec.Mode == interpreterv1alpha1.ModeShadow {
		return b.Status.Active
	}
	if b.Status.Wanted == nil {
		return nil
	}
	wanted := *b.Status.Wanted
	wanted.Parameters = b.Spec.Parameters
	return &wanted
}

func appliedOf(r *interpreterv1alpha1.BundleRevision) applied {
	return applied{r.Revision, maps.Clone(r.Parameters)}
}

// report writes the state of a bundle in the store into its status.
func report(b *interpreterv1alpha1.ScriptBundle, s bundle.Status, now time.Time) {
	b.Status.ObservedGeneration = b.Generation
	noteActive(b, s, now)
	if b.Spec.Mode == interpreterv1alpha1.ModeShadow {
		reportShadow(b)
		return
	}
	meta.RemoveStatusCondition(&b.Status.Conditions, interpreterv1alpha1.ConditionShadowed)
	b.Status.Shadow = nil
	if unread := unreadCondition(b); unread != nil {
		reportPending(b)
		reason, message := unread.Reason, unread.Message
		if b.Status.Active != nil {
			message = fmt.Sprintf("revision %s stays active: %s", brief(b.Status.Active), message)
		}
		set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionFalse, reason, message)
		return
	}
	if b.Status.Wanted == nil || s.Wanted != b.Status.Wanted.Revision {
		return // the store has not tried it yet
	}
	ReportStages(b, s)
	switch {
	case s.Stage == bundle.Active:
		set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionTrue, ReasonActive, fmt.Sprintf("the scripts of revision %s answer", brief(b.Status.Wanted)))
	case s.Err != nil:
		set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionFalse, ReasonRefused, fmt.Sprintf("revision %s is not active, and %s: %v", brief(b.Status.Wanted), stays(b), s.Err))
	default:
		set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionUnknown, ReasonPending, fmt.Sprintf("revision %s is tried, and %s", brief(b.Status.Wanted), stays(b)))
	}
}

// stays says what answers while the wanted revision does not.
func stays(b *interpreterv1alpha1.ScriptBundle) string {
	if b.Status.Active == nil {
		return "nothing of this bundle answers"
	}
	return fmt.Sprintf("revision %s stays active", brief(b.Status.Active))
}

// brief names a revision to people.
func brief(r *interpreterv1alpha1.BundleRevision) string {
	if r.Version != "" {
		return fmt.Sprintf("%.12s (%s)", r.Revision, r.Version)
	}
	return fmt.Sprintf("%.12s", r.Revision)
}

// noteActive keeps which revision is active, and which were.
func noteActive(b *interpreterv1alpha1.ScriptBundle, s bundle.Status, now time.Time) {
	active, wanted := b.Status.Active, toAnswer(b)
	if s.Active == "" || s.Stage != bundle.Active || wanted == nil || wanted.Revision != s.Active {
		return // what is active is what was before
	}
	if active != nil && active.Revision == wanted.Revision {
		if maps.Equal(active.Parameters, wanted.Parameters) {
			return
		}
		active.Parameters = wanted.Parameters
		b.Status.History[0] = *active
		return
	}
	next := *wanted
	next.Since = metav1.Time{Time: now}
	b.Status.Active = &next
	others := slices.DeleteFunc(slices.Clone(b.Status.History), func(r interpreterv1alpha1.BundleRevision) bool { return r.Revision == next.Revision })
	b.Status.History = append([]interpreterv1alpha1.BundleRevision{next}, others[:min(len(others), history-1)]...)
}

// unreadCondition returns the condition of package source because of which there is nothing to
// activate. A source that cannot be read is none where something is wanted: it is active, or is
// activated.
func unreadCondition(b *interpreterv1alpha1.ScriptBundle) *metav1.Condition {
	fetched := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionFetched)
	verified := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionVerified)
	switch {
	case verified != nil && verified.Status == metav1.ConditionFalse:
		return verified
	case fetched != nil && fetched.Status != metav1.ConditionTrue && (b.Status.Wanted == nil || fetched.Reason == source.ReasonNotKept):
		return fetched
	}
	return nil
}

// ReportStages writes which stages a revision has passed. What is wrong with the values of parameters is
// found before anything is compiled, and reported there: Verified is what package source writes.
func ReportStages(b *interpreterv1alpha1.ScriptBundle, s bundle.Status) {
	reached, failed := slices.Index(order, s.Stage), s.Err != nil
	for _, st := range stages {
		switch {
		case slices.Index(order, st.stage) <= reached:
			set(b, st.condition, metav1.ConditionTrue, ReasonPassed, st.passed)
		case failed:
			set(b, st.condition, metav1.ConditionFalse, ReasonFailed, s.Err.Error())
			failed = false
		default:
			set(b, st.condition, metav1.ConditionUnknown, ReasonPending, "a stage before it has not passed")
		}
	}
}

// reportPending writes that no stage was reached.
func reportPending(b *interpreterv1alpha1.ScriptBundle) {
	for _, st := range stages {
		set(b, st.condition, metav1.ConditionUnknown, ReasonPending, "a stage before it has not passed")
	}
}

// reportShadow writes what answers in the mode Shadow; the stages are those that package shadow
// reports.
func reportShadow(b *interpreterv1alpha1.ScriptBundle) {
	if b.Status.Active == nil {
		set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionFalse, ReasonShadow, "nothing of this bundle answers in the mode Shadow; dragoman promote activates it")
		return
	}
	set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionTrue, ReasonShadow,
		fmt.Sprintf("the scripts of revision %s answer; a new revision is only evaluated beside them in the mode Shadow", brief(b.Status.Active)))
}

// reportUnread writes that what is to be activated could not be read.
func reportUnread(b *interpreterv1alpha1.ScriptBundle, err error) {
	set(b, interpreterv1alpha1.ConditionActive, metav1.ConditionUnknown, ReasonPending, fmt.Sprintf("%s: %v", stays(b), err))
}

func activeCondition(b *interpreterv1alpha1.ScriptBundle) metav1.Condition {
	if c := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionActive); c != nil {
		return *c
	}
	return metav1.Condition{}
}

func set(b *interpreterv1alpha1.ScriptBundle, condition string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
		Type: condition, Status: status, Reason: reason, Message: base.Clip(message, maxMessage), ObservedGeneration: b.Generation,
	})
}
