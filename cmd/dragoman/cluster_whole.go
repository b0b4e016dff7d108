// SPDX-License-Identifier: Apache-2.0

//go:build !nocluster

package main

import "github.com/spf13/cobra"

// newClusterCommands returns the verbs that need a control plane.
func newClusterCommands(streams Streams) []*cobra.Command {
	return []*cobra.Command{
		newActivateCommand(streams), newExplainCommand(streams), newFailoverCommand(streams), newFenceCommand(streams),
		newPromoteCommand(streams), newRollbackCommand(streams), newShadowCommand(streams), newStatusCommand(streams), newUnfenceCommand(streams),
	}
}
