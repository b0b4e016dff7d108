// SPDX-License-Identifier: Apache-2.0

//go:build !nocluster

package main

import "github.com/spf13/cobra"

func newFailoverCommand(streams Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "failover",
		Short: "Show what failovers did, and what the loss of a cluster would do",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFailoverHistoryCommand(streams), newFailoverSimulateCommand(streams))
	return c
}
