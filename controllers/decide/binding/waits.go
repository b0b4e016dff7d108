// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Wait is what an eviction waits for.
type Wait struct {
	// Reason is one of the reasons of the condition FailedOver; empty if there is no
	// eviction.
	Reason string
	// Message names the clusters, what ends the wait, and what a person can do. It does not
	// change with the time.
	Message string
	// Stuck means that the wait does not end by itself unless something else changes.
	Stuck bool
	// Pending means that the scheduler is about to decide: what was reported before holds.
	Pending bool
}

// WaitsFor returns what the evictions of a binding wait for. timeout is for tasks without a
// grace period of their own.
func WaitsFor(b workv1alpha2.Binding, timeout time.Duration) Wait {
	spec := b.GetSpec()
	t := openTasks(spec, timeout)
	switch {
	case len(spec.GracefulEvictionTasks) == 0:
		return Wait{}
	case CopiesOf(spec).Stranded():
		return stranded(b)
	case isMovedDirectly(b) && !IsDecided(b) && !isPaused(b):
		return Wait{Pending: true}
	case isRefused(b) && IsMovable(b):
		return homeless(b)
	case len(t.ending) == 0 && all(spec, b.GetStatus(), isHealthy):
		return confirmation(t.unconfirmed)
	}
	w := newCopies(b, t.ending, t.end)
	switch {
	case w.Reason == "":
		return held(b)
	case t.staying && w.Reason == workv1alpha2.NewCopyReason && !t.end.IsZero():
		w.Message += ", unless the old copy is better then"
	}
	return w
}

// stranded returns what a binding without targets waits for.
func stranded(b workv1alpha2.Binding) Wait {
	switch {
	case unreleased(b.GetSpec()) == "":
		return Wait{} // no copy stays
	case isRequested(b) && !IsMovable(b):
		return paused(b, unreleased(b.GetSpec()))
	case !meta.IsStatusConditionFalse(b.GetStatus().Conditions, workv1alpha2.Scheduled):
		return Wait{Pending: true}
	}
	return homeless(b)
}

// held returns what a binding waits for whose new copies lack nothing: where it has too few, and nothing
// chooses more, old ones stay.
func held(b workv1alpha2.Binding) Wait {
	if old := staysIn(b); old != "" && !IsMovable(b) && (isHeld(b) || isShort(b)) {
		return paused(b, old)
	}
	return Wait{}
}

// tasksThatWait are the clusters whose tasks have not ended.
type tasksThatWait struct {
	// ending are those of tasks that end by themselves, at end if nothing happens before;
	// unconfirmed those of tasks that only the user ends.
	ending, unconfirmed []string
	end                 time.Time
	// staying means that a copy is there whose task ends by itself.
	staying bool
}

func openTasks(spec *workv1alpha2.ResourceBindingSpec, timeout time.Duration) tasksThatWait {
	var t tasksThatWait
	for i := range spec.GracefulEvictionTasks {
		switch task := &spec.GracefulEvictionTasks[i]; {
		case isReleased(task):
		case task.SuppressDeletion != nil:
			t.unconfirmed = append(t.unconfirmed, task.FromCluster)
		default:
			t.ending, t.staying = append(t.ending, task.FromCluster), t.staying || !isDirect(task)
			if task.CreationTimestamp != nil && (t.end.IsZero() || deadline(task, timeout).Before(t.end)) {
				t.end = deadline(task, timeout)
			}
		}
	}
	return t
}

// unreleased returns the clusters whose tasks the user has not let go.
func unreleased(spec *workv1alpha2.ResourceBindingSpec) string {
	var staying []string
	for i := range spec.GracefulEvictionTasks {
		if !isReleased(&spec.GracefulEvictionTasks[i]) {
			staying = append(staying, spec.GracefulEvictionTasks[i].FromCluster)
		}
	}
	return strings.Join(staying, ", ")
}

// paused returns what a binding waits for whose scheduling was suspended, or whose policy was deleted,
// in the middle of a move, with the clusters whose copies stay.
func paused(b workv1alpha2.Binding, old string) Wait {
	if IsGoverned(b) {
		return Wait{Reason: workv1alpha2.SchedulingSuspendedReason, Stuck: true, Message: fmt.Sprintf(
			"scheduling is suspended, so that no other cluster is chosen: the copy in cluster %s stays; it goes on when spec.suspension.scheduling of the binding is not true any more",
			old)}
	}
	return Wait{Reason: workv1alpha2.NoPolicyReason, Stuck: true, Message: fmt.Sprintf(
		"its policy is gone, so that no other cluster is chosen: the copy in cluster %s stays; it goes on when a policy selects the template, or once suppressDeletion of its task is set to false",
		old)}
}

