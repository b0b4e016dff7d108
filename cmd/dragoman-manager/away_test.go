// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/suite"
)

// TestStartWithoutControlPlane starts managers of a control plane that is not there. Who runs them
// starts them again.
func TestStartWithoutControlPlane(t *testing.T) {
	port, err := fleet.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := kubeconfigOf(t, suite.Address{URL: fmt.Sprintf("http://127.0.0.1:%d", port)})
	cases := map[string]struct {
		flag string
		want string
	}{
		"Elected": {"--leader-elect=true", "create the namespace karmada-system of the lease: "},
		"Alone":   {"--leader-elect=false", "read the namespace that names this control plane: "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var out output
			err := execute(ctx, &out, "--kubeconfig="+kubeconfig, tc.flag)
			if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "connection refused") {
				t.Errorf("the manager ended with %v (%v); want what it could not do, and why; the log is\n%s", err, ctx.Err(), out.String())
			}
		})
	}
}

// TestLeaderEndsWhileTheControlPlaneIsAway has the control plane of a leader go away for good. Its
// watches wait for that, its lease must not.
func TestLeaderEndsWhileTheControlPlaneIsAway(t *testing.T) {
	s, proxy := startBehindProxy(t)
	m := start(t, kubeconfigOf(t, suite.Through(proxy, s.Fleet.ControlPlane)), "--leader-elect-lease-duration=5s", "--leader-elect-renew-deadline=4s")
	m.takesOver(t)
	proxy.Close()
	ended := make(chan error, 1)
	go func() { ended <- m.cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
	case <-time.After(time.Minute):
		t.Fatalf("the manager goes on without its lease; the log is\n%s", m.out.String())
	}
	if log := m.out.String(); err == nil || !strings.Contains(log, "leader election lost") || !strings.Contains(log, "got no answer from the control plane, for which all watches wait") {
		t.Errorf("the manager ended with %v; want that it lost its lease while its watches waited; the log is\n%s", err, log)
	}
}
