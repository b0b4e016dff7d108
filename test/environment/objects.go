// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/format"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

// Namespace makes one for a spec, in the control plane and all members.
func (e *Environment) Namespace(ctx context.Context) string {
	GinkgoHelper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	Expect(e.Hub.Create(ctx, n)).To(Succeed())
	for _, m := range e.Members {
		Expect(e.At(m.Name).Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name}})).To(Succeed())
	}
	return n.Name
}

// Apply creates the object of a YAML text, as written but for the namespace.
func (e *Environment) Apply(ctx context.Context, namespace, text string) {
	GinkgoHelper()
	o := fixture.Document(text)
	o.SetNamespace(namespace)
	Expect(e.Hub.Create(ctx, o)).To(Succeed())
}

// Serve installs kinds in the control plane and in all members, and waits until the
// control plane knows that they serve them. What is installed stays.
func (e *Environment) Serve(ctx context.Context, kinds ...*apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	servers := []client.WithWatch{e.Hub}
	for _, m := range e.Members {
		servers = append(servers, e.At(m.Name))
	}
	installed := make(chan error, len(servers))
	for _, to := range servers {
		go func() { installed <- suite.Install(ctx, to, kinds...) }()
	}
	for range servers {
		Expect(<-installed).To(Succeed())
	}
	for _, m := range e.Members {
		for _, crd := range kinds {
			e.awaitKind(ctx, m.Name, crd)
		}
	}
}

// awaitKind waits until the control plane knows that a member serves a kind.
func (e *Environment) awaitKind(ctx context.Context, member string, crd *apiextensionsv1.CustomResourceDefinition) {
	GinkgoHelper()
	version := crd.Spec.Group + "/" + crd.Spec.Versions[0].Name
	Eventually(func(g Gomega) {
		cluster := &clusterv1alpha1.Cluster{}
		g.Expect(e.Hub.Get(ctx, client.ObjectKey{Name: member}, cluster)).To(Succeed())
		g.Expect(cluster.Status.APIEnablements).To(ContainElement(And(HaveField("GroupVersion", version),
			HaveField("Resources", ContainElement(HaveField("Kind", crd.Spec.Names.Kind))))))
	}).Should(Succeed())
}

// Customize creates a customization, and waits until its rules are active. What is there
// stays.
func (e *Environment) Customize(ctx context.Context, rules *configv1alpha1.ResourceInterpreterCustomization) {
	GinkgoHelper()
	Expect(client.IgnoreAlreadyExists(e.Hub.Create(ctx, rules))).To(Succeed())
	Eventually(func(g Gomega) {
		g.Expect(e.Hub.Get(ctx, client.ObjectKeyFromObject(rules), rules)).To(Succeed())
		g.Expect(meta.IsStatusConditionTrue(rules.Status.Conditions, configv1alpha1.ConditionActive)).To(BeTrue(), "%+v", rules.Status.Conditions)
	}).Should(Succeed())
}

// Binding returns a function that reads a binding.
func (e *Environment) Binding(ctx context.Context, namespace, name string) func() (*workv1alpha2.ResourceBinding, error) {
	return func() (*workv1alpha2.ResourceBinding, error) {
		b := &workv1alpha2.ResourceBinding{}
		err := e.Hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, b)
		return b, err
	}
}

// Works returns the Works of a namespace's templates.
func (e *Environment) Works(ctx context.Context, namespace string) []metav1.PartialObjectMetadata {
	GinkgoHelper()
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(workv1alpha1.GroupVersion.WithKind("WorkList"))
	Expect(e.Hub.List(ctx, list)).To(Succeed())
	return slices.DeleteFunc(list.Items, func(w metav1.PartialObjectMetadata) bool {
		return w.Annotations[workv1alpha2.ResourceBindingNamespaceAnnotation] != namespace
	})
}

