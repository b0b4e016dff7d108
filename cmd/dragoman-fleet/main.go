// SPDX-License-Identifier: Apache-2.0

// Command dragoman-fleet runs a control plane and member clusters on this machine from
// real Kubernetes binaries, for trying Dragoman out. Package fleet does the work; this is
// its command line.
//
// It exits with 0 when all is well, with 1 when `status` finds a problem, and with 2 when
// a command cannot do what it was asked for.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
)

// errUnhealthy makes the command exit with 1. What is wrong has been printed.
var errUnhealthy = errors.New("the fleet is unhealthy")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	errs := printable.NewWriter(os.Stderr) // what servers and logs say is in what is printed
	root := command()
	root.SetOut(printable.NewWriter(os.Stdout))
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, errUnhealthy):
		os.Exit(1)
	default:
		fmt.Fprintln(errs, "error:", err)
		os.Exit(2)
	}
}

func command() *cobra.Command {
	var dir string
	root := &cobra.Command{
		Use:           "dragoman-fleet",
		Short:         "Run a local control plane and member clusters from real Kubernetes binaries",
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	version.SetFlag(root)
	root.PersistentFlags().StringVar(&dir, "dir", defaultDir(), "folder of the fleet: its data, logs and kubeconfigs")
	root.AddCommand(buildCommand(), upCommand(&dir), serveCommand(&dir), statusCommand(&dir), downCommand(&dir))
	return root
}

// defaultDir is a folder of this user's, below the one for temporary files.
func defaultDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("dragoman-fleet-%d", os.Getuid()))
}
