// SPDX-License-Identifier: Apache-2.0

// Command demokyverno shows on a local fleet of real servers how a member's own admission
// tool has a job go on after a failover: the copy that is created there has the label of the
// job before it, and a policy of Kyverno sets the path by it. Kyverno runs as a process
// beside the API server of member2. All that it starts ends with it.
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

	"k8s.io/client-go/dynamic"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// limit bounds the demo once everything is built.
const limit = 4 * time.Minute

func main() {
	ctrllog.SetLogger(logr.Discard()) // of the clients
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fmt.Println("starting a control plane and two members: real etcd, kube-apiserver, controllers and kwok nodes on 127.0.0.1")
	return scenario.RunLab(bounded, "demo-kyverno", 2, fleet.Start, func(l scenario.Lab) error { return show(bounded, l) })
}

func show(ctx context.Context, l scenario.Lab) (failed error) {
	if err := scenario.InstallFlink(ctx, l.Fleet); err != nil {
		return err
	}
	manager, err := scenario.StartManager(context.WithoutCancel(ctx), l.Binary, l.Fleet.ControlPlane.Kubeconfig, l.Log)
	if err != nil {
		return err
	}
	defer manager.Stop()
	fmt.Println("installed the CRDs and started dragoman-manager")

	root, err := fleet.Root()
	if err != nil {
		return err
	}
	member := l.Fleet.Members[1]
	k, err := startKyverno(ctx, root, member, filepath.Join(filepath.Dir(l.Log), "kyverno.log"))
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, k.end(context.WithoutCancel(ctx))) }()
	fmt.Printf("started Kyverno for %s, process %d\n", member.Name, k.process.Pid)
	policy := filepath.Join(root, "examples", "members", "flink-savepoint-kyverno.yaml")
	if err := k.apply(ctx, policy); err != nil {
		return err
	}
	clients, err := dynamic.NewForConfig(member.RESTConfig())
	if err != nil {
		return err
	}
	if err := scenario.AdmissionActive(ctx, clients); err != nil {
		return err
	}
	fmt.Println("applied examples/members/flink-savepoint-kyverno.yaml there, and saw it set a path")
	s := &scenario.Scenario{Fleet: l.Fleet, Out: os.Stdout}
	return s.RunResume(ctx)
}
