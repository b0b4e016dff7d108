// SPDX-License-Identifier: Apache-2.0

// Command demo runs the project's main job on a local fleet of real servers and shows
// each step: a FlinkDeployment is placed, fails, and continues elsewhere with its state.
// With KEEP=1 the fleet stays until Ctrl-C.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Println("interrupted; nothing is left running")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// limit bounds the demo once everything is built.
const limit = 90 * time.Second

func run(ctx context.Context) (failed error) {
	root, err := fleet.Root()
	if err != nil {
		return err
	}
	if err := fleet.Build(ctx, root, os.Stdout); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dragoman-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			failed = errors.Join(failed, err)
		}
	}()
	keep := os.Getenv("KEEP") != ""
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	began := time.Now()
	fmt.Println("starting a control plane and three members: real etcd, kube-apiserver, controllers and kwok nodes on 127.0.0.1")
	f, err := fleet.Start(bounded, fleet.Options{Dir: filepath.Join(dir, "fleet"), Members: fleet.MemberNames(3)})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, f.Stop()) }()
	fmt.Printf("the fleet runs after %.1f s\n", time.Since(began).Seconds())
	lab := scenario.Lab{Fleet: f, Binary: filepath.Join(root, "bin", "dragoman-manager"), Log: filepath.Join(dir, "manager.log")}
	manager, err := lab.Demo(bounded, os.Stdout)
	if manager != nil {
		defer manager.Stop()
	}
	if err != nil {
		if text, readErr := os.ReadFile(lab.Log); readErr == nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "the end of the manager's log:\n%s", tail(text, 8000))
		}
		return err
	}
	fmt.Printf("all steps were seen, %.1f s after the start\n", time.Since(began).Seconds())
	if keep {
		lookAround(root, f, lab.Log)
		<-ctx.Done()
		fmt.Println("stopping the fleet")
	}
	return nil
}

func tail(text []byte, n int) []byte {
	if len(text) > n {
		return text[len(text)-n:]
	}
	return text
}

// lookAround prints commands to inspect the clusters.
func lookAround(root string, f *fleet.Fleet, log string) {
	kubectl := filepath.Join(root, "bin", "kube", "kubectl")
	fmt.Printf("\nThe fleet stays until you press Ctrl-C. To look around:\n  alias k=%s\n", kubectl)
	fmt.Printf("  k --kubeconfig %s get clusters,resourcebindings -A\n", f.ControlPlane.Kubeconfig)
	fmt.Printf("  k --kubeconfig %s get works -A\n", f.ControlPlane.Kubeconfig)
	for _, m := range f.Members {
		fmt.Printf("  k --kubeconfig %s get flinkdeployments -A --show-labels\n", m.Kubeconfig)
	}
	fmt.Printf("  tail -f %s\n", log)
}
