// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/scripts"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// process is what a process has: an engine, and the controller, called by the test.
type process struct {
	*Controller
	server  client.WithWatch
	changed []string
}

func newProcess(t *testing.T, scripts fs.FS, crds ...client.Object) *process {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	p := &process{server: fake.NewClientBuilder().WithScheme(scheme).WithObjects(crds...).Build()}
	d := base.Deps{Reader: p.server, Interpreter: engine.NewInterpreter(engine.Options{}), Changes: &rulechange.Changes{}}
	d.Changes.Listen(func(kind schema.GroupVersionKind, operations []engine.Op) {
		p.changed = append(p.changed, fmt.Sprint(kind.Kind, operations))
	})
	var err error
	if d.Compiler, err = engine.NewCompiler(); err != nil {
		t.Fatal(err)
	}
	d.Activator = activation.New(d.Interpreter, &activation.Observer{}, d.Changes)
	p.Controller = New(d, Options{Embedded: scripts, Bundle: "generic"})
	if err := p.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// reconcile changes the CRD of the kind, and reconciles it.
func (p *process) reconcile(t *testing.T, change func(*apiextensionsv1.CustomResourceDefinition)) {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	key := client.ObjectKeyFromObject(scalable(""))
	if err := p.server.Get(t.Context(), key, crd); err != nil {
		t.Fatal(err)
	}
	change(crd)
	if err := p.server.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
}

// scalable returns the CRD of the kind, with a scale subresource if it has a path.
func scalable(path string) *apiextensionsv1.CustomResourceDefinition {
	crd := fixture.Definition(fixture.GadgetKind, apiextensionsv1.NamespaceScoped)
	setPath(crd, path)
	return crd
}

func setPath(crd *apiextensionsv1.CustomResourceDefinition, path string) {
	crd.Spec.Versions[0].Subresources.Scale = nil
	if path != "" {
		crd.Spec.Versions[0].Subresources.Scale = &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: path, StatusReplicasPath: ".status.replicas"}
	}
}

func (p *process) replicas(t *testing.T) int32 {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(3), "shards": int64(5)}}}
	object.SetGroupVersionKind(fixture.GadgetKind)
	if !p.Interpreter.Snapshot().Supports(fixture.GadgetKind, engine.InterpretReplica) {
		return -1
	}
	got, err := p.Interpreter.Snapshot().Replicas(object)
	if err != nil {
		t.Fatal(err)
	}
	return got.Count
}

func TestReplicasFollowTheCRD(t *testing.T) {
	p := newProcess(t, scripts.FS, scalable(".spec.replicas"))
	if got := p.replicas(t); got != 3 {
		t.Errorf("after Begin there are %d replicas; want 3, before any controller runs", got)
	}
	p.changed = nil
	for _, tc := range []struct {
		reason  string
		change  func(*apiextensionsv1.CustomResourceDefinition)
		want    int32
		changed bool
	}{
		{"nothing that matters", func(c *apiextensionsv1.CustomResourceDefinition) { c.Labels = map[string]string{"a": "b"} }, 3, false},
		{"another path", func(c *apiextensionsv1.CustomResourceDefinition) { setPath(c, ".spec.shards") }, 5, true},
		{"no scale subresource", func(c *apiextensionsv1.CustomResourceDefinition) { setPath(c, "") }, -1, true},
		{"again one", func(c *apiextensionsv1.CustomResourceDefinition) { setPath(c, ".spec.replicas") }, 3, true},
		{"a version that is not served", func(c *apiextensionsv1.CustomResourceDefinition) { c.Spec.Versions[0].Served = false }, -1, true},
	} {
		p.reconcile(t, tc.change)
		if got := p.replicas(t); got != tc.want {
			t.Errorf("%s: there are %d replicas; want %d", tc.reason, got, tc.want)
		}
		var want []string
		if tc.changed {
			want = []string{"Gadget[InterpretReplica InterpretComponent ReviseReplica Retain]"}
		}
		if d := cmp.Diff(want, p.changed); d != "" {
			t.Errorf("%s: what is enqueued again (-want +got):\n%s", tc.reason, d)
		}
		p.changed = nil
	}
}

func TestACRDThatIsGone(t *testing.T) {
	p := newProcess(t, scripts.FS, scalable(".spec.replicas"))
	if err := p.server.Delete(t.Context(), scalable("")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(scalable(""))}); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.replicas(t); got != -1 {
		t.Errorf("there are %d replicas; want no rule", got)
	}
}

func TestWithoutScriptsNothingIsDivided(t *testing.T) {
	if got := newProcess(t, nil, scalable(".spec.replicas")).replicas(t); got != -1 {
		t.Errorf("there are %d replicas; want no rule", got)
	}
}
