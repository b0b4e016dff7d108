// SPDX-License-Identifier: Apache-2.0

package preservation

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// What a cluster reported is taken as it is: nothing is asked of a script, which here would
// be a nil interpreter.
func TestReportedStateGoesFirst(t *testing.T) {
	b := &workv1alpha2.ResourceBinding{}
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{
		{ClusterName: "member1", State: map[string]string{"path": "s3://one"}},
		{ClusterName: "member2", State: map[string]string{"path": "s3://two"}, Status: &runtime.RawExtension{Raw: []byte(`{"path":"of the status"}`)}},
	}
	got, err := valuesOf(t.Context(), base.Deps{}, b, &b.Status.AggregatedStatus[1])
	if want := map[string]string{"path": "s3://two"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, error %v; want %v", got, err, want)
	}
	got["path"] = "changed"
	if b.Status.AggregatedStatus[1].State["path"] != "s3://two" {
		t.Error("the status of the binding changed with the state")
	}
}
