// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// size holds the flags for what the fleet consists of.
type size struct {
	members  int
	nodes    int
	standIns []string
	servers  map[string]string
}

func (s *size) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&s.members, "members", 3, "number of member clusters: member1 … memberN")
	cmd.Flags().IntVar(&s.nodes, "nodes", 2, "number of nodes of each member, 8 CPU and 32Gi each")
	cmd.Flags().StringSliceVar(&s.standIns, "stand-in", nil, fmt.Sprintf(
		"operators played by kwok on the members: %s, or the path of a file of kwok Stages", strings.Join(fleet.StandInNames(), ", ")))
	cmd.Flags().StringToStringVar(&s.servers, "servers", nil, "folders with kube-apiserver, kube-controller-manager and kube-scheduler of another version, by member: member2=DIR")
}

// args are the flags that say the same to serve.
func (s *size) args() []string {
	args := []string{fmt.Sprintf("--members=%d", s.members), fmt.Sprintf("--nodes=%d", s.nodes)}
	for _, name := range s.standIns {
		args = append(args, "--stand-in="+name)
	}
	for _, member := range slices.Sorted(maps.Keys(s.servers)) {
		args = append(args, "--servers="+member+"="+s.servers[member])
	}
	return args
}

func upCommand(dir *string) *cobra.Command {
	var size size
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a fleet in the background and wait until it is ready",
		Example: `  dragoman-fleet up --dir lab --members 2 --stand-in flink
  kubectl --kubeconfig lab/kubeconfigs/member1.kubeconfig get nodes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if size.members < 0 || size.nodes < 1 {
				return fmt.Errorf("--members %d --nodes %d: want at least 0 members and 1 node", size.members, size.nodes)
			}
			return up(cmd.Context(), *dir, size, cmd.OutOrStdout())
		},
	}
	size.register(cmd)
	return cmd
}

func up(ctx context.Context, dir string, size size, out io.Writer) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = fleet.Inspect(ctx, dir)
	if err == nil {
		return fmt.Errorf("%s: %w; `dragoman-fleet down --dir %[1]s` ends it", dir, fleet.ErrRunning)
	}
	if !errors.Is(err, fleet.ErrNotRunning) {
		return err
	}
	fmt.Fprintf(out, "starting a control plane and %d members in %s\n", size.members, dir)
	began := time.Now()
	if err := spawn(ctx, dir, size); err != nil {
		return err
	}
	status, err := fleet.Inspect(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "ready after %.1f s\n", time.Since(began).Seconds())
	return printStatus(out, status)
}

// spawn starts this program again as `serve`, detached from the terminal, and
// waits for its report: "ready", or what went wrong. When ctx ends before that,
// the server is ended too.
func spawn(ctx context.Context, dir string, size size) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	report, reportEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	defer report.Close()
	// Takes what the server may print before it has a log. The file has no name, so
	// nothing is left of it.
	stray, err := os.CreateTemp("", "dragoman-fleet-")
	if err != nil {
		return err
	}
	defer stray.Close()
	if err := os.Remove(stray.Name()); err != nil {
		return err
	}

	server := exec.Command(self, append([]string{"serve", "--dir=" + dir}, size.args()...)...)
	server.Args[0] = os.Args[0] // a test binary goes by its name
	server.Stderr = stray
	server.ExtraFiles = []*os.File{reportEnd}
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = server.Start()
	reportEnd.Close()
	if err != nil {
		return err
	}

	stop := context.AfterFunc(ctx, func() { _ = server.Process.Signal(syscall.SIGTERM) })
	defer stop()
	text, err := io.ReadAll(report)
	switch {
	case err != nil:
		return err
	case string(text) == reportReady:
		return server.Process.Release()
	case len(text) > 0:
		_ = server.Wait() // it removes what it made
		return errors.New(string(text))
	}
	_ = server.Wait()
	_, _ = stray.Seek(0, io.SeekStart)
	output, _ := io.ReadAll(stray)
	return fmt.Errorf("the server of the fleet ended without a report: %s\n%s", server.ProcessState, output)
}
