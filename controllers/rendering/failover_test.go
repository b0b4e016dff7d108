// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestAWorkNotesWhatFailoverNeedsReported(t *testing.T) {
	application := &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
	for name, tc := range map[string]struct {
		failover  *policyv1alpha1.FailoverBehavior
		keepState bool
		want      string
	}{
		"no failover":                   {nil, true, ""},
		"applications":                  {application, true, "moved,state"},
		"applications, without a state": {application, false, "moved"},
		"clusters":                      {&policyv1alpha1.FailoverBehavior{Cluster: &policyv1alpha1.ClusterFailoverBehavior{}}, true, "state"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &workv1alpha1.Work{}
			w.Annotations = map[string]string{"other": "kept", workv1alpha2.FailoverAnnotation: "before"}
			setFailover(w, tc.failover, tc.keepState)
			got, noted := w.Annotations[workv1alpha2.FailoverAnnotation]
			if got != tc.want || noted != (tc.want != "") || w.Annotations["other"] != "kept" {
				t.Errorf("got annotations %v; want %q", w.Annotations, tc.want)
			}
		})
	}
}
