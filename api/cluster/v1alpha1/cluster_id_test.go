// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "testing"

func TestRecordedID(t *testing.T) {
	const a, b = "c9a646d3-9c61-4cb7-bfcd-ee2522c8f633", "0b7e4b9e-1f6a-4a3c-9d55-0a6a3f1c2d4e"
	for name, test := range map[string]struct{ spec, status, want string }{
		"nothing is known":                    {},
		"what was observed":                   {status: a, want: a},
		"spec.id comes first":                 {spec: b, status: a, want: b},
		"a spec.id that is no UID has no say": {spec: "west", status: a, want: a},
		"and names nothing that was not seen": {spec: "cluster-" + a},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Cluster{Spec: ClusterSpec{ID: test.spec}, Status: ClusterStatus{ID: test.status}}
			if got := c.RecordedID(); got != test.want {
				t.Errorf("recorded id of spec.id %q, status.id %q: got %q, want %q", test.spec, test.status, got, test.want)
			}
		})
	}
}
