// SPDX-License-Identifier: Apache-2.0

package preservation

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/reflection"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

const (
	// patience is how long a report waits at most until the binding has the one before: one
	// whose status cannot be written holds up no failure for longer. A control plane that was
	// away, or a manager that has just started, may take many seconds to write it.
	patience = time.Minute
	// readAgain is the time between two looks at whether the binding has it.
	readAgain = 50 * time.Millisecond
)

// Reports holds back what would be written over the only place where the state of a healthy
// copy is: the status of its Work, until its binding has it. It is safe for many goroutines;
// the zero value is ready.
type Reports struct {
	held requeue.Holds
}

// Wait returns how long to wait before the status of a Work is looked at again, since the state
// in what it has before would be lost if it were written as it is after; 0 is not at all. The
// error is that of a script that is not compiled yet, and that of a binding that cannot be read.
func (r *Reports) Wait(ctx context.Context, d base.Deps, before, after *workv1alpha1.Work) (time.Duration, error) {
	key := client.ObjectKeyFromObject(before)
	unread, err := unread(ctx, d, before, after)
	if err != nil {
		return 0, err
	}
	if !unread {
		r.held.Release(key)
		return 0, nil
	}
	left := r.held.Hold(key, patience, d.Clock.Now())
	if left <= 0 {
		ctrl.LoggerFrom(ctx).Info("overwrote a report that its binding does not have", "waited", patience.String())
		r.held.Release(key)
		return 0, nil
	}
	return min(left, readAgain), nil
}

// Forget drops what is held for a Work that is gone.
func (r *Reports) Forget(w *workv1alpha1.Work) { r.held.Release(client.ObjectKeyFromObject(w)) }

func unread(ctx context.Context, d base.Deps, before, after *workv1alpha1.Work) (bool, error) {
	key, ok := index.BindingOf(before)
	if !ok || equality.Semantic.DeepEqual(before.Status, after.Status) || !reflection.WantsState(before) || !d.Gates.Enabled(features.StatefulFailoverInjection) {
		return false, nil
	}
	var b workv1alpha2.Binding = &workv1alpha2.ResourceBinding{}
	if key.Namespace == "" {
		b = &workv1alpha2.ClusterResourceBinding{}
	}
	// One that is behind is waited for. It is not changed here.
	switch err := (base.Cached{Reader: d.Client}).Get(ctx, key, b, client.UnsafeDisableDeepCopy); {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return binding.Unread(b, before, after, func(item *workv1alpha2.AggregatedStatusItem) (binding.Report, error) {
		report, _, err := Observe(ctx, d, b, item)
		return report, err
	})
}
