// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// Kinds that the customization and the ScriptBundle of the story know.
var (
	poolKind  = schema.GroupVersionKind{Group: "pools.dev", Version: "v1", Kind: "Pool"}
	gaugeKind = schema.GroupVersionKind{Group: "gauges.dev", Version: "v1", Kind: "Gauge"}
)

// copiedKinds are the kinds of the templates of the story.
var copiedKinds = []schema.GroupVersionKind{
	poolKind, gaugeKind, corev1.SchemeGroupVersion.WithKind("ConfigMap"), corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	appsv1.SchemeGroupVersion.WithKind("Deployment"), rbacv1.SchemeGroupVersion.WithKind("ClusterRole"),
}

// story is what all templates of the story are labelled with.
var story = map[string]string{"story": "crds"}

// written are the kinds of the control plane that the controllers write, and nobody applies.
var written = map[string]bool{"Work": true, "ResourceBinding": true, "ClusterResourceBinding": true}

// inGit returns what a person keeps in Git of some groups, in the order in which they apply it.
func inGit(namespace string) []*unstructured.Unstructured {
	GinkgoHelper()
	text, err := os.ReadFile("testdata/objects.yaml")
	Expect(err).NotTo(HaveOccurred())
	var all []*unstructured.Unstructured
	for _, document := range strings.Split(strings.ReplaceAll(string(text), "SPACE", namespace), "\n---\n") {
		all = append(all, fixture.Document(document))
	}
	return all
}

// applyGroup applies what a person keeps in Git of one group, and of it the clusters.
func applyGroup(ctx context.Context, namespace, group string) {
	GinkgoHelper()
	for _, o := range inGit(namespace) {
		if o.GroupVersionKind().Group == group {
			Expect(env.Hub.Create(ctx, o)).To(Succeed(), "%s %s", o.GetKind(), o.GetName())
		}
	}
	if group == "interpreter.dragoman.io" {
		// Nothing waits for a rule that no watch has shown, and its watch asks only now and then
		// while its CRD is gone.
		rule := &interpreterv1alpha1.PlacementRule{}
		Eventually(func(g Gomega) {
			g.Expect(env.Hub.Get(ctx, client.ObjectKey{Name: "keep-member2-free"}, rule)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(rule.Status.Conditions, interpreterv1alpha1.ConditionActive)).To(BeTrue())
		}).Should(Succeed())
	}
	if group == "cluster.karmada.io" {
		Expect(scenario.Join(ctx, env.Fleet)).To(Succeed())
	}
}

// templates returns one template of each kind.
func templates(namespace, name string) []client.Object {
	size := func() map[string]any { return map[string]any{"spec": map[string]any{"size": int64(3)}} }
	named := metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: story}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name, Labels: story}}
	deployment := fixture.Nginx(namespace, 2)
	deployment.Name = name
	return []client.Object{
		fixture.Object(poolKind, namespace, name, size()), fixture.Object(gaugeKind, namespace, name, size()),
		&corev1.ConfigMap{ObjectMeta: named}, &corev1.ServiceAccount{ObjectMeta: *named.DeepCopy()}, deployment, role,
	}
}

// serve installs the kinds of the story.
func serve(ctx context.Context) {
	GinkgoHelper()
	env.Serve(ctx, fixture.Definition(poolKind, apiextensionsv1.NamespaceScoped), fixture.Definition(gaugeKind, apiextensionsv1.NamespaceScoped))
}

// load edits ConfigMaps at a steady pace until it is stopped, and creates as many as it is let. So what there is to
// do does not grow with the time that a busy machine takes.
type load struct {
	mu                     sync.Mutex
	ticks, created, wanted int
	err                    error
}

// loadPace is the time between two writes.
const loadPace = 200 * time.Millisecond

// startLoad begins a load for the rest of the container.
func startLoad(namespace string) *load {
	l := &load{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			l.tick(ctx, namespace)
			time.Sleep(loadPace)
		}
	}()
	DeferCleanup(func() {
		cancel()
		<-done
	})
	return l
}

// tick creates a ConfigMap, or edits one of those that are there: every third write creates one, if it may.
func (l *load) tick(ctx context.Context, namespace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	named := func(n int) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("load-%d", n), Labels: story}}
	}
	var err error
	switch {
	case l.ticks%3 == 0 && l.created < l.wanted:
		err = env.Hub.Create(ctx, named(l.created))
		l.created++
	case l.created > 0:
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"data":{"k":"%d"}}`, l.ticks))
		err = env.Hub.Patch(ctx, named(l.ticks%l.created), patch)
	}
	l.ticks++
	if ctx.Err() == nil && l.err == nil {
		l.err = err
	}
}

// allow lets the load create some more.
func (l *load) allow(more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted += more
}

// state returns how many the load may still create, and what failed first.
func (l *load) state() (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted - l.created, l.err
}

// create has the load create some more.
func (l *load) create(more int) {
	GinkgoHelper()
	l.allow(more)
	Eventually(l.state).Should(BeZero())
}
