// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// minuteOfDrain has an object tolerate the taint drain for a minute.
func minuteOfDrain(s *workv1alpha2.ResourceBindingSpec) {
	s.Placement.ClusterTolerations = append(s.Placement.ClusterTolerations, corev1.Toleration{
		Key: "drain", Operator: corev1.TolerationOpExists, TolerationSeconds: ptr.To[int64](60),
	})
}

func TestOverdueTaint(t *testing.T) {
	const fits = "fits, and the next decision takes it"
	added := time.Unix(1000, 0)
	drained := cluster("c", taint("drain=x:NoExecute"))
	drained.Spec.Taints[0].TimeAdded = &metav1.Time{Time: added}
	untimed := cluster("c", taint("drain=x:NoExecute"))
	after := func(d time.Duration) time.Time { return added.Add(d) }
	cases := map[string]struct {
		reason string
		in     Input
		want   string
	}{
		"Tolerated": {"a new copy may come in that time", Input{Spec: configMap(minuteOfDrain), Clusters: clusters(drained), Now: after(59 * time.Second)}, fits},
		"Over":      {"after it the copy would leave at once", Input{Spec: configMap(minuteOfDrain), Clusters: clusters(drained), Now: after(time.Minute)}, "had taint {drain: x} for longer than it is tolerated"},
		"Target":    {"one that is there leaves by an eviction", Input{Spec: configMap(minuteOfDrain, on(to("c", 0))), Clusters: clusters(drained), Now: after(time.Hour)}, ""},
		"Untimed":   {"nobody knows since when it is there", Input{Spec: configMap(minuteOfDrain), Clusters: clusters(untimed), Now: after(time.Hour)}, fits},
		"Written": {
			"somebody wrote the cluster without the taint, and it is about to come back",
			Input{Spec: configMap(), Clusters: clusters(cluster("c", recorded("down")))},
			"had untolerated taint {down: }",
		},
		"WrittenOver": {
			"so it is once the time of toleration is over",
			Input{Spec: configMap(minuteOfDrain), Clusters: clusters(cluster("c", recorded("drain"))), Now: after(time.Minute)},
			"had taint {drain: } for longer than it is tolerated",
		},
		"WrittenTolerated": {"and not before", Input{Spec: configMap(minuteOfDrain), Clusters: clusters(cluster("c", recorded("drain"))), Now: after(time.Second)}, fits},
		"WrittenTarget":    {"one that is there stays", Input{Spec: configMap(on(to("c", 0))), Clusters: clusters(cluster("c", recorded("down")))}, ""},
		"NoTime":           {"without a time each toleration holds", Input{Spec: configMap(minuteOfDrain), Clusters: clusters(drained)}, fits},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			reasons, err := Rejected(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := reasons["c"]; got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
