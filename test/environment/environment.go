// SPDX-License-Identifier: Apache-2.0

// Package environment starts what the stories of the end-to-end tests run on: a whole fleet,
// the built manager as a process of its own, and clients of all API servers. A package of
// specs has one Environment, and each spec a namespace of its own in it. What suites of
// single controllers need is in test/suite. It knows no story.
package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/programs"
	"github.com/dragoman-io/dragoman/test/scenario"
	"github.com/dragoman-io/dragoman/test/scenario/operator"
	"github.com/dragoman-io/dragoman/test/suite"
)

// members is how many members an environment has.
const members = 3

// logTail is how much of the manager's log a failed spec reports, in bytes.
const logTail = 12000

// Environment is a running fleet of three members with a manager.
type Environment struct {
	*fleet.Fleet
	// Hub reads and writes the control plane without a cache.
	Hub client.WithWatch
	// Manager is the one that runs, or ran last.
	Manager *scenario.Manager
	// Flink is what the jobs write to for which the Flink operator is played on the members.
	Flink *operator.Storage
	// Bin is the folder of the programs.
	Bin string
	// Binary is the manager, Log the file that it logs to.
	Binary, Log string

	// metrics is the address of the manager's metrics.
	metrics string
	flags   []string
	// operators end the Flink operator on each member.
	operators map[string]context.CancelFunc

	mu      sync.Mutex
	clients map[string]client.WithWatch // by the name of the member
}

// oldServers are those of member2 where $DRAGOMAN_OLD_MEMBER names the folder of an older version.
func oldServers() map[string]string {
	dir := os.Getenv("DRAGOMAN_OLD_MEMBER")
	if dir == "" {
		return nil
	}
	return map[string]string{"member2": dir}
}

// Begin starts a fleet with these stand-ins, the Flink operator of
// its members, and a manager with these flags. All ends after the last spec. It is called in
// BeforeSuite, and Join after it. BeforeSuite needs no limit of its own: what is waited for has one,
// and how long programs are built tells only how busy the machine is.
func Begin(ctx context.Context, standIns []fleet.StandIn, flags ...string) *Environment {
	GinkgoHelper()
	SetDefaultEventuallyTimeout(suite.Patience)
	SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	bin, err := programs.Dir(ctx, GinkgoT().TempDir(), "dragoman", "dragoman-manager")
	Expect(err).NotTo(HaveOccurred())
	e := &Environment{
		Bin: bin, Log: filepath.Join(GinkgoT().TempDir(), "manager.log"), Binary: filepath.Join(bin, "dragoman-manager"),
		clients: map[string]client.WithWatch{}, operators: map[string]context.CancelFunc{}, Flink: &operator.Storage{},
	}
	e.Fleet, err = fleet.Start(ctx, fleet.Options{Members: fleet.MemberNames(members), StandIns: standIns, Servers: oldServers()})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(e.Stop()).To(Succeed()) })
	port, err := fleet.FreePort() // the fleet has its own by now
	Expect(err).NotTo(HaveOccurred())
	e.metrics = fmt.Sprintf("127.0.0.1:%d", port)
	// A member that comes back counts as ready soon; one that is slow does not count as lost. Nobody
	// starts a manager again that lost its lease for want of a processor, as a cluster would.
	e.flags = append([]string{
		"--leader-elect-lease-duration", "5m", "--leader-elect-renew-deadline", "4m",
		"--cluster-status-update-frequency", "2s", "--cluster-success-threshold", "2s",
		"--enable-no-execute-taint-eviction", "--metrics-bind-address", e.metrics,
	}, flags...)
	Expect(scenario.Install(ctx, e.Fleet)).To(Succeed())
	Expect(scenario.InstallFlink(ctx, e.Fleet)).To(Succeed())
	for _, m := range e.Members {
		Expect(e.playFlink(m)).To(Succeed())
	}
	DeferCleanup(func() {
		for _, stop := range e.operators {
			stop()
		}
	})
	e.Hub = e.client(e.ControlPlane)
	e.StartManager()
	DeferCleanup(func() { e.Manager.Stop() })
	return e
}

// Join makes the members known to the control plane, and waits until objects can be given
// to each: a Deployment goes to those that are ready when it comes.
func (e *Environment) Join(ctx context.Context) {
	GinkgoHelper()
	Expect(scenario.Join(ctx, e.Fleet)).To(Succeed())
	for _, m := range e.Members {
		e.AwaitReady(ctx, m.Name)
	}
}

// StartManager runs the built manager as a user would, with the flags of the environment
// and further ones. The one before must have ended; its log is replaced.
func (e *Environment) StartManager(flags ...string) {
	GinkgoHelper()
	var err error
	e.Manager, err = scenario.StartManager(context.Background(), e.Binary, e.ControlPlane.Kubeconfig, e.Log, append(e.flags[:len(e.flags):len(e.flags)], flags...)...)
	Expect(err).NotTo(HaveOccurred())
}

// RestartManager stops the manager and starts another, with further flags.
func (e *Environment) RestartManager(flags ...string) {
	GinkgoHelper()
	e.Manager.Stop()
	e.StartManager(flags...)
}

// KillManager kills the manager, and has its lease expire, for whose end another would wait.
func (e *Environment) KillManager(ctx context.Context) {
	GinkgoHelper()
	e.Manager.Kill()
	Expect(scenario.ExpireLease(ctx, e.Hub)).To(Succeed())
}

// ReportLog adds the end of the manager's log to the report of a spec that failed. It is
// called in AfterEach.
func (e *Environment) ReportLog() {
	if !CurrentSpecReport().Failed() {
		return
	}
	if text, err := os.ReadFile(e.Log); err == nil {
		AddReportEntry("the manager's log", string(text[max(0, len(text)-logTail):]))
	}
}

// client returns a new client of a cluster.
func (e *Environment) client(of *fleet.Cluster) client.WithWatch {
	GinkgoHelper()
	scheme, err := controllers.Scheme()
	Expect(err).NotTo(HaveOccurred())
	c, err := client.NewWithWatch(of.RESTConfig(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred(), of.Name)
	return c
}

// At returns the client of a member. It has no cache.
func (e *Environment) At(member string) client.WithWatch {
	GinkgoHelper()
	of := e.Member(member)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.clients[member] == nil {
		e.clients[member] = e.client(of)
	}
	return e.clients[member]
}

// Member returns a member of the fleet.
func (e *Environment) Member(name string) *fleet.Cluster {
	GinkgoHelper()
	for _, m := range e.Members {
		if m.Name == name {
			return m
		}
	}
	Fail(fmt.Sprintf("there is no member %s", name))
	return nil
}

// Others returns the names of the members that are not among some.
func (e *Environment) Others(than ...string) []string {
	var names []string
	for _, m := range e.Members {
		if !slices.Contains(than, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}
