// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/suite"
)

// TestMain runs the command itself in the processes that start begins.
func TestMain(m *testing.M) {
	if os.Getenv(asManager) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// asManager is set in the environment of a process that is a manager.
const asManager = "DRAGOMAN_TEST_MANAGER"

// running is a manager in a process of its own.
type running struct {
	cmd     *exec.Cmd
	out     output
	address string
}

func start(t *testing.T, kubeconfig string, flags ...string) *running {
	t.Helper()
	port, err := fleet.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{address: fmt.Sprintf("127.0.0.1:%d", port)}
	flags = append([]string{
		"--kubeconfig=" + kubeconfig, "--logging-format=json", "--metrics-bind-address=0", "--health-probe-bind-address=" + r.address, "--leader-elect-retry-period=100ms",
	}, flags...)
	r.cmd = exec.CommandContext(t.Context(), os.Args[0], flags...) //nolint:gosec // this program
	r.cmd.Env = append(os.Environ(), asManager+"=1")
	r.cmd.Stderr = &r.out
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// stop ends the manager as Kubernetes would.
func (r *running) stop(t *testing.T) {
	t.Helper()
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the manager ended with %v; the log is\n%s", err, r.out.String())
	}
}

// get returns the status of a path of the probes, and what it answers with.
func (r *running) get(ctx context.Context, path string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.address+path, nil)
	if err != nil {
		return err.Error()
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	body, _ := io.ReadAll(response.Body)
	return response.Status + " " + string(body)
}

// await waits until a path answers that all is well.
func (r *running) await(t *testing.T, path string) {
	t.Helper()
	var last string
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = r.get(ctx, path)
		return strings.HasPrefix(last, "200 "), nil
	})
	if err != nil {
		t.Fatalf("%s answers %s; the log is\n%s", path, last, r.out.String())
	}
}

// until waits until f returns "", and fails with what it returned last.
func until(t *testing.T, what string, f func(context.Context) string) {
	t.Helper()
	var last string
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		now := f(ctx)
		if ctx.Err() == nil {
			last = now
		}
		return now == "", nil
	})
	if err != nil {
		t.Fatalf("%s: %s", what, last)
	}
}

// works reports whether the controllers run.
func (r *running) works() bool { return strings.Contains(r.out.String(), `"logger":"work.execution"`) }

// takesOver waits until the controllers run.
func (r *running) takesOver(t *testing.T) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return r.works(), nil
	})
	if err != nil {
		t.Fatalf("no controller runs; the log is\n%s", r.out.String())
	}
}

// TestHealth runs two managers on one control plane, as two replicas of a Deployment.
func TestHealth(t *testing.T) {
	s, err := suite.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	first := start(t, s.Fleet.ControlPlane.Kubeconfig)
	first.await(t, "/healthz")
	first.await(t, "/readyz")
	first.takesOver(t) // it is ready before it has the lease
	lease := &coordinationv1.Lease{}
	if err := s.Client.Get(t.Context(), types.NamespacedName{Namespace: "karmada-system", Name: "dragoman-manager"}, lease); err != nil {
		t.Errorf("one of several managers is chosen by a lease: %v", err)
	}

	second := start(t, s.Fleet.ControlPlane.Kubeconfig)
	second.await(t, "/healthz")
	second.await(t, "/readyz") // to take over
	if second.works() {
		t.Error("two managers run their controllers at once")
	}
	first.stop(t)
	second.takesOver(t)
	second.await(t, "/readyz")
	second.stop(t)
}
