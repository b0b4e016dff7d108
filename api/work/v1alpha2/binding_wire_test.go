// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTargetOnTheWire pins what the published CRDs require and what they do not: they refuse
// a component without replicas, and have no replicas where there are none.
func TestTargetOnTheWire(t *testing.T) {
	cases := map[string]struct {
		reason string
		target TargetCluster
		want   string
	}{
		"Component": {
			reason: "a component that is scaled to 0 has its replicas all the same",
			target: TargetCluster{Name: "m", Components: []TargetComponent{{Name: "a"}, {Name: "b", Replicas: 2}}},
			want:   `{"name":"m","components":[{"name":"a","replicas":0},{"name":"b","replicas":2}]}`,
		},
		"NoReplicas": {reason: "an object without replicas has none", target: TargetCluster{Name: "m"}, want: `{"name":"m"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(tc.target)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
