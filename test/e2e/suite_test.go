// SPDX-License-Identifier: Apache-2.0

// Package e2e tests the whole path on a real fleet: policy in, object out, status back.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/scenario"
)

func TestEndToEnd(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "end to end")
}

var (
	running *fleet.Fleet
	manager *scenario.Manager
	hub     client.WithWatch
	log     string
	path    string
	// bundles is the manager's folder of bundles, and metrics the address of its metrics.
	bundles string
	metrics string
)

var _ = BeforeSuite(func(ctx SpecContext) {
	dir := GinkgoT().TempDir()
	root, err := fleet.Root()
	Expect(err).NotTo(HaveOccurred())
	path = filepath.Join(dir, "dragoman-manager")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/dragoman-manager")
	build.Dir = root
	out, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))

	flink, err := fleet.LoadStandIn("flink")
	Expect(err).NotTo(HaveOccurred())
	running, err = fleet.Start(ctx, fleet.Options{Members: fleet.MemberNames(3), StandIns: []fleet.StandIn{flink}})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(running.Stop()).To(Succeed()) })
	Expect(scenario.Install(ctx, running)).To(Succeed())

	log = filepath.Join(dir, "manager.log")
	bundles = filepath.Join(dir, "bundles")
	Expect(os.Mkdir(bundles, 0o750)).To(Succeed())
	port, err := fleet.FreePort()
	Expect(err).NotTo(HaveOccurred())
	metrics = fmt.Sprintf("127.0.0.1:%d", port)
	startManager()
	DeferCleanup(func() { manager.Stop() })

	scheme, err := controllers.Scheme()
	Expect(err).NotTo(HaveOccurred())
	hub, err = client.NewWithWatch(running.ControlPlane.RESTConfig(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	Expect(scenario.Join(ctx, running)).To(Succeed())
	SetDefaultEventuallyTimeout(40 * time.Second)
	SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	for _, m := range running.Members {
		awaitReady(ctx, m.Name) // a Deployment goes to those that are ready when it comes
	}
}, NodeTimeout(5*time.Minute))

// startManager runs the built binary as a user would, looking at members more often.
func startManager() {
	GinkgoHelper()
	var err error
	manager, err = scenario.StartManager(context.Background(), path, running.ControlPlane.Kubeconfig, log,
		"--cluster-status-update-frequency", "2s", "--bundle-dir", bundles, "--metrics-bind-address", metrics)
	Expect(err).NotTo(HaveOccurred())
}

var _ = AfterEach(func() {
	if !CurrentSpecReport().Failed() {
		return
	}
	if text, err := os.ReadFile(log); err == nil {
		AddReportEntry("the manager's log", string(text[max(0, len(text)-12000):]))
	}
})
