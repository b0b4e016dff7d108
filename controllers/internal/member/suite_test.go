// SPDX-License-Identifier: Apache-2.0

package member_test

import (
	"context"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/suite"
)

// hub has two members; its manager does not run, so that nothing but the specs
// makes connections.
var hub *suite.Suite

func TestMember(t *testing.T) { suite.Specs(t, "Member") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.BeginOwn(ctx, "one", "two")
})

// joined makes a Cluster of a new name for a member, with its Secret.
func joined(ctx context.Context, at *fleet.Cluster) *clusterv1alpha1.Cluster {
	GinkgoHelper()
	name := "c-" + string(uuid.NewUUID())[:8]
	Expect(client.IgnoreAlreadyExists(hub.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "karmada-cluster"}}))).To(Succeed())
	Expect(hub.Client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-cluster", Name: name},
		Data:       map[string][]byte{clusterv1alpha1.SecretTokenKey: []byte(at.Token), clusterv1alpha1.SecretCADataKey: at.CA},
	})).To(Succeed())
	return &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: clusterv1alpha1.ClusterSpec{
		SyncMode: clusterv1alpha1.Push, APIEndpoint: at.URL,
		SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: "karmada-cluster", Name: name},
	}}
}

// changeSecret changes the credentials of a cluster.
func changeSecret(ctx context.Context, cluster *clusterv1alpha1.Cluster, change func(*corev1.Secret)) {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(hub.Client.Get(ctx, types.NamespacedName{Namespace: "karmada-cluster", Name: cluster.Name}, secret)).To(Succeed())
	change(secret)
	Expect(hub.Client.Update(ctx, secret)).To(Succeed())
}

// clientOf returns a direct client of a member.
func clientOf(at *fleet.Cluster) client.Client {
	GinkgoHelper()
	c, err := client.New(at.RESTConfig(), client.Options{Scheme: hub.Manager.GetScheme()})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// configMap returns a ConfigMap as it was made from a Work.
func configMap(name string, of types.NamespacedName) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name,
		Labels: map[string]string{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue},
		Annotations: map[string]string{
			workv1alpha2.WorkNamespaceAnnotation: of.Namespace, workv1alpha2.WorkNameAnnotation: of.Name,
		},
	}}
}
