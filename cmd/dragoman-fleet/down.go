// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func downCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End the fleet and remove its files",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			was, err := fleet.Shutdown(cmd.Context(), *dir)
			if err != nil {
				return err
			}
			if was {
				fmt.Fprintf(cmd.OutOrStdout(), "ended the fleet in %s\n", *dir)
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "no fleet is running in %s\n", *dir)
			}
			return nil
		},
	}
}
