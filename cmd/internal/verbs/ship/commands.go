// SPDX-License-Identifier: Apache-2.0

// Package ship has the verbs that bring bundles from their folders to those who run them: as archives, with
// signatures, in registries of OCI artifacts, or as ConfigMaps.
package ship

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// Commands returns the verbs.
func Commands(streams verb.Streams) []*cobra.Command {
	return []*cobra.Command{
		newBuildCommand(streams), newDiffCommand(streams), newInspectCommand(streams), newPackCommand(streams), newPullCommand(streams),
		newPushCommand(streams), newSignCommand(streams), newVerifyCommand(streams),
	}
}
