// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

func newFailoverCommand(streams verb.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "failover",
		Short: "Show what failovers did, and what the loss of a cluster would do",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFailoverHistoryCommand(streams), newFailoverSimulateCommand(streams))
	return c
}
