// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/transport"
	"k8s.io/component-base/featuregate"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/delivery"
	"github.com/dragoman-io/dragoman/controllers/internal/eventbudget"
	"github.com/dragoman-io/dragoman/controllers/internal/failovers"
	"github.com/dragoman-io/dragoman/controllers/internal/informers"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/progress"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/related"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Deps are the dependencies that the controllers share.
type Deps = base.Deps

// Informers observes which kinds the cache of a manager has not listed yet.
type Informers = informers.Tracker

// Election reports for which term a manager leads.
type Election = base.Election

// Term is the time for which a manager leads.
type Term = base.Term

// SuccessEvents is which events of success are written; the value of a flag.
type SuccessEvents = eventbudget.Mode

// SomeSuccessEvents is the default: those for which there is room in the budget.
const SomeSuccessEvents = eventbudget.Some

// DefaultMemberQPS and DefaultMemberBurst limit the requests to a member if nothing else is
// set.
const (
	DefaultMemberQPS   = member.DefaultQPS
	DefaultMemberBurst = member.DefaultBurst
)

// Environment is what Deps are made from beside a manager; the zero value is usable.
type Environment struct {
	// Registry serves the metrics of the engine, of failovers and of controllers; nil serves none.
	Registry prometheus.Registerer
	// Gates are those of features.New by default.
	Gates featuregate.FeatureGate
	// SkippedAPIs and SkippedNamespaces are never propagated, see skip.New; nil namespaces
	// are skip.DefaultNamespaces.
	SkippedAPIs       string
	SkippedNamespaces []string
	// Clock is the real clock by default.
	Clock clock.PassiveClock
	// Interpreter is an engine with rules, whose runs are not observed; by default it
	// is a new one.
	Interpreter *engine.Interpreter
	// ProgramMemory bounds what the programs of the new engine keep in memory, in bytes; 0
	// means engine.DefaultProgramMemory.
	ProgramMemory int64
	// Owner names this control plane on the objects of members, see Owner; empty marks none.
	Owner string
	// Election reports for which term the manager leads; nil means that it is not elected.
	Election Election
	// MemberQPS and MemberBurst limit the requests to each member; 0 means
	// DefaultMemberQPS and DefaultMemberBurst.
	MemberQPS   float32
	MemberBurst int
	// Informers are those of the manager, see ObserveInformers; nil observes none.
	Informers *Informers
	// Watcher is the client of caches beside that of the manager, see ResumeWatches; nil is one whose
	// requests do not wait.
	Watcher *http.Client
	// WrapMember wraps the transport of the requests to members, other than watches; nil does not.
	WrapMember transport.WrapperFunc
	// Deadline and Memory are those of the engine, see engine.Options; 0 is no bound.
	Deadline time.Duration
	Memory   int64
	// Backoff is for how long a cluster is not chosen in which an application failed; the
	// zero value is binding.DefaultBackoff.
	Backoff binding.Backoff
	// Workers are how many objects a controller reconciles at once, by its name.
	Workers map[string]int
	// Successes are which events of success are written; SomeSuccessEvents by default.
	Successes SuccessEvents
}

// NewDeps returns the dependencies of the controllers of a manager. The
// connections to members end with the manager.
func NewDeps(mgr ctrl.Manager, e Environment) (Deps, error) {
	if err := e.Backoff.Validate(); err != nil {
		return Deps{}, err
	}
	observer, err := activation.NewObserver(e.Registry)
	if err != nil {
		return Deps{}, err
	}
	if e.Clock == nil {
		e.Clock = clock.RealClock{}
	}
	d := Deps{
		Trail: requeue.NewTrail(e.Clock), Workers: e.Workers, Progress: &progress.Tracker{Clock: e.Clock},
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Templates: templates.New(mgr.GetCache()), Members: member.NewRegistry(mgr.GetClient()),
		Policies: &selection.Index{}, Related: &related.Watches{}, Interpreter: e.Interpreter, Changes: &rulechange.Changes{}, Gates: e.Gates, Clock: e.Clock, Events: mgr.GetEventRecorder("dragoman"),
	}
	d.Watcher = e.Watcher
	d.Informers, d.Owner, d.Election, d.Registry, d.Backoff = e.Informers, e.Owner, e.Election, e.Registry, e.Backoff
	d.Members.QPS, d.Members.Burst = cmp.Or(e.MemberQPS, d.Members.QPS), cmp.Or(e.MemberBurst, d.Members.Burst)
	d.Members.Wrap = e.WrapMember
	d.Templates.Live = mgr.GetAPIReader()
	if d.Successes, err = eventbudget.New(e.Successes, e.Clock, e.Registry); err != nil {
		return Deps{}, err
	}
	if d.Failovers, err = failovers.New(e.Registry); err != nil {
		return Deps{}, err
	}
	if d.Deliveries, err = delivery.New(e.Registry); err != nil {
		return Deps{}, err
	}
	if d.Compiler, err = engine.NewCompiler(); err != nil {
		return Deps{}, err
	}
	if e.SkippedNamespaces == nil {
		e.SkippedNamespaces = skip.DefaultNamespaces
	}
	if d.Skipped, err = skip.New(e.SkippedAPIs, e.SkippedNamespaces); err != nil {
		return Deps{}, fmt.Errorf("read what is not propagated: %w", err)
	}
	if d.Gates == nil {
		d.Gates = features.New()
	}
	if d.Interpreter == nil {
		d.Interpreter = engine.NewInterpreter(engine.Options{
			Observe: observer.Observe, Deadline: e.Deadline, Memory: e.Memory, ProgramMemory: e.ProgramMemory,
			Abandoned: observer.Abandoned(mgr.GetLogger().WithName("interpreter")),
		})
	}
	if err := enforceQuotas(mgr, e, &d); err != nil {
		return Deps{}, err
	}
	d.Activator = activation.New(d.Interpreter, observer, d.Changes)
	return d, mgr.Add(d.Members)
}

// enforceQuotas has the controllers keep to FederatedResourceQuotas, if the gate is on.
func enforceQuotas(mgr ctrl.Manager, e Environment, d *Deps) (err error) {
	if !d.Gates.Enabled(features.FederatedQuotaEnforcement) {
		return nil
	}
	if d.Quotas, err = quotas.New(mgr.GetClient(), e.Clock, e.Registry); err != nil {
		return err
	}
	return mgr.Add(d.Quotas.Runner(mgr.GetCache()))
}

// Owner returns the name of a control plane on the objects of its members: the given one,
// or the UID of its namespace kube-system, which no other has.
func Owner(ctx context.Context, hub client.Reader, name string) (string, error) {
	return base.Owner(ctx, hub, name)
}

// Scheme returns all kinds that the controllers know.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, api.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// ManagerOptions completes the options of a manager for the controllers: scheme, a cache
// without the fields that no controller reads, and a client whose writes wait until the
// cache has them. Without that, a controller that reconciles an object right after it
// wrote it would read the version before, find nothing to do, and not write.
func ManagerOptions(o ctrl.Options) (ctrl.Options, error) {
	scheme, err := Scheme()
	if err != nil {
		return o, err
	}
	o.Scheme = scheme
	o.Cache.DefaultTransform = cache.TransformStripManagedFields()
	o.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}
	return o, nil
}

// ObserveInformers has the informers of a manager observed that is made of these options: its start
// waits until all have listed their kind. Report logs which have not.
func ObserveInformers(o *ctrl.Options) *Informers {
	t := informers.New(o.Scheme)
	o.Cache.NewInformer = t.NewInformer
	return t
}
