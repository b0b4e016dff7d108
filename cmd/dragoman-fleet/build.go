// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func buildCommand() *cobra.Command {
	var version string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build the Kubernetes binaries that are missing or outdated (minutes the first time)",
		Long: `Build makes the Kubernetes binaries of the fleet in bin/kube of this repository,
from the Go modules in test/kube and test/kwok. etcd and those of Kubernetes are one
program, and a symbolic link to it for each. What is there already and unchanged is
left alone. It needs Go and, the first time, a module proxy.

With --kubernetes it makes the servers of a member that runs that version instead, in
bin/kube-VERSION from test/kube-VERSION; --servers of up takes that folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := fleet.Root()
			if err != nil {
				return err
			}
			if version != "" {
				return fleet.BuildServers(cmd.Context(), version, root, cmd.OutOrStdout())
			}
			return fleet.Build(cmd.Context(), root, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&version, "kubernetes", "", "another version than that of the fleet: 1.29")
	return cmd
}
