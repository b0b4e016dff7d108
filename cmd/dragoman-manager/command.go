// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/featuregate"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/dragoman-io/dragoman/cmd/internal/buildinfo"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/scripts"
)

// flags are what the command line sets.
type flags struct {
	kubeconfig     string
	options        controllers.Options
	backoff        binding.Backoff
	startTimeout   time.Duration
	programMemory  quantity
	gates          featuregate.MutableVersionedFeatureGate
	logging        logging
	election       election
	workers        []*concurrency
	metricsAddress string
	healthAddress  string
	profiling      profiling
	estimators     estimators
	qps            float32
	burst          int
	owner          string
	memberQPS      float32
	memberBurst    int
	deadline       time.Duration
	memory         quantity
	successes      controllers.SuccessEvents

	resourceModeling  bool
	skippedAPIs       string
	skippedNamespaces []string
}

const controllersUsage = `names of the controllers to run, with those that they need in the same process. * is all that are
on by default, which is also meant without names; -name is all of these but that one.
deploymentReplicasSyncer is off by default`

const bundleDirUsage = `folder with a folder for each further bundle, such as mounted ConfigMaps; its bundles go
before those of this program, operation by operation, and are trusted as they are. Changes
are activated while this runs; a bundle that is refused, which the log reports with file
and line, leaves the one before in place. Keys of a ConfigMap stand for paths with a dot in
place of the slash, such as FlinkDeployment.health.lua`

const genericAnswersUsage = `what is answered by generic rules for kinds that no script is about: replicas, by the scale
subresource of the kind's CRD, which divides what a policy wants divided; health, by standard
conditions; dependencies, by pod templates. Empty answers nothing`

const activationTimeoutUsage = `how long the start waits until customizations and bundles are compiled. Operations of a
customization that is not compiled by then fail and are retried, and are done once it is`

const skippedAPIsUsage = `APIs whose objects are never propagated, separated by semicolons, beside the control plane's
own, Events and Leases: group, as networking.k8s.io; group/version, as
networking.k8s.io/v1beta1; or group/version/kind,kind, as networking.k8s.io/v1/Ingress,IngressClass`

const skippedNamespacesUsage = `regular expressions of the namespaces whose objects are never propagated; karmada-system,
karmada-cluster and karmada-es-* never are`

const webhookUsage = `address of the webhooks, which set defaults and validate policies, clusters, bindings and
customizations; 0 serves none and removes their configurations. Certificates are made and
renewed in the Secret dragoman-webhook of the namespace karmada-system`

const resourceModelingUsage = `read the nodes and pods of members, for the resourceSummary in the status of clusters and for its
allocatableModelings. Without it the free resources of no cluster are known, and nothing can be
divided by them`

const clusterOwnerUsage = `name of this control plane on the objects of members, by which those of two control planes
are known apart; by default the UID of its namespace kube-system. Not that of a control plane that
runs: of two of one name the second writes nothing to the members that it shares with the first`

const successEventsUsage = `events that say that something went as it should: some are written as long as there are
few, five a second of all and one a second of a namespace after its first thirty, and the rest is
dropped; all are a request each; none are written. What fails, what ends that and what moves is
always written`

const memoryUsage = `memory that this process may take, such as 1Gi; by default the limit of its container, or
of ulimit -d or -v if that is less. The heap is kept below nine tenths of it, and the runs of
scripts at once below a quarter of that; the variable GOMEMLIMIT sets the heap's limit itself`

