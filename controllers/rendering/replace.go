// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/work/execution"
)

var (
	// errNotTried means that a cluster has not answered whether it would take an object.
	errNotTried = errors.New("the old copy stays until the cluster of the new one has answered whether it takes it")
	// errRefused means that a cluster would not take it.
	errRefused = errors.New("the old copy stays")
)

// maxRefusal bounds what is kept of the answer of a cluster, in bytes.
const maxRefusal = 600

// tryTimeout bounds a question to a cluster, which has a bound of its own for each request.
const tryTimeout = 2 * time.Minute

// trialID stands in a manifest that a cluster is asked about for the id of a Work that does
// not exist yet.
const trialID types.UID = "00000000-0000-0000-0000-000000000000"

// tried is what became of the Works that a plan replaces.
type tried struct {
	// refused means that a target was taken away, which enqueues the binding.
	refused bool
	// failures are those of rendering.
	failures []failure
	// waiting is why clusters were not asked.
	waiting []string
	// again is how long to wait before they are asked once more.
	again time.Duration
}

// replace deletes the Works that a plan replaces once the clusters of the new copies would
// take these, with the state that they get; the plan has what is left to replace. A cluster
// that would not is no target any more, and counts as one where the application failed. The
// error is one of the control plane.
func (c *Controller[B]) replace(ctx context.Context, b B, in *renderInput, p *binding.Plan) (tried, error) {
	var t tried
	if len(p.Replace) == 0 {
		return t, nil
	}
	refused := map[string]error{}
	for _, target := range binding.Targets(b.GetSpec()) {
		if !slices.Contains(p.Waiting, target.Name) {
			continue
		}
		w, err := c.newWork(ctx, in, target)
		if err != nil {
			t.failures = append(t.failures, failureOf(fmt.Errorf("render the work for cluster %s: %w", target.Name, err)))
			continue
		}
		if err := (namespaces.Works{Deps: c.Deps}).EnsureFor(ctx, w); err != nil {
			return t, err
		}
		switch err := c.try(ctx, b, w, &t); {
		case err == nil:
		case !slices.ContainsFunc(b.GetSpec().Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == target.Name }):
			// A binding that depends on this one chose it.
			t.waiting = append(t.waiting, err.Error())
			t.again = earliest(t.again, c.trials.retry(trialKey{client.ObjectKeyFromObject(b), target.Name}, c.Clock.Now()))
		default:
			refused[target.Name] = err
		}
	}
	switch {
	case len(refused) > 0:
		t.refused = true
		return t, c.refuse(ctx, b, in.template, refused, p)
	case len(t.failures)+len(t.waiting) > 0:
		return t, nil
	}
	if t.again = c.unread(ctx, b, p); t.again > 0 {
		return t, nil
	}
	err := c.replaceRead(ctx, b, p.Replace)
	if err == nil {
		p.Replace = nil
	}
	return t, err
}

// newWork renders a Work that does not exist yet.
func (c *Controller[B]) newWork(ctx context.Context, in *renderInput, target workv1alpha2.TargetCluster) (*workv1alpha1.Work, error) {
	w := &workv1alpha1.Work{}
	w.Namespace, w.Name = names.ExecutionSpace(target.Name), reference.WorkName(in.binding)
	cluster, err := c.clusterFor(ctx, in, target.Name)
	if err != nil {
		return nil, err
	}
	return w, setWork(w, in, target, cluster, func() types.UID { return trialID })
}

// try asks the cluster of a Work whether it would take it. It returns why not; what it
// cannot find out yet is added to t.
func (c *Controller[B]) try(ctx context.Context, b B, w *workv1alpha1.Work, t *tried) error {
	if c.Members == nil {
		return nil
	}
	cluster := binding.ClusterOf(w)
	if binding.Suspended(b.GetSpec(), cluster) {
		t.waiting = append(t.waiting, fmt.Sprintf("dispatching to cluster %s is suspended, so that nothing would come there", cluster))
		return nil
	}
	key := trialKey{client.ObjectKeyFromObject(b), cluster}
	a := c.trials.of(key, digest(w), c.Clock.Now(), func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTimeout)
		defer cancel()
		return execution.Try(ctx, c.Deps, w)
	})
	var refusal *execution.RefusedError
	switch {
	case !a.known:
		t.waiting = append(t.waiting, fmt.Sprintf("cluster %s has not answered yet", cluster))
	case a.err == nil:
	case errors.As(a.err, &refusal):
		return refusal
	case errors.Is(a.err, execution.ErrNamespacePending):
		t.waiting = append(t.waiting, a.err.Error())
	default:
		return c.untried(ctx, key, a, t)
	}
	return nil
}

