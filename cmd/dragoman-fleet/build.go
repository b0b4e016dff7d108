// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Build the Kubernetes binaries that are missing or outdated (minutes the first time)",
		Long: `Build makes the Kubernetes binaries of the fleet in bin/kube of this repository,
from the Go modules in test/kube and test/kwok. etcd and those of Kubernetes are one
program, and a symbolic link to it for each. What is there already and unchanged is
left alone. It needs Go and, the first time, a module proxy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := fleet.Root()
			if err != nil {
				return err
			}
			return fleet.Build(cmd.Context(), root, cmd.OutOrStdout())
		},
	}
}
