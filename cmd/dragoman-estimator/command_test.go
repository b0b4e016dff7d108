// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/apimachinery/pkg/util/wait"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

func TestFlagsThatAreWrong(t *testing.T) {
	for want, args := range map[string][]string{
		"--cluster-name is missing":              {},
		`"xml" is neither text nor json`:         {"--logging-format=xml"},
		"a certificate needs a file of its own":  {"--cluster-name=one", "--grpc-auth-cert-file=x"},
		"read the kubeconfig: stat /nonexistent": {"--cluster-name=one", "--kubeconfig=/nonexistent"},
		`unknown command "one"`:                  {"one"},
		`strconv.ParseUint: parsing "99999"`:     {"--server-port=99999"},
		"clients cannot be verified without":     {"--cluster-name=one", "--grpc-auth-cert-file=x", "--grpc-auth-key-file=y"},
	} {
		cmd := newCommand(func(logr.Logger) {}, prometheus.NewRegistry())
		cmd.SetArgs(args)
		cmd.SetErr(&bytes.Buffer{})
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v ended with %v, want %q", args, err, want)
		}
	}
}

// TestEstimator runs the whole program on a real API server without nodes.
func TestEstimator(t *testing.T) {
	f, err := fleet.StartAPIServers(t.Context(), fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Stop(); err != nil {
			t.Error(err)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	var log output
	cmd := newCommand(func(logr.Logger) {}, prometheus.NewRegistry())
	cmd.SetArgs([]string{"--kubeconfig", f.ControlPlane.Kubeconfig, "--cluster-name=one", "--bind-address=127.0.0.1", "--server-port", port, "--metrics-bind-address=0", "--health-probe-bind-address=0"})
	cmd.SetErr(&log)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		r, err := pb.NewEstimatorClient(conn).MaxAvailableReplicas(ctx, &pb.MaxAvailableReplicasRequest{Cluster: "one"})
		return err == nil && r.MaxReplicas == 0, nil
	})
	if err != nil {
		t.Errorf("no answer: %v, log:\n%s", err, log.String())
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
	if !strings.Contains(log.String(), "listening") {
		t.Errorf("the log has no entry about where it listens:\n%s", log.String())
	}
}

// output collects what is written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
