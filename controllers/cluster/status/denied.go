// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// denials are the refusals of a member to list or watch what is summed up. It is safe for many
// goroutines; the zero value is ready.
type denials struct {
	mu sync.Mutex
	// all has when a refusal came last, by its text, which names verb, resource and account.
	all map[string]time.Time
}

// deniedFor is for how long a refusal holds that does not come again: a watch that is refused is tried again
// within a minute.
const deniedFor = 2 * time.Minute

// observe records the error of a watch, if it is a refusal.
func (d *denials) observe(ctx context.Context, r *toolscache.Reflector, err error) {
	d.add(err, time.Now())
	toolscache.DefaultWatchErrorHandler(ctx, r, err)
}

func (d *denials) add(err error, now time.Time) {
	if !apierrors.IsForbidden(err) {
		return
	}
	text := err.Error()
	if status, ok := err.(apierrors.APIStatus); ok {
		text = status.Status().Message
	}
	if _, message, wrapped := strings.Cut(text, ": "); wrapped && strings.HasPrefix(text, "failed to ") {
		text = message
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[string]time.Time{}
	}
	d.all[text] = now
}

// now returns the refusals that hold, sorted.
func (d *denials) now(now time.Time) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.all, func(_ string, last time.Time) bool { return now.Sub(last) > deniedFor })
	return slices.Sorted(maps.Keys(d.all))
}

// setPermissions writes the refusals into the condition PermissionsComplete, which goes with the last.
func setPermissions(status *clusterv1alpha1.ClusterStatus, generation int64, denied []string) {
	const kind = clusterv1alpha1.ClusterConditionPermissionsComplete
	if len(denied) == 0 {
		meta.RemoveStatusCondition(&status.Conditions, kind)
		return
	}
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: kind, Status: metav1.ConditionFalse, Reason: clusterv1alpha1.ReasonForbidden, ObservedGeneration: generation,
		Message: "the free resources of the cluster are not known, and nothing can be divided by them: " + strings.Join(denied, "; "),
	})
}