// newCommand returns the command. share is called with its logger, for libraries that log
// by themselves; registry serves its metrics.
func newCommand(share func(logr.Logger), registry prometheus.Registerer) *cobra.Command {
	f := &flags{successes: controllers.SomeSuccessEvents, gates: features.New(), workers: concurrencies()}
	f.options.Bundles.Embedded = scripts.FS
	cmd := &cobra.Command{
		Use:   "dragoman-manager",
		Short: "Run the controllers of Dragoman's control plane",
		Args:  cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := f.logging.logger(cmd.ErrOrStderr())
			share(log)
			err := explained(f.run(ctrl.LoggerInto(cmd.Context(), log), registry))
			if err != nil && f.logging.String() == "json" {
				log.Error(err, "ended")
				return errLogged
			}
			return err
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the control plane; without it the in-cluster configuration")
	s.StringSliceVar(&f.options.Names, "controllers", nil, controllersUsage)
	s.StringToStringVar(&f.options.Bundles.Parameters, "bundle-parameter", nil, "parameter of a bundle, as bundle.parameter=value, such as flink.memoryUnits=quantity")
	s.StringVar(&f.options.Bundles.Dir, "bundle-dir", "", bundleDirUsage)
	s.StringSliceVar(&f.options.Bundles.Generic, "generic-answers", bundle.GenericAnswers(), genericAnswersUsage)
	s.DurationVar(&f.startTimeout, "activation-timeout", controllers.DefaultStartTimeout, activationTimeoutUsage)
	s.Var(&f.programMemory, "program-memory", programMemoryUsage)
	f.election.addFlags(s)
	addFlags(s, f.workers)
	s.StringVar(&f.metricsAddress, "metrics-bind-address", ":8080", "address of the metrics; 0 serves none")
	s.StringVar(&f.healthAddress, "health-probe-bind-address", ":10357", "address of /healthz and /readyz; 0 serves none")
	f.profiling.addFlags(s)
	s.StringVar(&f.options.Admission.Address, "webhook-bind-address", "0", webhookUsage)
	s.StringVar(&f.options.Admission.URL, "webhook-url", "", "URL at which the API server of the control plane reaches the webhooks; by default https:// and the address")
	s.BoolVar(&f.options.Admission.AllowNoExecute, "allow-no-execute-taint-policy", false, "accept ClusterTaintPolicies with the effect NoExecute, which evicts what runs on a cluster")
	s.DurationVar(&f.options.Cluster.Period, "cluster-status-update-frequency", 10*time.Second, "time between two probes of a member")
	s.DurationVar(&f.options.Cluster.FailureThreshold, "cluster-failure-threshold", 30*time.Second, "how long a member must be observed not ready before it counts as not ready")
	s.DurationVar(&f.options.Cluster.SuccessThreshold, "cluster-success-threshold", 30*time.Second, "how long a member must be observed ready before it counts as ready again")
	s.BoolVar(&f.resourceModeling, "enable-cluster-resource-modeling", true, resourceModelingUsage)
	s.BoolVar(&f.options.Namespaces.EveryCluster, "namespaces-to-every-cluster", false, "propagate every namespace to every cluster; by default a namespace goes where something in it goes")
	s.DurationVar(&f.options.EvictionTimeout, "graceful-eviction-timeout", 10*time.Minute, "how long an eviction task without a grace period may last")
	addFailoverFlags(s, &f.options.ClusterFailover)
	addBackoffFlags(s, &f.backoff)
	f.estimators.addFlags(s)
	s.Float32Var(&f.qps, "kube-api-qps", 200, "requests a second to the control plane")
	s.IntVar(&f.burst, "kube-api-burst", 400, "burst of requests to the control plane")
	s.Float32Var(&f.memberQPS, "cluster-api-qps", controllers.DefaultMemberQPS, "requests a second to each member")
	s.IntVar(&f.memberBurst, "cluster-api-burst", controllers.DefaultMemberBurst, "burst of requests to each member")
	s.Var(&f.successes, "success-events", successEventsUsage)
	s.StringVar(&f.owner, "cluster-owner", "", clusterOwnerUsage)
	s.DurationVar(&f.deadline, "script-deadline", 2*time.Second, "after how long a run of a script that its limits did not end is abandoned; 0 never")
	s.Var(&f.memory, "memory-limit", memoryUsage)
	s.Var(&f.logging, "logging-format", "text or json")
	s.IntVarP(&f.logging.verbosity, "v", "v", 0, "verbosity: 1 logs also why nothing was done")
	s.StringVar(&f.skippedAPIs, "skipped-propagating-apis", "", skippedAPIsUsage)
	s.StringSliceVar(&f.skippedNamespaces, "skipped-propagating-namespaces", []string{"kube-.*"}, skippedNamespacesUsage)
	f.gates.AddFlag(s)
	version.SetFlag(cmd)
	return cmd
}

// errLogged is the error of a command whose log has the cause.
var errLogged = errors.New("the log has the error")

func (f *flags) run(ctx context.Context, registry prometheus.Registerer) error {
	if err := errors.Join(f.options.ClusterFailover.Validate(), f.backoff.Validate(), f.options.Bundles.Validate(), f.estimators.set(&f.options)); err != nil {
		return err
	}
	if err := buildinfo.Register(registry); err != nil {
		return err
	}
	config, err := configOf(f.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = f.qps, f.burst
	heap := f.limitMemory(ctrl.LoggerFrom(ctx))
	lead := &lead{clock: clock.RealClock{}, limit: f.election.renew}
	mgr, err := f.manager(ctx, config, lead)
	if err != nil {
		return err
	}
	owner, err := controllers.Owner(ctx, mgr.GetAPIReader(), f.owner)
	if err != nil {
		return err
	}
	d, err := controllers.NewDeps(mgr, controllers.Environment{
		Informers: mgr.informers, Watcher: mgr.watcher, Owner: owner, Election: f.election.of(lead), MemberQPS: f.memberQPS, MemberBurst: f.memberBurst, WrapMember: lead.guard,
		Registry: registry, Gates: f.gates, ProgramMemory: f.programs(heap), Deadline: f.deadline, Memory: heap / runShare,
		Workers: workersOf(f.workers), Backoff: f.backoff, Successes: f.successes,
		SkippedAPIs: f.skippedAPIs, SkippedNamespaces: f.skippedNamespaces,
	})
	if err != nil {
		return err
	}
	f.options.Cluster.IgnoreResources = !f.resourceModeling
	all, err := controllers.Hub(d, f.options)
	if err != nil {
		return err
	}
	ctrl.LoggerFrom(ctx).Info("built controllers", "controllers", controllers.Names(all))
	if err := controllers.RegisterWithin(ctx, mgr, all, f.startTimeout); err != nil {
		return err
	}
	if err := controllers.AddHealthChecks(mgr, d, all, f.election.enabled); err != nil {
		return err
	}
	go mgr.informers.Report(ctx, ctrl.LoggerFrom(ctx).WithName("informers")) // what it reports keeps the manager from starting
	return mgr.Start(ctx)
}

// hub is a manager of the control plane, with its informers and the client of their watches.
type hub struct {
	ctrl.Manager
	informers *controllers.Informers
	watcher   *http.Client
}

// manager returns a manager of the control plane that runs nothing yet, and that writes nothing
// once it has lost its lead. Its watches wait for a control plane that is away, its lease does not.
func (f *flags) manager(ctx context.Context, config *rest.Config, lead *lead) (*hub, error) {
	if err := f.election.prepare(ctx, config); err != nil {
		return nil, err
	}
	options, err := controllers.ManagerOptions(f.election.options(ctrl.Options{
		Logger:                 ctrl.LoggerFrom(ctx),
		Metrics:                metricsserver.Options{BindAddress: f.metricsAddress},
		HealthProbeBindAddress: f.healthAddress,
		PprofBindAddress:       f.profiling.bind(),
	}))
	if err != nil {
		return nil, err
	}
	if f.election.enabled {
		if options.LeaderElectionResourceLockInterface, err = lead.lock(&f.election, config, options.Scheme); err != nil {
			return nil, err
		}
	}
	h := &hub{informers: controllers.ObserveInformers(&options)}
	config = rest.CopyConfig(config)
	config.Wrap(lead.guard)
	if h.watcher, err = controllers.ResumeWatches(ctx, config, &options, h.informers); err != nil {
		return nil, err
	}
	if h.Manager, err = ctrl.NewManager(config, options); err != nil {
		return nil, fmt.Errorf("reach the control plane: %w", err)
	}
	return h, nil
}

// limitMemory sets the limit of Go's heap and returns it; 0 is none.
func (f *flags) limitMemory(log logr.Logger) int64 {
	m, err := limitMemory(f.memory, memorySources()...)
	if err != nil {
		log.Error(err, "read no memory limit")
	}
	log.Info("limited memory", "bytes", m.limit, "source", m.source)
	return m.limit
}
