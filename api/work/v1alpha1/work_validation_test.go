// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestValidateWork(t *testing.T) {
	cases := map[string]struct {
		reason   string
		manifest string
		want     []string
	}{
		"Good": {
			reason:   "an object of any kind",
			manifest: `{"apiVersion":"example.io/v1","kind":"Anything","metadata":{"name":"a"},"spec":{"n":1}}`,
		},
		"NoObject": {
			reason:   "a manifest is one object",
			manifest: `[]`,
			want:     []string{"FieldValueInvalid spec.workload.manifests[0]"},
		},
		"Empty": {
			reason: "and not nothing",
			want:   []string{"FieldValueInvalid spec.workload.manifests[0]"},
		},
		"Nameless": {
			reason:   "without kind and name nothing can be written",
			manifest: `{"metadata":{"generateName":"a-"}}`,
			want: []string{
				"FieldValueRequired spec.workload.manifests[0].apiVersion",
				"FieldValueRequired spec.workload.manifests[0].kind",
				"FieldValueRequired spec.workload.manifests[0].metadata.name",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			work := &Work{Spec: WorkSpec{Workload: WorkloadTemplate{Manifests: []Manifest{
				{RawExtension: runtime.RawExtension{Raw: []byte(tc.manifest)}},
			}}}}
			wantErrors(t, tc.reason, work.Validate(), tc.want...)
		})
	}
}
