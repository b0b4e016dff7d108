// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// fenceOptions are the flags of fence and unfence.
type fenceOptions struct {
	streams    verb.Streams
	kubeconfig string
	force      bool
}

func newFenceCommand(streams verb.Streams) *cobra.Command {
	o := &fenceOptions{streams: streams}
	c := &cobra.Command{
		Use:   "fence CLUSTER",
		Short: "Confirm that nothing runs in a cluster",
		Long: `fence confirms that nothing runs in a cluster that cannot be reached any more. What was
evicted from it with purge mode Directly waits for that, because two copies must not run
at once, and starts elsewhere then, with its state. Nothing new is placed there.

Fence a cluster only if its machines are off or cut from their storage: the control plane
cannot see that. A cluster that can be reached is refused without --force. When the
cluster is back, what was evicted from it is removed there; then use unfence.

Exit codes: 0 fenced; 2 refused, or the control plane could not be read.`,
		Example: `  dragoman fence member1`,
		Args:    oneClusterArg,
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), args[0], o.fence)
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.force, "force", false, "also a cluster that can be reached")
	return c
}

func (o *fenceOptions) addFlags(c *cobra.Command) {
	addKubeconfigFlag(c.Flags(), &o.kubeconfig)
}

// oneClusterArg reports arguments other than the name of one cluster.
func oneClusterArg(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want the name of one cluster, got %d arguments", len(args))
	}
	return nil
}

// clusterBackoff is how often a cluster is written again that others wrote meanwhile, as the control
// plane does with its status.
var clusterBackoff = wait.Backoff{Duration: 10 * time.Millisecond, Factor: 1.5, Jitter: 0.5, Steps: 15}

// run changes a cluster, and writes it if that is a change. The change returns what to print.
func (o *fenceOptions) run(ctx context.Context, name string, change func(*clusterv1alpha1.Cluster) (string, error)) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	plane, err := openPlane(o.kubeconfig, "")
	if err != nil {
		return err
	}
	var text string
	changed := func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsInvalid(err) }
	err = retry.OnError(clusterBackoff, changed, func() error {
		cluster := &clusterv1alpha1.Cluster{}
		if err := plane.client.Get(ctx, client.ObjectKey{Name: name}, cluster); err != nil {
			return fmt.Errorf("read cluster %s: %w", name, err)
		}
		before := cluster.DeepCopy()
		if text, err = change(cluster); err != nil || equality.Semantic.DeepEqual(before, cluster) {
			return err
		}
		patch, err := replaceTaints(before.Spec.Taints, cluster.Spec.Taints)
		if err != nil {
			return err
		}
		if err := plane.client.Patch(ctx, cluster, client.RawPatch(types.JSONPatchType, patch)); err != nil {
			return fmt.Errorf("write cluster %s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.streams.Out, text)
	return err
}

// replaceTaints returns a JSON patch that replaces the taints of a cluster if they are still
// those that were read. Whatever else is written meanwhile, as its status is all the time,
// does not matter: a write by resource version may never come between.
func replaceTaints(before, after []corev1.Taint) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	const path = "/spec/taints"
	return json.Marshal([]operation{{"test", path, before}, {"add", path, after}}) // null is none
}

func (o *fenceOptions) fence(c *clusterv1alpha1.Cluster) (string, error) {
	switch {
	case binding.IsFenced(c):
		return fmt.Sprintf("cluster %s is fenced already", c.Name), nil
	case meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady) && !o.force:
		return "", fmt.Errorf("cluster %s can be reached, so what runs there runs on: what is evicted from it needs no fence. --force fences it all the same", c.Name)
	}
	now := metav1.Now()
	c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: binding.FencedTaint, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &now})
	return fmt.Sprintf("cluster %s is fenced: what was evicted from it may start elsewhere", c.Name), nil
}
