// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/eviction"
)

const (
	// Patience is how long old copies stay since the binding does not have what they report: a copy
	// may report more often than its binding is written. It is also how long a binding says nothing
	// about new copies that wait; most old ones are gone within a second or two.
	Patience = 5 * time.Second
	// ReadAgain is the time between two looks at whether a binding has what an old copy reports: its
	// event enqueues the binding too, which the eviction may not have renewed then.
	ReadAgain = 100 * time.Millisecond
)

// Answer is what became of the question to a cluster whether it would take the new copy. The zero value
// is that it would.
type Answer struct {
	// Refused is why it would not.
	Refused error
	// Unreached is why it could not be asked. Again is when it is asked once more; 0 is not decided.
	Unreached error
	Again     time.Duration
	// Waits is why it was not asked yet, or has not answered.
	Waits string
	// Failed means that there is no copy to ask about: it could not be rendered.
	Failed bool
}

// MayRefuse reports whether an answer may take its cluster away from the targets of a binding.
func (a Answer) MayRefuse() bool { return a.Refused != nil || a.Unreached != nil }

// Trial is what is read before old copies go for new ones, beside what the plan was made of.
type Trial struct {
	// Answers are those of the clusters in Plan.Waiting, by cluster.
	Answers map[string]Answer
	// Backoff is for how long a cluster is not chosen that refused.
	Backoff binding.Backoff
	// Clip shortens the answer of a cluster to what a binding keeps of it.
	Clip func(why string) string
	// Carries means that failovers carry state over; NamesState reports whether a script names the
	// state of the kind.
	Carries    bool
	NamesState func() bool
	// UnreadSince is the one of the outcome before, of the same binding; zero is none.
	UnreadSince time.Time
}

// Outcome is what becomes of the Works that a plan replaces.
type Outcome struct {
	// Refused is why clusters would not take the new copy. They are no targets of the binding any more,
	// which is to be written; nothing else is done then.
	Refused map[string]error
	// Delete are old copies that go now; Exact means only as they were read: one that has reported
	// anything else since is a conflict.
	Delete []*workv1alpha1.Work
	Exact  bool
	// Waiting is why clusters have not answered, in the order of the targets.
	Waiting []string
	// Ask are clusters that are to be asked once more, after a time that grows.
	Ask []string
	// UnreadSince is since when old copies stay since the binding does not have what they report; zero
	// where it has. Late means that this has been for too long, and is not waited for any more.
	UnreadSince time.Time
	Late        bool
	// Wait is when to decide again without an event; 0 is not.
	Wait time.Duration
}

// Exchange decides whether the old copies of a plan go for new ones: once the clusters of all new
// copies would take these, with the state that they get. One that would not is no target any more, and
// counts as one where the application failed. What is left to replace stays in the plan.
func (p *Plan) Exchange(b workv1alpha2.Binding, t Trial, now time.Time) (Outcome, error) {
	if len(p.Replace) == 0 {
		return Outcome{}, nil
	}
	// 1. Would the clusters of the new copies take them?
	o, failed := Outcome{UnreadSince: t.UnreadSince}, false
	for _, target := range binding.Targets(b.GetSpec()) {
		if !slices.Contains(p.Waiting, target.Name) {
			continue
		}
		a := t.Answers[target.Name]
		failed = failed || a.Failed
		o.take(b, target.Name, a, p.view.Cluster(target.Name))
	}
	if len(o.Refused) > 0 {
		return o, p.refuse(b, t, o.Refused, now)
	}
	if failed || len(o.Waiting) > 0 {
		return o, nil
	}
	// 2. Has the binding what the old copies reported last?
	if p.hasRead(b, t, now) {
		o.UnreadSince = time.Time{}
	} else {
		if o.UnreadSince.IsZero() {
			o.UnreadSince = now
		}
		left := Patience - now.Sub(o.UnreadSince)
		if o.Late = left <= 0; !o.Late {
			o.Wait = min(left, ReadAgain)
			return o, nil
		}
	}
	// 3. They go.
	o.Delete, o.Exact = p.Replace, binding.WantsState(b) && !o.Late
	p.Replace = nil
	return o, nil
}

// take notes what a cluster answered. One that is not ready is none for the new copy, which its taints
// tell the scheduler too; while it is said to be ready it is asked again.
func (o *Outcome) take(b workv1alpha2.Binding, cluster string, a Answer, c *clusterv1alpha1.Cluster) {
	refused := a.Refused
	if a.Unreached != nil && c != nil && !isReady(c) && c.Spec.SyncMode == clusterv1alpha1.Push {
		refused = fmt.Errorf("cluster %s is not ready; it is tried again later", cluster)
	}
	switch {
	case refused != nil && !isChosen(b, cluster): // a binding that depends on this one chose it
		o.Waiting, o.Ask = append(o.Waiting, refused.Error()), append(o.Ask, cluster)
	case refused != nil:
		if o.Refused == nil {
			o.Refused = map[string]error{}
		}
		o.Refused[cluster] = refused
	case a.Unreached != nil:
		o.Waiting = append(o.Waiting, fmt.Sprintf("cluster %s could not be asked: %s", cluster, a.Unreached))
		if a.Again == 0 {
			o.Ask = append(o.Ask, cluster)
		} else if o.Wait == 0 || a.Again < o.Wait {
			o.Wait = a.Again
		}
	case a.Waits != "":
		o.Waiting = append(o.Waiting, a.Waits)
	}
}

// isChosen reports whether a binding is placed in a cluster by its own policy.
func isChosen(b workv1alpha2.Binding, cluster string) bool {
	return slices.ContainsFunc(b.GetSpec().Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == cluster })
}

func isReady(c *clusterv1alpha1.Cluster) bool {
	return meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
}

// refuse takes clusters that would not take the new copy away from the targets.
func (p *Plan) refuse(b workv1alpha2.Binding, t Trial, refused map[string]error, now time.Time) error {
	stays := func(cluster string) bool {
		return slices.ContainsFunc(slices.Concat(p.Replace, p.Held), func(w *workv1alpha1.Work) bool { return binding.ClusterOf(w) == cluster })
	}
	for _, cluster := range slices.Sorted(maps.Keys(refused)) {
		if err := t.Backoff.Refuse(b, binding.Refusal{Cluster: cluster, Why: t.Clip(refused[cluster].Error()), Time: now, Stays: stays}); err != nil {
			return err
		}
	}
	return nil
}

// hasRead reports whether the state that a binding carries over is that of what the old copies, which a
// plan replaces, report now.
func (p *Plan) hasRead(b workv1alpha2.Binding, t Trial, now time.Time) bool {
	if !binding.WantsState(b) || !t.Carries {
		return true
	}
	if slices.ContainsFunc(p.Replace, func(w *workv1alpha1.Work) bool { return !binding.HasReport(b, w) }) {
		return false
	}
	// The eviction writes what is renewed.
	renewed, _, _, err := eviction.Renew(b.DeepCopyObject().(workv1alpha2.Binding), p.view.Works, t.NamesState, now)
	return err == nil && !renewed
}

// Blocked returns the reason of the condition Rendered while new copies of a plan wait for old ones; ""
// is none, as where what failed has why.
func (p *Plan) Blocked(o Outcome) string {
	switch {
	case len(p.Waiting) == 0:
		return ""
	case len(o.Waiting) > 0:
		return workv1alpha2.TargetNotTriedReason
	case len(p.Replace) > 0:
		return ""
	}
	return workv1alpha2.OldCopyReason
}
