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
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
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

// replace deletes the Works that a plan replaces once the clusters of the new copies would take these,
// with the state that they get, and the binding has what the old ones reported last. A cluster that
// would not is no target any more. It returns what failed while the new ones were rendered. The error is
// one of the control plane.
func (c *Controller[B]) replace(ctx context.Context, b B, in *renderInput, p *rendering.Plan) (rendering.Outcome, []failure, error) {
	if len(p.Replace) == 0 {
		return rendering.Outcome{}, nil, nil
	}
	// 1. Ask the clusters.
	answers, failures, err := c.ask(ctx, b, in, p)
	if err != nil {
		return rendering.Outcome{}, failures, err
	}
	// 2. Decide.
	key, before := client.ObjectKeyFromObject(b), b
	if slices.ContainsFunc(slices.Collect(maps.Values(answers)), rendering.Answer.MayRefuse) { // else b stays as it is
		before = b.DeepCopyObject().(B)
	}
	since, _ := c.unreadSince.Get(key)
	o, err := p.Exchange(b, rendering.Trial{
		Answers: answers, UnreadSince: since,
		Backoff: c.Backoff, Clip: func(why string) string { return base.Clip(why, maxRefusal) },
		Carries: c.Gates.Enabled(features.StatefulFailoverInjection), NamesState: func() bool { return preservation.NamesState(c.Deps, b) },
	}, c.Clock.Now())
	if err != nil {
		return o, failures, err
	}
	// 3. Write.
	if o.UnreadSince.IsZero() {
		c.unreadSince.Forget(key)
	} else {
		c.unreadSince.Set(key, o.UnreadSince)
	}
	for _, cluster := range o.Ask {
		o.Wait = earliest(o.Wait, c.trials.retry(trialKey{key, cluster}, c.Clock.Now()))
	}
	if len(o.Refused) > 0 {
		return o, failures, c.refuse(ctx, b, before, in.template, o.Refused, p)
	}
	if o.Late {
		ctrl.LoggerFrom(ctx).Info("gave up waiting until the last report of the old copies is stored", "waited", rendering.Patience.String())
	}
	for _, w := range o.Delete {
		as := client.Preconditions{UID: &w.UID}
		if o.Exact {
			as.ResourceVersion = &w.ResourceVersion
		}
		if err := c.delete(ctx, w, as); err != nil {
			return o, failures, err
		}
	}
	return o, failures, nil
}

// ask asks the clusters of the new copies of a plan whether they would take these, and returns what
// they answered, and what failed while the copies were rendered.
func (c *Controller[B]) ask(ctx context.Context, b B, in *renderInput, p *rendering.Plan) (map[string]rendering.Answer, []failure, error) {
	var failures []failure
	answers := map[string]rendering.Answer{}
	for _, target := range binding.Targets(b.GetSpec()) {
		if !slices.Contains(p.Waiting, target.Name) {
			continue
		}
		w, err := c.newWork(ctx, in, target)
		if err != nil {
			failures = append(failures, failureOf(fmt.Errorf("render the work for cluster %s: %w", target.Name, err)))
			answers[target.Name] = rendering.Answer{Failed: true}
			continue
		}
		if err := (namespaces.Works{Deps: c.Deps}).EnsureFor(ctx, w); err != nil {
			return nil, failures, err
		}
		answers[target.Name] = c.try(ctx, b, w)
	}
	return answers, failures, nil
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

// try asks the cluster of a Work whether it would take it.
func (c *Controller[B]) try(ctx context.Context, b B, w *workv1alpha1.Work) rendering.Answer {
	if c.Members == nil {
		return rendering.Answer{}
	}
	cluster := binding.ClusterOf(w)
	if binding.Suspended(b.GetSpec(), cluster) {
		return rendering.Answer{Waits: fmt.Sprintf("dispatching to cluster %s is suspended, so that nothing would come there", cluster)}
	}
	a := c.trials.of(trialKey{client.ObjectKeyFromObject(b), cluster}, digest(w), c.Clock.Now(), func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryTimeout)
		defer cancel()
		return execution.Try(ctx, c.Deps, w)
	})
	var refusal *execution.RefusedError
	switch {
	case !a.known:
		return rendering.Answer{Waits: fmt.Sprintf("cluster %s has not answered yet", cluster)}
	case a.err == nil:
		return rendering.Answer{}
	case errors.As(a.err, &refusal):
		return rendering.Answer{Refused: refusal}
	case errors.Is(a.err, execution.ErrNamespacePending):
		return rendering.Answer{Waits: a.err.Error()}
	}
	return rendering.Answer{Unreached: errors.New(member.Cause(a.err)), Again: a.again}
}

// digest identifies the manifest of a Work.
func digest(w *workv1alpha1.Work) string {
	sum := sha256.Sum256(w.Spec.Workload.Manifests[0].Raw)
	return hex.EncodeToString(sum[:])
}

// refuse writes a binding from whose targets clusters were taken that would not take the new copy, and
// records an event about the binding and one about the template for each.
func (c *Controller[B]) refuse(ctx context.Context, b, before B, template *unstructured.Unstructured, refused map[string]error, p *rendering.Plan) error {
	clusters := slices.Sorted(maps.Keys(refused))
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

// revert writes a binding that was made to return to clusters in which the application recovered before
// its move began.
func (c *Controller[B]) revert(ctx context.Context, b, before B, clusters []string) error {
	if err := c.Patch(ctx, b, before); err != nil {
		return fmt.Errorf("revert the eviction of binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("reverted the eviction", "clusters", clusters)
	c.Events.Eventf(b, nil, corev1.EventTypeNormal, "EvictionReverted", "Render",
		"the application is healthy again in cluster %s, and its move had not begun", strings.Join(clusters, ", "))
	return nil
}
