// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

func newClustersCommand(streams verb.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "clusters",
		Short: "Show what an earlier membership left in a cluster, and delete it",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newClustersOrphansCommand(streams))
	return c
}