// staysIn returns the clusters that a binding is evicted from, and where a copy is reported.
func staysIn(b workv1alpha2.Binding) string {
	var clusters []string
	for _, cluster := range slices.Sorted(maps.Keys(Evicting(b.GetSpec()))) {
		if itemOn(b.GetStatus(), cluster) != nil && !isTarget(b.GetSpec(), cluster) {
			clusters = append(clusters, cluster)
		}
	}
	return strings.Join(clusters, ", ")
}

// homeless returns what a binding waits for that has no target, or none for one of its copies.
func homeless(b workv1alpha2.Binding) Wait {
	w := Wait{Reason: workv1alpha2.NoClusterReason, Stuck: true, Message: fmt.Sprintf(
		"no other cluster takes it: the copy in cluster %s stays and gets changes of the template", unreleased(b.GetSpec()))}
	if refused := Refusals(b); len(refused) > 0 {
		w.Message += "; refused by " + list(slices.Sorted(maps.Keys(refused)))
	}
	w.Message += "; it goes on when the copy is healthy again, the template changes, or a cluster fits, which the condition Scheduled is about"
	if again := nextTry(b); !again.IsZero() {
		w.Message += "; clusters where it failed are tried again from " + again.UTC().Format(time.RFC3339)
	}
	return w
}

// nextTry returns when the first exclusion ends that a failure of the present template has
// brought; zero if there is none.
func nextTry(b workv1alpha2.Binding) time.Time {
	var first time.Time
	for _, f := range Failures(b) {
		if f.Template == b.GetSpec().Resource.ResourceVersion && (first.IsZero() || f.until().Before(first)) {
			first = f.until()
		}
	}
	return first
}

// confirmation returns that copies wait for a person.
func confirmation(clusters []string) Wait {
	if len(clusters) == 0 {
		return Wait{}
	}
	return Wait{Reason: workv1alpha2.ConfirmationReason, Message: fmt.Sprintf(
		"the copy in cluster %s is kept until suppressDeletion of its task is set to false", strings.Join(clusters, ", "))}
}

// newCopies returns what is missing of the new copies.
func newCopies(b workv1alpha2.Binding, ending []string, end time.Time) Wait {
	status := b.GetStatus()
	rendered := meta.FindStatusCondition(status.Conditions, workv1alpha2.Rendered)
	var missing, failed []string
	for _, t := range b.GetSpec().Clusters {
		item := itemOn(status, t.Name)
		switch {
		case item == nil && rendered != nil && rendered.Status == metav1.ConditionFalse:
			return Wait{Reason: rendered.Reason, Message: rendered.Message, Stuck: true}
		case item != nil && !item.Applied && !Expected(item) && item.AppliedMessage != "":
			failed = append(failed, fmt.Sprintf("in cluster %s: %s", t.Name, item.AppliedMessage))
		case item == nil || !isHealthy(item):
			missing = append(missing, t.Name)
		}
	}
	switch {
	case len(failed) > 0:
		return Wait{Reason: workv1alpha2.NewCopyFailedReason, Stuck: true, Message: fmt.Sprintf(
			"the new copy could not be created %s; %s", strings.Join(failed, "; "), stays(ending))}
	case len(missing) == 0:
		return Wait{}
	}
	w := Wait{Reason: workv1alpha2.NewCopyReason, Message: fmt.Sprintf("the new copy in cluster %s is not healthy yet", strings.Join(missing, ", "))}
	if !end.IsZero() {
		w.Message += "; the eviction from cluster " + strings.Join(ending, ", ") + " ends when it is, or at " + end.UTC().Format(time.RFC3339)
	}
	return w
}

func stays(clusters []string) string {
	if len(clusters) == 0 {
		return "old copies stay"
	}
	return fmt.Sprintf("the eviction from cluster %s waits for it", strings.Join(clusters, ", "))
}

// maxWait bounds the message of the condition, in bytes.
const maxWait = 4096

// FailedOver returns the conditions of a binding with what its evictions wait for: the
// condition FailedOver is False while they do, and absent otherwise.
func FailedOver(b workv1alpha2.Binding, w Wait) []metav1.Condition {
	conditions := slices.Clone(b.GetStatus().Conditions)
	if w.Pending {
		return conditions
	}
	if w.Reason == "" {
		meta.RemoveStatusCondition(&conditions, workv1alpha2.FailedOver)
		return conditions
	}
	if len(w.Message) > maxWait {
		w.Message = strings.ToValidUTF8(w.Message[:maxWait], "")
	}
	if c := meta.FindStatusCondition(conditions, workv1alpha2.FailedOver); c != nil && c.Reason == w.Reason && c.Message == w.Message {
		return conditions // the generation alone is worth no write
	}
	meta.SetStatusCondition(&conditions, metav1.Condition{
		Type: workv1alpha2.FailedOver, Status: metav1.ConditionFalse, Reason: w.Reason, Message: w.Message, ObservedGeneration: b.GetGeneration(),
	})
	return conditions
}
