// SPDX-License-Identifier: Apache-2.0

package customization_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	hub      *suite.Suite
	compiler *engine.Compiler
	bundles  []*bundle.Bundle

	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
)

func TestCustomization(t *testing.T) { suite.Specs(t, "Customization") }

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	compiler, err = engine.NewCompiler()
	Expect(err).NotTo(HaveOccurred())
	bundles, err = bundle.Loader{Compiler: compiler}.LoadAll(scripts.FS)
	Expect(err).NotTo(HaveOccurred())
	hub = suite.Begin(ctx)
	Expect(hub.Run()).To(Succeed())
})

// process is what a process has: an engine with the embedded bundles, and the
// controller that puts customizations into it, called by the spec.
type process struct {
	engine     *engine.Interpreter
	deps       base.Deps
	controller *customization.Controller
	mu         sync.Mutex
	// changed are the kinds whose rules the controller changed, with the operations.
	changed []string
	// lost is the error of each write of a status; nil loses none. writes counts them.
	lost   error
	writes int
}

// losing is a client that loses what is written to a status.
type losing struct {
	client.Client
	lost   *error
	writes *int
}

func (l *losing) Status() client.SubResourceWriter {
	*l.writes++
	if *l.lost == nil {
		return l.Client.Status()
	}
	return losingStatus{err: *l.lost}
}

type losingStatus struct {
	client.SubResourceWriter
	err error
}

func (l losingStatus) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return l.err
}

func newProcess() *process { return newProcessWithin(engine.DefaultProgramMemory) }

// newProcessWithin returns a process whose programs have so many bytes.
func newProcessWithin(programMemory int64) *process {
	GinkgoHelper()
	observer := &activation.Observer{}
	p := &process{engine: engine.NewInterpreter(engine.Options{Observe: observer.Observe, ProgramMemory: programMemory})}
	for _, b := range bundles {
		Expect(p.engine.Set(engine.Embedded, b.Source)).To(Succeed())
	}
	changes := &rulechange.Changes{}
	p.deps = base.Deps{
		Client: &losing{Client: hub.Manager.GetClient(), lost: &p.lost, writes: &p.writes}, Reader: hub.Client, Compiler: compiler,
		Activator: activation.New(p.engine, observer, changes), Interpreter: p.engine,
	}
	p.controller = customization.New(p.deps)
	p.controller.SetPatience(time.Hour)
	changes.Listen(func(kind schema.GroupVersionKind, operations []engine.Op) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed = append(p.changed, kind.Kind+" "+strings.Trim(fmt.Sprint(operations), "[]"))
	})
	return p
}

// kinds returns what changed.
func (p *process) kinds() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.changed)
}

// reconcileOnce reconciles a customization, and returns it as it is then.
func (p *process) reconcileOnce(ctx context.Context, name string) *configv1alpha1.ResourceInterpreterCustomization {
	GinkgoHelper()
	_, err := p.reconcile(ctx, name)
	Expect(err).NotTo(HaveOccurred())
	return read(ctx, name)
}

// reconcile reconciles a customization until its outcome is there, as the manager does.
func (p *process) reconcile(ctx context.Context, name string) (result reconcile.Result, err error) {
	GinkgoHelper()
	Eventually(func() time.Duration {
		result, err = p.controller.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
		return result.RequeueAfter
	}).Should(BeZero())
	return result, err
}

// health asks the engine about an empty object.
func (p *process) health(kind schema.GroupVersionKind) (workv1alpha2.ResourceHealth, error) {
	return p.engine.Snapshot().Health(fixture.Object(kind, "ns", "o", nil))
}

// answers names who answers for the health of a kind; empty where that are only the generic
// rules.
func (p *process) answers(kind schema.GroupVersionKind) string {
	if origin := p.engine.Snapshot().Origin(kind, engine.InterpretHealth); origin != generic {
		return origin
	}
	return ""
}

// generic answers about kinds that nobody wrote a script for, as those of these specs.
const generic = "bundle generic"

// create makes a customization of the health of a kind under a new name.
func create(ctx context.Context, kind schema.GroupVersionKind, lua string) string {
	GinkgoHelper()
	return createAs(ctx, "c-"+string(uuid.NewUUID())[:8], kind, lua)
}

func createAs(ctx context.Context, name string, kind schema.GroupVersionKind, lua string) string {
	GinkgoHelper()
	cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: name}}
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = kind.ToAPIVersionAndKind()
	cr.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{LuaScript: lua}
	Expect(hub.Manager.GetClient().Create(ctx, cr)).To(Succeed())
	return name
}

// change replaces the script of a customization, whoever writes its status meanwhile.
func change(ctx context.Context, name, lua string) {
	GinkgoHelper()
	cr := read(ctx, name)
	before := cr.DeepCopy()
	cr.Spec.Customizations.HealthInterpretation.LuaScript = lua
	Expect(hub.Manager.GetClient().Patch(ctx, cr, client.MergeFrom(before))).To(Succeed())
}

func read(ctx context.Context, name string) *configv1alpha1.ResourceInterpreterCustomization {
	GinkgoHelper()
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	Expect(hub.Manager.GetClient().Get(ctx, types.NamespacedName{Name: name}, cr)).To(Succeed())
	return cr
}

func remove(ctx context.Context, name string) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(hub.Manager.GetClient().Delete(ctx, read(ctx, name)))).To(Succeed())
}

// condition returns a condition in a line.
func condition(cr *configv1alpha1.ResourceInterpreterCustomization, kind string) string {
	c := meta.FindStatusCondition(cr.Status.Conditions, kind)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Reason + ": " + c.Message
}

const (
	compiled = "True Compiled: all scripts compile"
	active   = "True Active: the scripts answer for their kind"
)
