// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
)

// trialKey names the copy of a binding that a cluster is asked about.
type trialKey struct {
	binding types.NamespacedName
	cluster string
}

// trial is one question to a cluster.
type trial struct {
	// manifest identifies what it was asked about.
	manifest string
	// answered is whether there is an outcome; err is nil where the cluster would take it.
	answered bool
	err      error
	// tries counts questions that got no answer, again is when the next one may be asked.
	tries int
	again time.Time
}

// The time after which a cluster is asked again that did not answer: it doubles.
const (
	firstAgain = time.Second
	lastAgain  = 30 * time.Second
)

// trials remembers what clusters were asked, so that each is asked once about a manifest.
// It is safe for many goroutines; the zero value is ready.
type trials struct {
	mu sync.Mutex
	// all are the questions about each binding, by cluster. Each reconcile of a binding that
	// replaces nothing forgets its own, however many others there are.
	all map[types.NamespacedName]map[string]*trial
	// namespaces are the Works of namespaces that questions wait for.
	namespaces map[types.NamespacedName]bool
	// queue is where bindings are enqueued whose questions were answered; nil is nowhere.
	queue queue
}

// answer is what a cluster answered; err is nil where it would take the object.
type answer struct {
	err error
	// known is whether there is an answer.
	known bool
	// again is how long to wait before the cluster is asked once more.
	again time.Duration
}

// of returns the answer of a cluster about a manifest. The first call for a manifest asks;
// the answer enqueues the binding.
func (t *trials) of(key trialKey, manifest string, now time.Time, ask func() error) answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.all[key.binding][key.cluster]
	next := &trial{manifest: manifest}
	switch {
	case last == nil || last.manifest != manifest:
	case !last.answered:
		return answer{}
	case last.again.IsZero() || now.Before(last.again):
		return answer{err: last.err, known: true, again: max(0, last.again.Sub(now))}
	default:
		next.tries = last.tries
	}
	t.set(key, next)
	go func() { t.record(key, next, ask()) }()
	return answer{}
}

// set replaces the question about one copy. The lock is held.
func (t *trials) set(key trialKey, of *trial) {
	if t.all == nil {
		t.all = map[types.NamespacedName]map[string]*trial{}
	}
	if t.all[key.binding] == nil {
		t.all[key.binding] = map[string]*trial{}
	}
	t.all[key.binding][key.cluster] = of
}

// record records an answer, unless another question was asked meanwhile.
func (t *trials) record(key trialKey, of *trial, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[key.binding][key.cluster] != of {
		return
	}
	of.answered, of.err = true, err
	if errors.Is(err, execution.ErrNamespacePending) {
		if t.namespaces == nil {
			t.namespaces = map[types.NamespacedName]bool{}
		}
		t.namespaces[namespaces.Key(key.cluster, key.binding.Namespace)] = true
	}
	t.enqueue(key.binding)
}

// retry has a cluster that could not be asked be asked once more after a time, and returns
// that.
func (t *trials) retry(key trialKey, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.all[key.binding][key.cluster]
	if of == nil {
		return firstAgain
	}
	wait := min(firstAgain<<min(of.tries, 10), lastAgain)
	of.tries++
	of.again = now.Add(wait)
	return wait
}

// forget removes what was asked about a binding.
func (t *trials) forget(binding types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, binding)
}

// wake has the questions to a cluster be asked again that it did not answer, and enqueues
// their bindings.
func (t *trials) wake(cluster string) {
	woken := t.remove(func(key trialKey, of *trial) bool { return key.cluster == cluster && of.answered && of.err != nil })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.enqueue(woken...)
}

// namespaceApplied has the questions be asked again that wait for the namespace of a Work.
func (t *trials) namespaceApplied(work types.NamespacedName) {
	t.mu.Lock()
	waits := t.namespaces[work]
	delete(t.namespaces, work)
	t.mu.Unlock()
	if !waits {
		return
	}
	woken := t.remove(func(key trialKey, of *trial) bool {
		return namespaces.Key(key.cluster, key.binding.Namespace) == work && errors.Is(of.err, execution.ErrNamespacePending)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.enqueue(woken...)
}

// remove removes questions, and returns the bindings that they were about.
func (t *trials) remove(matches func(trialKey, *trial) bool) []types.NamespacedName {
	t.mu.Lock()
	defer t.mu.Unlock()
	var removed []types.NamespacedName
	for binding, clusters := range t.all {
		for cluster, of := range clusters {
			if matches(trialKey{binding, cluster}, of) {
				delete(clusters, cluster)
				removed = append(removed, binding)
			}
		}
		if len(clusters) == 0 {
			delete(t.all, binding)
		}
	}
	return removed
}

func (t *trials) enqueue(keys ...types.NamespacedName) {
	if t.queue == nil {
		return
	}
	for _, key := range keys {
		t.queue.Add(reconcile.Request{NamespacedName: key})
	}
}

// listen enqueues bindings on the answers of members, and on members that may answer now.
func (c *Controller[B]) listen(_ context.Context, q queue) error {
	c.trials.mu.Lock()
	c.trials.queue = q
	c.trials.mu.Unlock()
	if c.Members != nil {
		c.Members.ListenConnected(c.trials.wake)
		c.Members.ListenRecovered(c.trials.wake)
	}
	return nil
}

// onNamespaceApplied enqueues the bindings whose copy waits for a namespace in its cluster,
// once the Work of that has an outcome.
func (c *Controller[B]) onNamespaceApplied() handler.EventHandler {
	return handler.Funcs{UpdateFunc: func(_ context.Context, e event.UpdateEvent, _ queue) {
		before, after := appliedOf(e.ObjectOld), appliedOf(e.ObjectNew)
		if after != nil && (before == nil || before.Status != after.Status) {
			c.trials.namespaceApplied(client.ObjectKeyFromObject(e.ObjectNew))
		}
	}}
}

func appliedOf(w client.Object) *metav1.Condition {
	return meta.FindStatusCondition(w.(*workv1alpha1.Work).Status.Conditions, workv1alpha1.WorkApplied)
}
