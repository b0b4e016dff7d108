// SPDX-License-Identifier: Apache-2.0

// Package base holds what all controllers share: their dependencies, and the ways in
// which they log, patch and warn. It knows no controller.
package base

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/featuregate"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
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
	Members   *member.Registry

	// Interpreter answers by the rules that Activator adds; Compiler compiles these
	// rules.
	Interpreter *engine.Interpreter
	Compiler    *engine.Compiler
	Activator   *activation.Activator
	// Changes notifies of rules that changed; nil notifies of none.
	Changes *rulechange.Changes

	Gates  featuregate.FeatureGate
	Clock  clock.PassiveClock
	Events events.EventRecorder
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

// Patch writes the difference between an object and the base that it was changed from.
// It is a conflict if the object was written since.
func (d Deps) Patch(ctx context.Context, object, base client.Object) error {
	return d.Client.Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// PatchStatus is Patch for the status. The conflict keeps two writers of conditions
// from undoing each other.
func (d Deps) PatchStatus(ctx context.Context, object, base client.Object) error {
	return d.Client.Status().Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}
