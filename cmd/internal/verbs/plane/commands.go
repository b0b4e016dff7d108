// SPDX-License-Identifier: Apache-2.0

// Package plane has the verbs that need a control plane: they show what became of an object there, what
// failovers did and would do, and what an earlier membership left in a cluster, and they activate bundles.
// What decides is in the rooms engine and controllers; here are flags, exit codes and texts.
package plane

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// Commands returns the verbs.
func Commands(streams verb.Streams) []*cobra.Command {
	return []*cobra.Command{
		newActivateCommand(streams), newClustersCommand(streams), newExplainCommand(streams), newFailoverCommand(streams),
		newFenceCommand(streams), newPromoteCommand(streams), newRollbackCommand(streams), newShadowCommand(streams),
		newStatusCommand(streams), newUnfenceCommand(streams),
	}
}
