// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Estimates are what the estimators of clusters answered about one binding's object, by the name
// of the cluster. One that is not among them did not answer.
type Estimates map[string]Estimate

// Estimate is the answer of one estimator.
type Estimate struct {
	// Fits is how many more replicas fit, or how many more whole sets of components.
	Fits int64
	// Silent means that the estimator has answered before, and has not for a moment.
	Silent bool
	// Mark is that of the last assumption that the estimator knew; 0 is none.
	Mark uint64
}

// Described returns what Describe has of the assumptions in a cluster, the oldest first, and the mark of
// the last assumption of all.
func (a *Assumptions) Described(cluster string) (all []any, mark uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.clusters[cluster]
	if c == nil {
		return nil, a.mark
	}
	for _, as := range c.all {
		if as.workload != nil {
			all = append(all, as.workload)
		}
	}
	return all, a.mark
}

// RetryAfter is how long a binding that is placed nowhere waits without an event; a change
// of a cluster enqueues it earlier.
const RetryAfter = time.Minute

// askAgain is how long a binding waits, at least, that the answers of estimators placed nowhere.
const askAgain = 5 * time.Second

// asksAgain returns how long a binding waits that the answers of estimators placed nowhere; 0
// without any answer. No event tells what an estimator sees: a pod that is gone may never have
// been in the status of its cluster, so that its end is no change of that. So it asks again soon,
// and after each time that it has waited once more, up to a minute. While something is
// assumed in their clusters it asks every five seconds: an estimator that sees its pods already
// counts them twice, until the status of the cluster shows them.
func (a *Assumptions) asksAgain(b workv1alpha2.Binding, estimates Estimates, now time.Time) time.Duration {
	c := meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.Scheduled)
	switch {
	case len(estimates) == 0:
		return 0
	case c == nil, c.Status != metav1.ConditionFalse, a.assumedIn(estimates):
		return askAgain
	}
	return min(max(askAgain, now.Sub(c.LastTransitionTime.Time)), RetryAfter)
}

// assumedIn reports whether anything is assumed in a cluster whose estimator answered.
func (a *Assumptions) assumedIn(estimates Estimates) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name := range estimates {
		if c := a.clusters[name]; c != nil && len(c.all) > 0 {
			return true
		}
	}
	return false
}

// after returns what is left of the assumptions after a mark, and what the summary has shown of them
// while answers are about that know neither; nil has none.
func (c *assumedCluster) after(mark uint64) corev1.ResourceList {
	sum := corev1.ResourceList{}
	if c == nil {
		return sum
	}
	for _, as := range slices.Backward(c.all) {
		if as.mark <= mark {
			break
		}
		add(sum, as.left)
	}
	for _, s := range c.shown {
		if s.mark > mark {
			add(sum, s.amounts)
		}
	}
	return sum
}
