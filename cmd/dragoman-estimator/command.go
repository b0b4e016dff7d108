// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/dragoman-io/dragoman/cmd/internal/buildinfo"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/controllers/estimator/server"
)

// flags are what the command line sets.
type flags struct {
	kubeconfig     string
	cluster        string
	address        string
	port           uint16
	tls            server.TLS
	healthAddress  string
	metricsAddress string
	qps            float32
	burst          int
	format         string
	verbosity      int
}

// defaultPort is the port at which clients expect an estimator.
const defaultPort = 10352

// newCommand returns the command. share is called with its logger, for libraries that log
// by themselves; registry serves its metrics.
func newCommand(share func(logr.Logger), registry prometheus.Registerer) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "dragoman-estimator",
		Short: "Answer how much of a workload still fits on a member cluster",
		Args:  cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := f.logger(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			share(log)
			return f.run(ctrl.LoggerInto(cmd.Context(), log), registry)
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the member; without it the in-cluster configuration")
	s.StringVar(&f.cluster, "cluster-name", "", "name of the member on the control plane; requests about other clusters are refused")
	s.StringVar(&f.address, "bind-address", "0.0.0.0", "IP address of the gRPC server")
	s.Uint16Var(&f.port, "port", defaultPort, "port of the gRPC server; --server-port is the same")
	s.StringVar(&f.tls.CertFile, "grpc-auth-cert-file", "", "certificate of the gRPC server; without it, it serves plain text")
	s.StringVar(&f.tls.KeyFile, "grpc-auth-key-file", "", "key of that certificate")
	s.StringVar(&f.tls.ClientCAFile, "grpc-client-ca-file", "", "authorities that have signed the certificates of clients")
	s.BoolVar(&f.tls.AnyClient, "insecure-skip-grpc-client-verify", false, "take clients without a certificate")
	s.StringVar(&f.healthAddress, "health-probe-bind-address", ":10351", "address of /healthz and /readyz; 0 serves none")
	s.StringVar(&f.metricsAddress, "metrics-bind-address", ":8080", "address of the metrics; 0 serves none")
	s.Float32Var(&f.qps, "kube-api-qps", 20, "requests a second to the member")
	s.IntVar(&f.burst, "kube-api-burst", 30, "burst of requests to the member")
	s.StringVar(&f.format, "logging-format", "text", "text or json")
	s.IntVarP(&f.verbosity, "v", "v", 0, "verbosity: 1 logs also each request")
	s.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "server-port" {
			name = "port"
		}
		return pflag.NormalizedName(name)
	})
	version.SetFlag(cmd)
	return cmd
}

// logger returns a logger with one line an entry.
func (f *flags) logger(w io.Writer) (logr.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.Level(-f.verbosity)}
	switch f.format {
	case "text":
		return logr.FromSlogHandler(slog.NewTextHandler(w, options)), nil
	case "json":
		return logr.FromSlogHandler(slog.NewJSONHandler(w, options)), nil
	}
	return logr.Logger{}, fmt.Errorf("--logging-format: %q is neither text nor json", f.format)
}

func (f *flags) run(ctx context.Context, registry prometheus.Registerer) error {
	if f.cluster == "" {
		return errors.New("--cluster-name is missing")
	}
	if err := buildinfo.Register(registry); err != nil {
		return err
	}
	config, err := f.tls.Config()
	if err != nil {
		return err
	}
	rest, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	rest.QPS, rest.Burst = f.qps, f.burst
	mgr, err := ctrl.NewManager(rest, ctrl.Options{
		Logger:                 ctrl.LoggerFrom(ctx),
		Cache:                  server.CacheOptions(),
		Metrics:                metricsserver.Options{BindAddress: f.metricsAddress},
		HealthProbeBindAddress: f.healthAddress,
	})
	if err != nil {
		return fmt.Errorf("reach the member: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(f.address, strconv.Itoa(int(f.port))))
	if err != nil {
		return err
	}
	defer listener.Close()
	ctrl.LoggerFrom(ctx).Info("listening", "address", listener.Addr().String(), "tls", config != nil, "cluster", f.cluster)
	if err := server.Register(ctx, mgr, server.Options{Cluster: f.cluster, Listener: listener, TLS: config, Registry: registry}); err != nil {
		return err
	}
	return mgr.Start(ctx)
}
