// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
)

const (
	// clusters is how many join, and silent how many of them never answer.
	clusters, silent = 100, 60
)

// manyMembers joins further clusters, most of which accept connections and never answer,
// and watches what they cost while nothing happens. The others are names of the first
// member. A taint keeps all templates away.
func (s *site) manyMembers(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody answers
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // nothing is written
	before, err := s.manager.goroutines(ctx)
	if err != nil {
		return err
	}
	began, first := time.Now(), s.fleet.Members[0]
	for i := range clusters {
		url := first.URL
		if i < silent {
			url = "https://" + listener.Addr().String()
		}
		if err := s.joinAt(ctx, fmt.Sprintf("many-%03d", i), url, first.Token, first.CA); err != nil {
			return err
		}
	}
	fmt.Printf("  %d clusters joined, %d of which never answer\n", clusters, silent)
	for _, wanted := range []struct {
		status metav1.ConditionStatus
		n      int
		what   string
	}{{metav1.ConditionTrue, len(s.fleet.Members) + clusters - silent, "ready"}, {metav1.ConditionFalse, silent, "known not to answer"}} {
		if err := await(ctx, "clusters that are "+wanted.what, func() (int, time.Time) { return wanted.n - s.count(ctx, wanted.status), time.Time{} }); err != nil {
			return err
		}
		fmt.Printf("  all others are %s after %v\n", wanted.what, time.Since(began).Round(time.Millisecond))
	}
	if err := s.watchIdle(ctx); err != nil {
		return err
	}
	after, err := s.manager.goroutines(ctx)
	fmt.Printf("  goroutines: %.0f before, %.0f after\n", before, after)
	return err
}

// joinAt creates a Cluster that takes no templates, with its Secret.
func (s *site) joinAt(ctx context.Context, name, url, token string, ca []byte) error {
	for _, o := range []client.Object{
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: names.ClusterNamespace, Name: name},
			Data:       map[string][]byte{clusterv1alpha1.SecretTokenKey: []byte(token), clusterv1alpha1.SecretCADataKey: ca},
		},
		&clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: clusterv1alpha1.ClusterSpec{
			SyncMode: clusterv1alpha1.Push, APIEndpoint: url,
			SecretRef: &clusterv1alpha1.LocalSecretReference{Namespace: names.ClusterNamespace, Name: name},
			Taints:    []corev1.Taint{{Key: "fleetbench", Effect: corev1.TaintEffectNoSchedule}},
		}},
	} {
		if err := s.hub.Create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// count counts the clusters whose condition Ready has a status.
func (s *site) count(ctx context.Context, status metav1.ConditionStatus) int {
	all := &clusterv1alpha1.ClusterList{}
	if s.hub.List(ctx, all) != nil {
		return 0
	}
	n := 0
	for i := range all.Items {
		if meta.IsStatusConditionPresentAndEqual(all.Items[i].Status.Conditions, clusterv1alpha1.ClusterConditionReady, status) {
			n++
		}
	}
	return n
}

// goroutines returns how many the manager has.
func (m *manager) goroutines(ctx context.Context) (float64, error) {
	own, err := m.metrics(ctx)
	if err != nil {
		return 0, err
	}
	return own.sum("go_goroutines", func(map[string]string) string { return "all" })["all"], nil
}
