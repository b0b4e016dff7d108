// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// timeout is how long a condition may take on a busy machine.
const timeout = 2 * time.Minute

// whole is a fleet with one member and its controllers, shared by the specs that
// need these. It knows the stand-in for Flink.
var whole *fleet.Fleet

// TestMain makes this binary a fleet's parent that a spec can kill: with
// DRAGOMAN_FLEET_HELPER set it starts a bare fleet in that folder and waits.
func TestMain(m *testing.M) {
	dir := os.Getenv("DRAGOMAN_FLEET_HELPER")
	if dir == "" {
		os.Exit(m.Run())
	}
	if _, err := fleet.StartAPIServers(context.Background(), fleet.Options{Dir: dir}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	forever := make(chan os.Signal, 1)
	signal.Notify(forever) // and ignore every signal that can be ignored
	for range forever {
	}
}

func TestFleet(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Fleet")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	flink, err := fleet.LoadStandIn("flink")
	Expect(err).NotTo(HaveOccurred())
	whole, err = fleet.Start(ctx, fleet.Options{
		Members:  []string{"east"},
		Nodes:    1,
		StandIns: []fleet.StandIn{flink},
	})
	Expect(err).NotTo(HaveOccurred())
})

var _ = AfterSuite(func() {
	if whole != nil {
		Expect(whole.Stop()).To(Succeed())
	}
})

// clientFor returns a client for c.
func clientFor(c *fleet.Cluster) *kubernetes.Clientset {
	GinkgoHelper()
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	Expect(err).NotTo(HaveOccurred())
	return client
}

// bare starts API servers that end with the spec.
func bare(ctx context.Context, opts fleet.Options) *fleet.Fleet {
	GinkgoHelper()
	f, err := fleet.StartAPIServers(ctx, opts)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(f.Stop)
	return f
}
