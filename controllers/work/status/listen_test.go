// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// TestConnectionComesAfterEvents connects to a cluster with 1,000 Works, as a start does.
func TestConnectionComesAfterEvents(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, api.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	objects := []client.Object{&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: names.ClusterNamespace, Name: "one"},
		Data:       map[string][]byte{clusterv1alpha1.SecretTokenKey: []byte("t")},
	}}
	for i := range 1000 {
		objects = append(objects, &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace("one"), Name: fmt.Sprintf("w%d", i)}})
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	controller := New(base.Deps{Client: c, Members: member.NewRegistry(c)})
	defer controller.Members.Close()
	queue := priorityqueue.New[reconcile.Request]("test")
	defer queue.ShutDown()
	if err := controller.listen(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	cluster := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: clusterv1alpha1.ClusterSpec{
		APIEndpoint: "https://127.0.0.1:1", InsecureSkipTLSVerification: true, SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: names.ClusterNamespace, Name: "one"},
	}}
	if _, err := controller.Members.Connect(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	if n := queue.Len(); n != 1000 {
		t.Fatalf("%d Works are enqueued, want 1,000", n)
	}
	queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: "new"}})
	if got, _ := queue.Get(); got.Name != "new" {
		t.Errorf("got %s first, want new", got.Name)
	}
}