// NoWorks waits until the Works of a namespace's templates are gone. Each may take the time of what must
// become true, and is asked for by its name: whoever lists all Works ten times a second takes from the
// control plane the time in which it would delete them. What stays is shown, with all clusters.
func (e *Environment) NoWorks(ctx context.Context, namespace string) {
	GinkgoHelper()
	for left := e.Works(ctx, namespace); len(left) > 0; left = e.Works(ctx, namespace) {
		for i := range left {
			w := &workv1alpha1.Work{}
			Eventually(func() bool {
				return apierrors.IsNotFound(e.Hub.Get(ctx, client.ObjectKeyFromObject(&left[i]), w))
			}).Should(BeTrue(), func() string {
				clusters := &clusterv1alpha1.ClusterList{}
				err := e.Hub.List(ctx, clusters)
				return fmt.Sprintf("a Work stays, number %d of %d:\n%s\nclusters (error %v):\n%s", i+1, len(left), format.Object(w, 1), err, format.Object(clusters.Items, 1))
			})
		}
	}
}

// Deployments returns a function that counts the Deployments of a namespace in all members.
func (e *Environment) Deployments(ctx context.Context, namespace string) func() (int, error) {
	return func() (int, error) {
		n := 0
		for _, m := range e.Members {
			var list appsv1.DeploymentList
			if err := e.At(m.Name).List(ctx, &list, client.InNamespace(namespace)); err != nil {
				return 0, err
			}
			n += len(list.Items)
		}
		return n, nil
	}
}

// Present reports whether a member has an object, which is not changed.
func (e *Environment) Present(ctx context.Context, member string, o client.Object) (bool, error) {
	err := e.At(member).Get(ctx, client.ObjectKeyFromObject(o), o.DeepCopyObject().(client.Object))
	return err == nil, client.IgnoreNotFound(err)
}

// Events returns a function that lists the events about an object of the control plane, each
// as "Reason: message".
func (e *Environment) Events(ctx context.Context, namespace, kind, name string) func() ([]string, error) {
	return func() ([]string, error) {
		var list corev1.EventList
		if err := e.Hub.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			return nil, err
		}
		var all []string
		for _, event := range list.Items {
			if event.InvolvedObject.Kind == kind && event.InvolvedObject.Name == name {
				all = append(all, event.Reason+": "+event.Message)
			}
		}
		return all, nil
	}
}

// Versions watches the objects of a kind in a namespace of all members from now on, and returns a function
// that returns what show returned of each version that they had since. The versions of one member are in
// their order.
func (e *Environment) Versions(ctx context.Context, kind schema.GroupVersionKind, namespace string, show func(member string, is watch.EventType, o *unstructured.Unstructured) string) func() []string {
	GinkgoHelper()
	var (
		mu   sync.Mutex
		seen []string
	)
	for _, m := range e.Members {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		w, err := e.At(m.Name).Watch(ctx, list, client.InNamespace(namespace))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(w.Stop)
		go func() {
			for event := range w.ResultChan() {
				o, ok := event.Object.(*unstructured.Unstructured)
				if !ok || event.Type == watch.Bookmark {
					continue
				}
				mu.Lock()
				seen = append(seen, show(m.Name, event.Type, o))
				mu.Unlock()
			}
		}()
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

// FirstLabel watches for the copies of an object in some members from now on, and sends the
// value that a label has in the first version of each; "" is none.
func (e *Environment) FirstLabel(ctx context.Context, o *unstructured.Unstructured, label string, members ...string) <-chan string {
	GinkgoHelper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(o.GroupVersionKind())
	seen := make(chan string, len(members))
	for _, m := range members {
		w, err := e.At(m).Watch(ctx, list.DeepCopy(), client.InNamespace(o.GetNamespace()))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(w.Stop)
		go func() {
			for event := range w.ResultChan() {
				if copied, is := event.Object.(*unstructured.Unstructured); is && event.Type == watch.Added {
					seen <- copied.GetLabels()[label]
					return
				}
			}
		}()
	}
	return seen
}
