// SPDX-License-Identifier: Apache-2.0

package manifests_test

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestManifests(t *testing.T) { suite.Specs(t, "Manifests") }

const (
	cluster = "m1"
	space   = "samples"
)

//go:embed testdata
var testdata embed.FS

var (
	running *suite.Suite
	member  client.WithWatch
	spaced  *rendering.Controller[*workv1alpha2.ResourceBinding]
	wide    *rendering.Controller[*workv1alpha2.ClusterResourceBinding]
)

var _ = BeforeSuite(func(ctx SpecContext) {
	running = suite.Begin(ctx, cluster)
	rules, err := fixture.Interpreter()
	Expect(err).NotTo(HaveOccurred())
	d, err := controllers.NewDeps(running.Manager, controllers.Environment{Interpreter: rules})
	Expect(err).NotTo(HaveOccurred())
	spaced, wide = rendering.New[*workv1alpha2.ResourceBinding](d), rendering.New[*workv1alpha2.ClusterResourceBinding](d)
	Expect(running.Run()).To(Succeed())
	member, err = client.NewWithWatch(running.Fleet.Members[0].RESTConfig(), client.Options{Scheme: running.Manager.GetScheme()})
	Expect(err).NotTo(HaveOccurred())
	for _, c := range []client.Client{running.Client, member} {
		Expect(c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}})).To(Succeed())
		Expect(c.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "default"}})).To(Succeed())
	}
	Expect(running.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(cluster)}})).To(Succeed())
}, NodeTimeout(10*time.Minute))

// samples reads the objects of testdata as users write them.
func samples() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	err := fs.WalkDir(testdata, "testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := testdata.ReadFile(path)
		if err != nil {
			return err
		}
		documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			var raw runtime.RawExtension
			o := &unstructured.Unstructured{}
			err := documents.Decode(&raw)
			if err == nil && len(raw.Raw) > 0 {
				err = utiljson.Unmarshal(raw.Raw, &o.Object)
			}
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", path, err)
			case len(o.Object) > 0:
				all = append(all, o)
			}
		}
	})
	if err != nil {
		panic(err) // the samples are part of the program
	}
	return all
}

// entries has one entry for each sample.
func entries() []TableEntry {
	var all []TableEntry
	for _, o := range samples() {
		all = append(all, Entry(o.GetAPIVersion()+" "+o.GetKind()+" "+o.GetName(), o))
	}
	return all
}

var _ = DescribeTable("an object that went through the control plane is the one that a user creates in the member", compare, entries())

// compare renders an object of a user and expects that the member makes the same of the
// manifest as of the object itself.
func compare(ctx context.Context, user *unstructured.Unstructured) {
	GinkgoHelper()
	template := user.DeepCopy()
	Expect(running.Client.Create(ctx, template)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		Expect(running.Client.Delete(ctx, template, client.GracePeriodSeconds(0))).To(Succeed())
	})
	manifest := withoutMarks(rendered(ctx, template))

	direct, through := user.DeepCopy(), manifest.DeepCopy()
	Expect(member.Create(ctx, direct, client.DryRunAll)).To(Succeed())
	Expect(member.Create(ctx, through, client.DryRunAll)).To(Succeed(), "the member refuses what the control plane sends")
	Expect(cmp.Diff(withoutOwn(direct), withoutOwn(through))).To(BeEmpty(), "created directly (-) and through the control plane (+)")
	Expect(cmp.Diff(own(user), own(manifest))).To(BeEmpty(), "what the member fills in: the user's (-) and what is sent (+)")
}

// rendered renders the Work of a template, and returns its manifest.
func rendered(ctx context.Context, template *unstructured.Unstructured) *unstructured.Unstructured {
	GinkgoHelper()
	b := fixture.Binding(template)
	b.GetSpec().Clusters = fixture.Targets(cluster)
	Expect(running.Manager.GetClient().Create(ctx, b)).To(Succeed())
	var err error
	switch b := b.(type) {
	case *workv1alpha2.ResourceBinding:
		_, err = reconcile.AsReconciler(running.Manager.GetClient(), spaced).Reconcile(ctx, request(b))
	case *workv1alpha2.ClusterResourceBinding:
		_, err = reconcile.AsReconciler(running.Manager.GetClient(), wide).Reconcile(ctx, request(b))
	}
	Expect(err).NotTo(HaveOccurred())
	var w workv1alpha1.Work
	key := client.ObjectKey{Namespace: names.ExecutionSpace(cluster), Name: names.Work(template.GetKind(), template.GetNamespace(), template.GetName())}
	Expect(running.Client.Get(ctx, key, &w)).To(Succeed())
	m := &unstructured.Unstructured{}
	Expect(utiljson.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &m.Object)).To(Succeed())
	return m
}

func request(b workv1alpha2.Binding) reconcile.Request {
	return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)}
}

// withoutMarks takes the labels and annotations of the control plane from a manifest.
func withoutMarks(m *unstructured.Unstructured) *unstructured.Unstructured {
	for _, field := range []string{"labels", "annotations"} {
		all, _, _ := unstructured.NestedStringMap(m.Object, "metadata", field)
		for key := range all {
			if strings.Contains(key, "karmada.io/") {
				delete(all, key)
			}
		}
		unstructured.RemoveNestedField(m.Object, "metadata", field)
		if len(all) > 0 {
			_ = unstructured.SetNestedStringMap(m.Object, all, "metadata", field)
		}
	}
	return m
}