// untried returns why a cluster that could not be asked is none for the new copy: it is not
// ready, which its taints tell the scheduler too. While it is said to be ready it is asked
// again.
func (c *Controller[B]) untried(ctx context.Context, key trialKey, a answer, t *tried) error {
	cluster, err := c.cluster(ctx, key.cluster)
	if err == nil && !isReady(cluster) && cluster.Spec.SyncMode == clusterv1alpha1.Push {
		return fmt.Errorf("cluster %s is not ready; it is tried again later", key.cluster)
	}
	t.waiting = append(t.waiting, fmt.Sprintf("cluster %s could not be asked: %s", key.cluster, member.Cause(a.err)))
	if a.again == 0 {
		a.again = c.trials.retry(key, c.Clock.Now())
	}
	t.again = earliest(t.again, a.again)
	return nil
}

// digest identifies the manifest of a Work.
func digest(w *workv1alpha1.Work) string {
	sum := sha256.Sum256(w.Spec.Workload.Manifests[0].Raw)
	return hex.EncodeToString(sum[:])
}

// refuse takes clusters that would not take the new copy away from the targets, and records
// an event about the binding and one about the template for each.
func (c *Controller[B]) refuse(ctx context.Context, b B, template *unstructured.Unstructured, refused map[string]error, p *binding.Plan) error {
	before := b.DeepCopyObject().(client.Object)
	clusters := slices.Sorted(maps.Keys(refused))
	stays := func(cluster string) bool {
		return slices.ContainsFunc(slices.Concat(p.Replace, p.Held), func(w *workv1alpha1.Work) bool { return binding.ClusterOf(w) == cluster })
	}
	for _, cluster := range clusters {
		if err := c.Backoff.Refuse(b, binding.Refusal{
			Cluster: cluster, Why: base.Clip(refused[cluster].Error(), maxRefusal), Time: c.Clock.Now(), Stays: stays,
		}); err != nil {
			return err
		}
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return fmt.Errorf("take targets that refused away from binding %s: %w", b.GetName(), err)
	}
	c.trials.forget(client.ObjectKeyFromObject(b))
	for _, cluster := range clusters {
		err := fmt.Errorf("%w; the copy in cluster %s stays until another one takes it", refused[cluster], strings.Join(p.BlockedBy, ", "))
		ctrl.LoggerFrom(ctx).Info("took a target away that refused the object", "cluster", cluster, "reason", refused[cluster].Error())
		// By the related cluster the event is another one than that of the next cluster.
		related := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: cluster}}
		related.SetGroupVersionKind(clusterv1alpha1.GroupVersion.WithKind("Cluster"))
		for _, about := range []runtime.Object{b, template} {
			c.Events.Eventf(about, related, corev1.EventTypeWarning, workv1alpha2.TargetRefusedReason, "Render", "%s", base.Clip(err.Error(), base.MaxNote))
		}
	}
	return nil
}

// refusals returns the failures that clusters refused what waits for one that does not.
func refusals(b workv1alpha2.Binding) []failure {
	refused := binding.Refusals(b)
	if len(refused) == 0 {
		return nil
	}
	texts := make([]string, 0, len(refused))
	for _, cluster := range slices.Sorted(maps.Keys(refused)) {
		texts = append(texts, refused[cluster])
	}
	return []failure{failureOf(fmt.Errorf("%w: %s", errRefused, strings.Join(texts, "; ")))}
}

// revert makes clusters targets again in which the application recovered before its move
// began, and reports whether there was one.
func (c *Controller[B]) revert(ctx context.Context, b B, works []workv1alpha1.Work) (bool, error) {
	if !binding.MayRevert(b) {
		return false, nil
	}
	before := b.DeepCopyObject().(client.Object)
	clusters, err := binding.Revert(b, works)
	if err != nil || len(clusters) == 0 {
		return false, err
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return true, fmt.Errorf("revert the eviction of binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("reverted the eviction", "clusters", clusters)
	c.Events.Eventf(b, nil, corev1.EventTypeNormal, "EvictionReverted", "Render",
		"the application is healthy again in cluster %s, and its move had not begun", strings.Join(clusters, ", "))
	return true, nil
}
