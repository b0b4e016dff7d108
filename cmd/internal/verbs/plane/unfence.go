// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

func newUnfenceCommand(streams verb.Streams) *cobra.Command {
	o := &fenceOptions{streams: streams}
	c := &cobra.Command{
		Use:     "unfence CLUSTER",
		Short:   "Take back that nothing runs in a cluster",
		Long:    `unfence removes the taint that fence added: the cluster is used again.`,
		Example: `  dragoman unfence member1`,
		Args:    oneClusterArg,
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), args[0], o.unfence)
		},
	}
	o.addFlags(c)
	return c
}

func (o *fenceOptions) unfence(c *clusterv1alpha1.Cluster) (string, error) {
	if !binding.IsFenced(c) {
		return fmt.Sprintf("cluster %s is not fenced", c.Name), nil
	}
	c.Spec.Taints = slices.DeleteFunc(c.Spec.Taints, func(t corev1.Taint) bool { return t.Key == binding.FencedTaint })
	return fmt.Sprintf("cluster %s is used again", c.Name), nil
}
