// SPDX-License-Identifier: Apache-2.0

// Package shadow evaluates a set of rules beside those that answer, about all objects of a control
// plane, and says what would change.
//
// Reads ScriptBundles in the mode Shadow, what is kept of them, bindings, templates, Works and the
// objects of members. Writes status.shadow and conditions of ScriptBundles, and nothing else. Runs
// the cases of a bundle, and asks the engine by rules that nobody else uses. Wakes up on ScriptBundles,
// and every five minutes, since what the fleet has changes. It runs where the manager leads. The
// command line has the same evaluation without a controller; see Direct.
package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/kept"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/compare"
)

// The reasons of the condition Shadowed.
const (
	// ReasonCompared: status.shadow is of the wanted revision.
	ReasonCompared = "Compared"
	// ReasonRefused: the wanted revision did not pass a stage, so that there is nothing to compare.
	ReasonRefused = "Refused"
)

// interval is how often a revision is compared again.
const interval = 5 * time.Minute

// Statuses has the states of the bundles that are active.
type Statuses interface{ Statuses() []bundle.Status }

// Controller reconciles ScriptBundles in the mode Shadow.
type Controller struct {
	base.Deps
	kept   kept.Store
	active Statuses
}

// New returns the controller; active are the bundles that answer.
func New(d base.Deps, active Statuses) *Controller {
	return &Controller{Deps: d, kept: kept.Store{Client: d.Client, Reader: d.Reader}, active: active}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "scriptbundle.shadow" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	options := c.Options(mgr, c.Name(), "scriptBundle")
	options.MaxConcurrentReconciles = 1
	shadows := predicate.NewPredicateFuncs(func(o client.Object) bool {
		return o.(*interpreterv1alpha1.ScriptBundle).Spec.Mode == interpreterv1alpha1.ModeShadow
	})
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&interpreterv1alpha1.ScriptBundle{}, builder.WithPredicates(shadows)).
		WithOptions(options).
		Complete(c)
}

// Reconcile compares the wanted revision of one ScriptBundle.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	b := &interpreterv1alpha1.ScriptBundle{}
	if err := c.Client.Get(ctx, request.NamespacedName, b); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp != nil || b.Spec.Mode != interpreterv1alpha1.ModeShadow || !isVerified(b) {
		return reconcile.Result{}, nil
	}
	if left := c.fresh(b); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	before := b.DeepCopy()
	if err := c.compare(ctx, b); err != nil {
		return reconcile.Result{}, err
	}
	if equality.Semantic.DeepEqual(before.Status, b.Status) {
		return reconcile.Result{RequeueAfter: interval}, nil
	}
	if err := c.PatchStatus(ctx, b, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the status of ScriptBundle %s: %w", b.Name, err)))
	}
	shadowed := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionShadowed)
	ctrl.LoggerFrom(ctx).Info("compared a bundle", "revision", b.Status.Wanted.Revision, "reason", shadowed.Reason, "message", shadowed.Message)
	return reconcile.Result{RequeueAfter: interval}, nil
}

// isVerified reports whether there is a revision to compare, of this generation.
func isVerified(b *interpreterv1alpha1.ScriptBundle) bool {
	v := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionVerified)
	return v != nil && v.Status == metav1.ConditionTrue && v.ObservedGeneration == b.Generation && b.Status.Wanted != nil
}

// fresh returns for how long the report that is there holds.
func (c *Controller) fresh(b *interpreterv1alpha1.ScriptBundle) time.Duration {
	done := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionShadowed)
	s := b.Status.Shadow
	if done == nil || done.ObservedGeneration != b.Generation || s == nil || s.Revision != b.Status.Wanted.Revision {
		return 0
	}
	return s.Time.Add(interval).Sub(c.now())
}

// compare compares the wanted revision with what answers, if it passes its own stages.
func (c *Controller) compare(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) error {
	dir := source.Folder(b.Name)
	files, err := c.kept.Get(ctx, b.Name, b.Status.Wanted.Revision, dir)
	if err != nil {
		return err
	}
	candidate, state := Try(c.Compiler, bundle.Content{Dir: dir, Origin: "ScriptBundle " + b.Name, Revision: b.Status.Wanted.Revision, Files: files, Parameters: parametersOf(b)})
	scriptbundle.ReportStages(b, state)
	if state.Err != nil {
		b.Status.Shadow = nil
		set(b, metav1.ConditionFalse, ReasonRefused, fmt.Sprintf("the revision cannot answer: %v", state.Err))
		return nil //nolint:nilerr // it is reported
	}
	r, err := Compare(ctx, c.Interpreter, c.nameOf(dir), &candidate.Source, live{c.Deps}.workloads)
	if err != nil {
		return err
	}
	report := reportOf(r, b.Status.Wanted.Revision)
	report.Time = metav1.Time{Time: c.now()}
	b.Status.Shadow = report
	set(b, metav1.ConditionTrue, ReasonCompared, Summary(r))
	return nil
}

func parametersOf(b *interpreterv1alpha1.ScriptBundle) map[string]string {
	if b.Spec.Parameters == nil {
		return map[string]string{}
	}
	return b.Spec.Parameters
}

// nameOf returns the name of the rule set that is active for a ScriptBundle; "" for none.
func (c *Controller) nameOf(dir string) string {
	for _, s := range c.active.Statuses() {
		if s.Dir == dir && s.Active != "" {
			return s.Name
		}
	}
	return ""
}

// Try takes a content through the stages of a bundle in an engine of its own: it is read, compiled,
// and tried by its cases. The bundle is nil where the state has an error.
func Try(compiler *engine.Compiler, content bundle.Content) (*bundle.Bundle, bundle.Status) {
	var tried *bundle.Bundle
	s := bundle.NewStore(bundle.Options{
		Loader: bundle.Loader{Compiler: compiler},
		Trial:  func(b *bundle.Bundle, files fs.FS) bundle.Trial { return cases.NewTrial(files, b) },
		Replace: func(_, after *bundle.Bundle) error {
			tried = after
			return nil
		},
	})
	s.Apply([]bundle.Content{content}, nil)
	all := s.Statuses()
	if all[0].Err != nil {
		return nil, all[0]
	}
	return tried, all[0]
}

// Compare asks an engine by its rules, and by those with a bundle in place of the one of a name,
// which may be "". The engine does not change.
func Compare(ctx context.Context, i *engine.Interpreter, before string, candidate *engine.RuleSet, read Workloads) (*Result, error) {
	var was, is compare.Side
	var err error
	if was.Rules, _, err = i.Preview(engine.Installed, "", nil, was.Observe); err != nil {
		return nil, err
	}
	next, kinds, err := i.Preview(engine.Installed, before, candidate, is.Observe)
	if err != nil {
		return nil, err
	}
	is.Rules = next
	return Evaluate(ctx, read, sorted(kinds), &was, &is)
}

func set(b *interpreterv1alpha1.ScriptBundle, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
		Type: interpreterv1alpha1.ConditionShadowed, Status: status, Reason: reason, Message: base.Clip(message, maxMessage), ObservedGeneration: b.Generation,
	})
}

// maxMessage is less than what the API server accepts.
const maxMessage = 4000

// now returns the time.
func (c *Controller) now() time.Time {
	if c.Clock == nil {
		return time.Now()
	}
	return c.Clock.Now()
}
