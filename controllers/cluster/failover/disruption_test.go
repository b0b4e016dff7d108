// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
)

func TestDisrupted(t *testing.T) {
	cluster := func(status metav1.ConditionStatus, reason string) *clusterv1alpha1.Cluster {
		c := &clusterv1alpha1.Cluster{}
		if status != "" {
			c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}}
		}
		return c
	}
	unhealthy, all, _ := failover.Disrupted([]*clusterv1alpha1.Cluster{
		cluster("", ""), cluster("Unknown", "NoAgent"), cluster("True", "ClusterReady"), cluster("False", "ClusterNotReachable"), cluster("Unknown", "ClusterStatusUnknown"),
	}, nil, 0.5)
	if unhealthy != 2 || all != 3 {
		t.Errorf("%d of %d clusters look unhealthy, want 2 of 3: nobody has looked at one that no agent serves", unhealthy, all)
	}
}
