// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// reportReady is what serve writes to its parent once the fleet is ready.
const reportReady = "ready"

// reportFD is where it writes to: the first of exec.Cmd's ExtraFiles.
const reportFD = 3

// serveCommand holds a fleet until SIGTERM. `up` starts it in the background.
func serveCommand(dir *string) *cobra.Command {
	var size size
	cmd := &cobra.Command{
		Use:    "serve",
		Short:  "Hold a fleet until SIGTERM (used by up)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := openReport()
			if err != nil {
				return err
			}
			f, err := start(cmd, *dir, size)
			if err != nil {
				_, _ = report.WriteString(err.Error())
				return err
			}
			if _, err := report.WriteString(reportReady); err != nil {
				return f.Stop() // nobody waits for the fleet any more
			}
			report.Close()
			<-cmd.Context().Done()
			return f.Stop()
		},
	}
	size.register(cmd)
	return cmd
}

// openReport returns the pipe to the parent.
func openReport() (*os.File, error) {
	syscall.CloseOnExec(reportFD) // the fleet's processes shall not keep it open
	report := os.NewFile(reportFD, "report")
	if info, err := report.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errors.New("serve is started by `dragoman-fleet up`, not by hand")
	}
	return report, nil
}

func start(cmd *cobra.Command, dir string, size size) (*fleet.Fleet, error) {
	opts := fleet.Options{Dir: dir, Members: fleet.MemberNames(size.members), Nodes: size.nodes, Servers: size.servers}
	for _, name := range size.standIns {
		s, err := fleet.LoadStandIn(name)
		if err != nil {
			return nil, err
		}
		opts.StandIns = append(opts.StandIns, s)
	}
	return fleet.Start(cmd.Context(), opts)
}
