// SPDX-License-Identifier: Apache-2.0

package scriptbundle_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-containerregistry/pkg/registry"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/shadow"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var hub *suite.Suite

func TestScriptBundle(t *testing.T) { suite.Specs(t, "ScriptBundle") }

var _ = BeforeSuite(func(ctx SpecContext) { hub = suite.Begin(ctx) })

// process is a manager with the controllers of ScriptBundles and an engine of its own.
type process struct {
	deps   controllers.Deps
	events *fixture.Events
	stop   func() error
}

// start starts a process; it ends with the spec, or with stop.
func start() *process {
	GinkgoHelper()
	p := &process{events: &fixture.Events{}}
	var err error
	p.stop, err = hub.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
		var err error
		if p.deps, err = controllers.NewDeps(mgr, controllers.Environment{}); err != nil {
			return err
		}
		p.deps.Events = p.events
		installed := bundle.NewInstalled(p.deps, bundle.Options{})
		activating := scriptbundle.New(p.deps, installed)
		if err := activating.Begin(ctx); err != nil {
			return err
		}
		if err := activating.Wait(ctx); err != nil {
			return err
		}
		for _, c := range []controllers.Controller{activating, source.New(p.deps), shadow.New(p.deps, installed)} {
			if err := c.Register(ctx, mgr); err != nil {
				return err
			}
		}
		return nil
	})
	Expect(err).NotTo(HaveOccurred())
	stop := sync.OnceValue(p.stop)
	p.stop = stop
	DeferCleanup(stop)
	return p
}

// health returns what a process answers to the health of an object of a kind.
func (p *process) health(kind schema.GroupVersionKind) func() string {
	return func() string {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		o.SetGroupVersionKind(kind)
		health, err := p.deps.Interpreter.Snapshot().Health(o)
		if err != nil {
			return err.Error()
		}
		return string(health)
	}
}

// kindOf returns a kind of the spec's own.
func kindOf(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: name + ".example.com", Version: "v1", Kind: "Site"}
}

// files are those of a bundle whose only script answers a health by an expression in Lua.
func files(name, version, health string) map[string]string {
	return map[string]string{
		"bundle.yaml": "apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: " + name + ", version: " + version + "}\n" +
			"spec:\n  kinds: [{group: " + name + ".example.com, versions: [v1], kind: Site}]\n",
		"Site/health.lua": "function InterpretHealth(obj)\n  return " + health + "\nend\n",
	}
}

// with returns files with others beside them.
func with(files map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

// inline returns a ScriptBundle of files.
func inline(name string, files map[string]string) *interpreterv1alpha1.ScriptBundle {
	return &interpreterv1alpha1.ScriptBundle{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       interpreterv1alpha1.ScriptBundleSpec{Source: interpreterv1alpha1.BundleSource{Inline: &interpreterv1alpha1.InlineSource{Files: files}}},
	}
}

// create creates a ScriptBundle, and deletes it after the spec.
func create(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) {
	GinkgoHelper()
	Expect(hub.Client.Create(ctx, b)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		Expect(client.IgnoreNotFound(hub.Client.Delete(ctx, b))).To(Succeed())
	})
}

// change changes the spec of a ScriptBundle.
func change(ctx context.Context, name string, f func(*interpreterv1alpha1.ScriptBundleSpec)) {
	GinkgoHelper()
	b := get(ctx, name)
	base := b.DeepCopy()
	f(&b.Spec)
	Expect(hub.Client.Patch(ctx, b, client.MergeFrom(base))).To(Succeed())
}

func get(ctx context.Context, name string) *interpreterv1alpha1.ScriptBundle {
	GinkgoHelper()
	b := &interpreterv1alpha1.ScriptBundle{}
	Expect(hub.Client.Get(ctx, client.ObjectKey{Name: name}, b)).To(Succeed())
	return b
}

// conditions returns the conditions of a ScriptBundle as lines: type, status and reason, with the
// message of one that is False. There are none while they are about another generation.
func conditions(ctx context.Context, name string) func() []string {
	return func() []string {
		b := get(ctx, name)
		var all []string
		for _, kind := range []string{
			interpreterv1alpha1.ConditionFetched, interpreterv1alpha1.ConditionVerified, interpreterv1alpha1.ConditionCompiled,
			interpreterv1alpha1.ConditionChecked, interpreterv1alpha1.ConditionSmokeTested, interpreterv1alpha1.ConditionActive,
		} {
			c := meta.FindStatusCondition(b.Status.Conditions, kind)
			if c == nil || c.ObservedGeneration != b.Generation {
				return nil
			}
			line := c.Type + " " + string(c.Status) + " " + c.Reason
			if c.Status == metav1.ConditionFalse {
				line += ": " + strings.ReplaceAll(c.Message, "\n", " | ")
			}
			all = append(all, line)
		}
		return all
	}
}

// active are the conditions of a ScriptBundle that is active.
var active = []string{
	"Fetched True Fetched", "Verified True Verified", "Compiled True Passed", "Checked True Passed", "SmokeTested True Passed", "Active True Active",
}

// versions lists the versions of the history of a ScriptBundle, the newest first.
func versions(ctx context.Context, name string) func() []string {
	return func() []string {
		var all []string
		for _, r := range get(ctx, name).Status.History {
			all = append(all, r.Version)
		}
		return all
	}
}

// registryServer is a registry in this process.
type registryServer struct {
	*httptest.Server
	mu sync.Mutex
	// away is set while it answers nothing but errors, and hanging while it does not answer.
	away, hanging bool
}

func newRegistry() *registryServer {
	r := &registryServer{}
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		away, hanging := r.away, r.hanging
		r.mu.Unlock()
		if hanging {
			<-q.Context().Done()
			return
		}
		if away {
			http.Error(w, "away", http.StatusNotImplemented) // which is not tried again
			return
		}
		handler.ServeHTTP(w, q)
	}))
	DeferCleanup(r.Close)
	return r
}

func (r *registryServer) setAway(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}

func (r *registryServer) setHanging(hanging bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hanging = hanging
}

// fromRegistry returns a ScriptBundle of what a reference names.
func fromRegistry(name, reference string) *interpreterv1alpha1.ScriptBundle {
	return &interpreterv1alpha1.ScriptBundle{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: interpreterv1alpha1.ScriptBundleSpec{
			Source: interpreterv1alpha1.BundleSource{OCI: &interpreterv1alpha1.OCISource{Reference: reference, PlainHTTP: true}},
		},
	}
}

// push pushes a bundle under a tag of acme/NAME, signed by a key unless it is nil, and returns the
// reference of the tag and the digest.
func (r *registryServer) push(ctx context.Context, name, tag string, files map[string]string, key *sign.PrivateKey) (reference, digest string) {
	GinkgoHelper()
	a, err := archive.Build(folder(name, files), name)
	Expect(err).NotTo(HaveOccurred())
	var e *sign.Envelope
	if key != nil {
		e, err = sign.Sign(*key, a.Digest, nil)
		Expect(err).NotTo(HaveOccurred())
	}
	reference = strings.TrimPrefix(r.URL, "http://") + "/acme/" + name + ":" + tag
	ref, err := oci.ParseReference(reference)
	Expect(err).NotTo(HaveOccurred())
	digest, _, err = oci.Push(ctx, oci.Connection{PlainHTTP: true}.Connect(ref), oci.Upload{Archive: a, Envelope: e, Tag: tag, Replace: true})
	Expect(err).NotTo(HaveOccurred())
	return reference, digest
}

// folder returns files in a folder.
func folder(dir string, files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[path.Join(dir, name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}
