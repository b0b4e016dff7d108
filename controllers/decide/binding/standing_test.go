// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestStandingTaints(t *testing.T) {
	at := func(second int64) *metav1.Time { return &metav1.Time{Time: time.Unix(second, 0)} }
	taint := func(key, value string, since *metav1.Time) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoExecute, TimeAdded: since}
	}
	soft := corev1.Taint{Key: "down", Effect: corev1.TaintEffectNoSchedule}
	record := func(key, value string, since int64) clusterv1alpha1.TaintSince {
		return clusterv1alpha1.TaintSince{Key: key, Value: value, Since: *at(since)}
	}
	type taints = []corev1.Taint
	for _, tc := range []struct {
		reason         string
		spec           taints
		since          []clusterv1alpha1.TaintSince
		want, standing taints
	}{
		{"nothing is recorded", taints{taint("down", "", at(9)), soft}, nil, taints{taint("down", "", at(9)), soft}, taints{taint("down", "", at(9)), soft}},
		{
			"another time was written",
			taints{taint("down", "", at(9)), taint("own", "", nil)},
			[]clusterv1alpha1.TaintSince{record("down", "", 5), record("own", "", 6)},
			taints{taint("down", "", at(5)), taint("own", "", at(6))},
			taints{taint("down", "", at(5)), taint("own", "", at(6))},
		},
		{"another value is another taint", taints{taint("down", "b", at(9))}, []clusterv1alpha1.TaintSince{record("down", "a", 5)}, taints{taint("down", "b", at(9))}, taints{taint("down", "b", at(9))}},
		{"another effect is too", taints{soft}, []clusterv1alpha1.TaintSince{record("down", "", 5)}, taints{soft}, taints{soft, taint("down", "", at(5))}},
		{"it was written without the taint", nil, []clusterv1alpha1.TaintSince{record("down", "v", 5)}, nil, taints{taint("down", "v", at(5))}},
	} {
		c := &clusterv1alpha1.Cluster{}
		c.Spec.Taints, c.Status.TaintedSince = tc.spec, tc.since
		before := c.DeepCopy()
		if diff := cmp.Diff(tc.want, TaintsOf(c)); diff != "" {
			t.Errorf("%s: its taints (-want +got):\n%s", tc.reason, diff)
		}
		if diff := cmp.Diff(tc.standing, StandingTaints(c)); diff != "" {
			t.Errorf("%s: those that stand (-want +got):\n%s", tc.reason, diff)
		}
		if diff := cmp.Diff(before, c); diff != "" {
			t.Errorf("%s: the cluster was changed (-want +got):\n%s", tc.reason, diff)
		}
	}
}
