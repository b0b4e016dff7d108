// SPDX-License-Identifier: Apache-2.0

package placementrule

import (
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
)

// TestRulesAreSafeForManyGoroutines decides about bindings at once, by the same rules and
// the same views of clusters, while a rule changes and clusters go.
func TestRulesAreSafeForManyGoroutines(t *testing.T) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	rules := New(compiler)
	clusters := make([]*clusterv1alpha1.Cluster, 3)
	for i := range clusters {
		clusters[i] = &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprint(i), ResourceVersion: "1", Labels: map[string]string{"zone": fmt.Sprint(i)},
		}}
	}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for round := range 20 {
				passes := filterRule("passes", `cluster.metadata.labels.zone != "9"`)
				passes.Spec.ClusterScore = "size(cluster.metadata.labels) * 10"
				passes.Generation = int64(1 + round%2)
				fails := filterRule("fails", `cluster.metadata.none.zone == "1"`)
				b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "space", Name: fmt.Sprint(g)}}
				d, err := rules.Begin([]*interpreterv1alpha1.PlacementRule{passes, fails}, b, time.Unix(0, 0))
				if err != nil {
					t.Error(err)
					return
				}
				for _, c := range clusters {
					d.Reject(c)
					d.Score(c)
				}
				rules.onFailure(func(string) {})
				rules.ForgetCluster(fmt.Sprint(round % 3))
			}
		})
	}
	wait.Wait()
}
