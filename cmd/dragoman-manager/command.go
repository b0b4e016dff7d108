// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/featuregate"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/cluster"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/controllers/features"
)

// flags are what the command line says.
type flags struct {
	kubeconfig      string
	controllers     []string
	parameters      parameters
	bundleDir       string
	gates           featuregate.MutableVersionedFeatureGate
	logging         logging
	leaderElect     bool
	metricsAddress  string
	healthAddress   string
	cluster         cluster.Options
	evictionTimeout time.Duration
	qps             float32
	burst           int
}

// newCommand returns the command. share is given its logger, for the libraries that log
// by themselves; registry takes its metrics.
func newCommand(share func(logr.Logger), registry prometheus.Registerer) *cobra.Command {
	f := &flags{gates: features.New()}
	cmd := &cobra.Command{
		Use:   "dragoman-manager",
		Short: "Run the controllers of Dragoman's control plane",
		Args:  cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := f.logging.logger(cmd.ErrOrStderr())
			share(log)
			err := f.run(ctrl.LoggerInto(cmd.Context(), log), registry)
			if err != nil && f.logging.String() == "json" {
				log.Error(err, "ended")
				return errTold
			}
			return err
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the control plane; without it the in-cluster configuration")
	s.StringSliceVar(&f.controllers, "controllers", nil, "names of the controllers to run; all by default")
	s.StringToStringVar((*map[string]string)(&f.parameters), "bundle-parameter", nil, "parameter of a bundle, as bundle.parameter=value, such as flink.memoryUnits=quantity")
	s.StringVar(&f.bundleDir, "bundle-dir", "", bundleDirUsage)
	s.BoolVar(&f.leaderElect, "leader-elect", false, "run only while holding the lease dragoman-manager in the namespace karmada-system")
	s.StringVar(&f.metricsAddress, "metrics-bind-address", "0", "address of the metrics; 0 serves none")
	s.StringVar(&f.healthAddress, "health-probe-bind-address", "0", "address of /healthz and /readyz; 0 serves none")
	s.DurationVar(&f.cluster.Period, "cluster-status-update-frequency", 10*time.Second, "time between two looks at a member")
	s.DurationVar(&f.cluster.FailureThreshold, "cluster-failure-threshold", 30*time.Second, "how long a member must be seen not ready before it counts as not ready")
	s.DurationVar(&f.cluster.SuccessThreshold, "cluster-success-threshold", 30*time.Second, "how long a member must be seen ready before it counts as ready again")
	s.DurationVar(&f.evictionTimeout, "graceful-eviction-timeout", 10*time.Minute, "how long an eviction task without a grace period may last")
	s.Float32Var(&f.qps, "kube-api-qps", 200, "requests a second to the control plane")
	s.IntVar(&f.burst, "kube-api-burst", 400, "burst of requests to the control plane")
	s.Var(&f.logging, "logging-format", "text or json")
	s.IntVarP(&f.logging.verbosity, "v", "v", 0, "verbosity: 1 tells also why nothing was done")
	f.gates.AddFlag(s)
	version.SetFlag(cmd)
	return cmd
}

// errTold is an error that the log has told of.
var errTold = errors.New("told by the log")

func (f *flags) run(ctx context.Context, registry prometheus.Registerer) error {
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = f.qps, f.burst
	options, err := controllers.ManagerOptions(ctrl.Options{
		Logger:                 ctrl.LoggerFrom(ctx),
		Metrics:                metricsserver.Options{BindAddress: f.metricsAddress},
		HealthProbeBindAddress: f.healthAddress,
		LeaderElection:         f.leaderElect, LeaderElectionID: "dragoman-manager", LeaderElectionNamespace: "karmada-system",
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return fmt.Errorf("reach the control plane: %w", err)
	}
	o := controllers.Options{
		Failures: &customization.Failures{}, Changes: &customization.Changes{}, Gates: f.gates, Cluster: f.cluster, EvictionTimeout: f.evictionTimeout,
	}
	if o.Metrics, err = customization.NewMetrics(registry); err != nil {
		return err
	}
	if err := f.loadBundles(ctx, mgr, &o); err != nil {
		return fmt.Errorf("load the bundles: %w", err)
	}
	all, err := controllers.New(ctx, mgr, o)
	if err != nil {
		return err
	}
	if err := controllers.Register(mgr, all, f.controllers); err != nil {
		return err
	}
	return mgr.Start(ctx)
}
