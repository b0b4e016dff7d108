// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/cluster/orphans"
)

// deletion deletes orphans of a cluster.
type deletion struct {
	plane   *controlPlane
	finder  *orphans.Finder
	cluster *clusterv1alpha1.Cluster
}

// deleteAll deletes what was found, and prints what became of each.
func (o *orphansOptions) deleteAll(ctx context.Context, d *deletion, left *leftovers) error {
	if o.output == "text" && len(left.Orphans) > 0 {
		if err := o.printHints(left); err != nil {
			return err
		}
	}
	failed := 0
	var unnoted error
	for _, one := range left.Orphans {
		var err error
		one.Deleted, err = d.finder.Delete(ctx, one.Orphan)
		switch {
		case err != nil:
			failed++
			one.Error = err.Error()
			fmt.Fprintf(o.streams.Err, "error: %v\n", err)
			continue
		case one.Deleted:
			o.printLine("deleted %s\n", one.Orphan)
			if err := d.recordEvent(ctx, one.Orphan); err != nil {
				unnoted = err
			}
		default:
			o.printLine("kept %s: it is no orphan any more\n", one.Orphan)
		}
	}
	if unnoted != nil {
		fmt.Fprintf(o.streams.Err, "warning: not all deletions are noted in events of cluster %s: %v\n", d.cluster.Name, unnoted)
	}
	if err := d.resetCondition(ctx); err != nil {
		fmt.Fprintf(o.streams.Err, "warning: the condition %s of cluster %s is that of before: %v\n", orphans.Condition, d.cluster.Name, err)
	}
	if err := o.printDeleted(left); err != nil || failed == 0 {
		return err
	}
	return verb.Foundf("%d of %d objects were not deleted in cluster %s", failed, len(left.Orphans), d.cluster.Name)
}

// printLine prints a line of the text.
func (o *orphansOptions) printLine(format string, args ...any) {
	if o.output == "text" {
		fmt.Fprintf(o.streams.Out, format, args...)
	}
}

func (o *orphansOptions) printDeleted(left *leftovers) error {
	if o.output == "json" || len(left.Orphans) == 0 {
		return o.print(left, time.Now())
	}
	return nil
}

// recordEvent records in an event of the Cluster that an orphan was deleted.
func (d *deletion) recordEvent(ctx context.Context, o orphans.Orphan) error {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	e := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, GenerateName: d.cluster.Name + "-"},
		EventTime:  metav1.NowMicro(), ReportingController: "dragoman", ReportingInstance: "dragoman-" + host,
		Type: corev1.EventTypeNormal, Reason: "OrphanDeleted", Action: "DeleteOrphan",
		Regarding: corev1.ObjectReference{APIVersion: clusterv1alpha1.GroupVersion.String(), Kind: "Cluster", Name: d.cluster.Name, UID: d.cluster.UID},
		Note:      fmt.Sprintf("deleted %s, written for work %s, on demand", o, o.Work),
	}
	return d.plane.client.Create(ctx, e)
}

// resetCondition removes the condition that has what was found, so that the manager counts again.
func (d *deletion) resetCondition(ctx context.Context) error {
	changed := func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsInvalid(err) }
	return retry.OnError(clusterBackoff, changed, func() error {
		cluster := &clusterv1alpha1.Cluster{}
		if err := d.plane.client.Get(ctx, client.ObjectKeyFromObject(d.cluster), cluster); err != nil {
			return err
		}
		i := slices.IndexFunc(cluster.Status.Conditions, func(c metav1.Condition) bool { return c.Type == orphans.Condition })
		if i < 0 {
			return nil
		}
		patch, err := json.Marshal([]map[string]string{
			{"op": "test", "path": fmt.Sprintf("/status/conditions/%d/type", i), "value": orphans.Condition},
			{"op": "remove", "path": fmt.Sprintf("/status/conditions/%d", i)},
		})
		if err != nil {
			return err
		}
		return d.plane.client.Status().Patch(ctx, cluster, client.RawPatch(types.JSONPatchType, patch))
	})
}
