// SPDX-License-Identifier: Apache-2.0

// Package author has the verbs of script authors, which need files alone: to write, check, test and look
// into scripts and policies. It links no client of Kubernetes; where record is asked about an object of a
// cluster, it asks the function that Commands gets.
package author

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// Commands returns the verbs. live reads the object of a cluster that record is asked about.
func Commands(streams verb.Streams, live verb.ReadLive) []*cobra.Command {
	return []*cobra.Command{
		newBenchCommand(streams), newCheckCommand(streams), newDocsCommand(streams), newEvalCommand(streams), newFmtCommand(streams),
		newFuzzCommand(streams), newInitCommand(streams), newInterpretCommand(streams), newLSPCommand(streams), newMigrateCommand(streams),
		newOverrideCommand(streams), newPlaygroundCommand(streams), newRecordCommand(streams, live), newReplCommand(streams),
		newTestCommand(streams), newTypesCommand(streams),
	}
}
