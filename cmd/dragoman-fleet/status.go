// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func statusCommand(dir *string) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the state of the fleet and of each of its clusters",
		Long: `Status exits with 0 when the fleet is healthy, with 1 when something is wrong with
it (or there is none), with 2 when that could not be found out.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "" && output != "json" {
				return fmt.Errorf("--output %s: want json, or nothing for a table", output)
			}
			status, err := fleet.Inspect(cmd.Context(), *dir)
			if err != nil {
				return notRunning(cmd, err)
			}
			if output == "json" {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				err = encoder.Encode(status)
			} else {
				err = printStatus(cmd.OutOrStdout(), status)
			}
			if err == nil && len(status.Problems()) > 0 {
				return errUnhealthy
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json, or nothing for a table")
	return cmd
}

// notRunning turns "no fleet" into a finding; other errors stay.
func notRunning(cmd *cobra.Command, err error) error {
	if !errors.Is(err, fleet.ErrNotRunning) {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "error:", err.Error()+"; `dragoman-fleet up` starts one")
	return errUnhealthy
}

func printStatus(out io.Writer, status *fleet.Status) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tNODES\tURL\tKUBECONFIG")
	for _, c := range status.Clusters {
		fmt.Fprintf(table, "%s\t%d/%d\t%s\t%s\n", c.Name, c.ReadyNodes, c.Nodes, c.URL, c.Kubeconfig)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, problem := range status.Problems() {
		if _, err := fmt.Fprintln(out, "problem:", problem); err != nil {
			return err
		}
	}
	return nil
}
