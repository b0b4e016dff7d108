// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/featuregate"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Deps are the dependencies that the controllers share.
type Deps = base.Deps

// Environment is what Deps are made from beside a manager; the zero value is usable.
type Environment struct {
	// Registry serves the metrics of the engine; nil serves none.
	Registry prometheus.Registerer
	// Gates are those of features.New by default.
	Gates featuregate.FeatureGate
	// Clock is the real clock by default.
	Clock clock.PassiveClock
	// Interpreter is an engine with rules, whose runs are not observed; by default it
	// is a new one.
	Interpreter *engine.Interpreter
	// ProgramMemory bounds what the programs of the new engine keep in memory, in bytes; 0
	// means engine.DefaultProgramMemory.
	ProgramMemory int64
	// Deadline and Memory are those of the engine, see engine.Options; 0 is no bound.
	Deadline time.Duration
	Memory   int64
}

// NewDeps returns the dependencies of the controllers of a manager. The
// connections to members end with the manager.
func NewDeps(mgr ctrl.Manager, e Environment) (Deps, error) {
	observer, err := activation.NewObserver(e.Registry)
	if err != nil {
		return Deps{}, err
	}
	d := Deps{
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Templates: templates.New(mgr.GetCache()), Members: member.NewRegistry(mgr.GetClient()),
		Interpreter: e.Interpreter, Changes: &rulechange.Changes{}, Gates: e.Gates, Clock: e.Clock, Events: mgr.GetEventRecorder("dragoman"),
	}
	if d.Compiler, err = engine.NewCompiler(); err != nil {
		return Deps{}, err
	}
	if d.Clock == nil {
		d.Clock = clock.RealClock{}
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
	d.Activator = activation.New(d.Interpreter, observer, d.Changes)
	return d, mgr.Add(d.Members)
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
