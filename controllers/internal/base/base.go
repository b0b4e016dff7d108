// SPDX-License-Identifier: Apache-2.0

// Package base holds what all controllers share: their dependencies, and the ways in
// which they log, patch and warn. It knows no controller.
package base

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/featuregate"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/delivery"
	"github.com/dragoman-io/dragoman/controllers/internal/eventbudget"
	"github.com/dragoman-io/dragoman/controllers/internal/failovers"
	"github.com/dragoman-io/dragoman/controllers/internal/informers"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/mergepatch"
	"github.com/dragoman-io/dragoman/controllers/internal/progress"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/related"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Deps are the dependencies of the controllers; each uses those that it needs. They
// are shared and must not be changed once a controller has them.
type Deps struct {
	// Client reads through the cache of the manager and writes to the control plane.
	Client client.Client
	// Reader reads the control plane without a cache.
	Reader    client.Reader
	Templates *templates.Templates
	// Policies are the propagation policies by what they select; their controllers fill it.
	Policies *selection.Index
	// Skipped is what is never propagated.
	Skipped *skip.Rules
	Members *member.Registry
	// Related are the objects of members that are related to workloads; nil reads none.
	Related *related.Watches
	// Quotas admits what adds to the usage of FederatedResourceQuotas; nil admits everything.
	Quotas *quotas.Ledger
	// Owner names this control plane on the objects of members; empty marks none.
	Owner string
	// Election reports for which term this manager leads; nil means that it was not elected.
	Election Election

	// Interpreter answers by the rules that Activator adds; Compiler compiles these
	// rules.
	Interpreter *engine.Interpreter
	Compiler    *engine.Compiler
	Activator   *activation.Activator
	// Changes notifies of rules that changed; nil notifies of none.
	Changes *rulechange.Changes

	// Workers are how many objects a controller reconciles at once, by its name;
	// DefaultWorkers where there is none.
	Workers map[string]int
	// Progress observes the workers of the controllers; nil observes none.
	Progress *progress.Tracker
	// Informers are those of the cache of the manager; nil observes none.
	Informers *informers.Tracker
	// Watcher is the client of caches of the control plane beside that of the manager; nil is one whose
	// requests do not wait while it is away.
	Watcher *http.Client
	// Trail remembers what was done as backlog; nil remembers nothing.
	Trail *requeue.Trail
	// Backoff is for how long a cluster is not chosen in which an application failed; the
	// zero value is the default.
	Backoff binding.Backoff
	// Failovers observes the failovers of bindings; nil observes none.
	Failovers *failovers.Recorder
	// Deliveries measures how long changes of templates take to members; nil measures nothing.
	Deliveries *delivery.Recorder

	// Registry serves metrics; nil serves none.
	Registry prometheus.Registerer

	Gates featuregate.FeatureGate
	Clock clock.PassiveClock
	// Events takes what fails, what ends that, and what moves; Successes admits the other events, nil
	// none, see Succeeded.
	Events    events.EventRecorder
	Successes *eventbudget.Budget
	// UID returns a new unique id; nil means a random UUID.
	UID func() types.UID
}

// NewID returns a new id for an object that keeps its identity when it is renamed or
// restored: the value of a permanent-id label.
func (d Deps) NewID() types.UID {
	if d.UID == nil {
		return uuid.NewUUID()
	}
	return d.UID()
}

// Patch writes the difference between an object and the base that it was changed from, but
// for the status. It is a conflict if the object was written since.
func (d Deps) Patch(ctx context.Context, object, base client.Object) error {
	return d.Client.Patch(ctx, object, mergepatch.From(base), unwatched[client.PatchOption](object)...)
}

// PatchStatus is Patch for the status. The conflict keeps two writers of conditions
// from undoing each other. The condition Ready of bindings and ScriptBundles, which have several
// writers, is written with it.
func (d Deps) PatchStatus(ctx context.Context, object, base client.Object) error {
	switch o := object.(type) {
	case workv1alpha2.Binding:
		binding.SetReady(o)
	case *interpreterv1alpha1.ScriptBundle:
		SetReady(o)
	}
	return d.Client.Status().Patch(ctx, object, mergepatch.StatusFrom(base), unwatched[client.SubResourcePatchOption](object)...)
}

// unwatched returns the option that a write does not wait for the cache, for a template:
// it is read through Templates, which stop watching a kind that no policy selects. The
// client would start that watch again, and wait for one that has ended.
func unwatched[O any](object client.Object) []O {
	if _, template := object.(*unstructured.Unstructured); !template {
		return nil
	}
	return []O{any(client.DisableReadYourWritesConsistency).(O)}
}
