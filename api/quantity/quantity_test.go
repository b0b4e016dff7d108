// SPDX-License-Identifier: Apache-2.0

package quantity_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/api/quantity"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestBound(t *testing.T) {
	long := strings.Repeat("1", 200)
	cases := map[string]struct{ raw, want string }{
		"Small":          {`{"cpu": "1e-999999999"}`, `{"cpu": "1e-99"}`},
		"Large":          {`{"cpu": "1E+999999999", "memory": "2Gi"}`, `{"cpu": "1E+99", "memory": "2Gi"}`},
		"Zeros":          {`["1e0000000000000000000000000000001"]`, `["1e1"]`},
		"OnlyZeros":      {`["1e00000"]`, `["1e0"]`},
		"Long":           {`["` + long + `"]`, `["0"]`},
		"LongSuffix":     {`["` + long + `Gi"]`, `["0"]`},
		"Several":        {`["1e-1000", "x", ".5e1000"]`, `["1e-99", "x", ".5e99"]`},
		"Honest":         {`{"cpu": "1e3", "memory": "1024Mi", "half": "0.5", "name": "e2e-100000"}`, `{"cpu": "1e3", "memory": "1024Mi", "half": "0.5", "name": "e2e-100000"}`},
		"Escaped":        {`{"a\"1e-99999": "\\", "b": "1e-99999"}`, `{"a\"1e-99999": "\\", "b": "1e-99"}`},
		"NoQuantity":     {`["1e-99999x", "` + long + `x"]`, `["1e-99999x", "` + long + `x"]`},
		"Broken":         {`{"a": "1e-99999`, `{"a": "1e-99`},
		"BrokenByEscape": {`"\`, `"\`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, string(quantity.Bound([]byte(tc.raw)))); diff != "" {
				t.Errorf("bound %s (-want +got):\n%s", tc.raw, diff)
			}
		})
	}
}

// TestKindsDecodeBounded decodes each kind that has quantities with one that is out of
// bounds. It does not end where one is decoded as it is.
func TestKindsDecodeBounded(t *testing.T) {
	const text = `"1e-999999999"`
	quota := &policyv1alpha1.FederatedResourceQuota{}
	space := &workv1alpha2.ResourceBinding{}
	wide := &workv1alpha2.ClusterResourceBinding{}
	cluster := &clusterv1alpha1.Cluster{}
	cases := map[string]struct {
		raw  string
		into any
		read func() corev1.ResourceList
	}{
		"FederatedResourceQuota": {`{"metadata": {"name": "q"}, "spec": {"overall": {"cpu": ` + text + `}}}`, quota, func() corev1.ResourceList { return quota.Spec.Overall }},
		"ResourceBinding":        {`{"metadata": {"name": "q"}, "spec": {"replicaRequirements": {"resourceRequest": {"cpu": ` + text + `}}}}`, space, func() corev1.ResourceList { return space.Spec.ReplicaRequirements.ResourceRequest }},
		"ClusterResourceBinding": {`{"metadata": {"name": "q"}, "spec": {"components": [{"replicaRequirements": {"resourceRequest": {"cpu": ` + text + `}}}]}}`, wide, func() corev1.ResourceList { return wide.Spec.Components[0].ReplicaRequirements.ResourceRequest }},
		"Cluster":                {`{"metadata": {"name": "q"}, "spec": {"resourceModels": [{"ranges": [{"name": "cpu", "min": ` + text + `, "max": "1"}]}]}, "status": {"resourceSummary": {"allocatable": {"cpu": ` + text + `}}}}`, cluster, func() corev1.ResourceList { return cluster.Status.ResourceSummary.Allocatable }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, decode := range []func([]byte, any) error{json.Unmarshal, utiljson.Unmarshal} {
				if err := decode([]byte(tc.raw), tc.into); err != nil {
					t.Fatal(err)
				}
				if cpu := tc.read()[corev1.ResourceCPU]; cpu.Cmp(resource.MustParse("1n")) != 0 {
					t.Errorf("decoded %s, want the smallest amount", cpu.String())
				}
			}
		})
	}
}

func FuzzBound(f *testing.F) {
	f.Add([]byte(`{"cpu": "1e-999999999", "memory": "2Gi"}`))
	f.Add([]byte(`"\"1e-999"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		bounded := quantity.Bound(bytes.Clone(raw))
		if json.Valid(raw) && !json.Valid(bounded) {
			t.Errorf("%q became %q, which is no JSON", raw, bounded)
		}
		if !bytes.Equal(quantity.Bound(bounded), bounded) {
			t.Errorf("%q is bounded to %q, and that to something else", raw, bounded)
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	one := &workv1alpha2.ResourceBinding{}
	one.Name = "web-deployment"
	for range 20 {
		one.Spec.Clusters = append(one.Spec.Clusters, workv1alpha2.TargetCluster{Name: "member-with-a-name", Replicas: 3})
	}
	raw, err := json.Marshal(one)
	if err != nil {
		b.Fatal(err)
	}
	type plain workv1alpha2.ResourceBinding
	b.Run("bounded", func(b *testing.B) {
		for b.Loop() {
			if err := utiljson.Unmarshal(raw, &workv1alpha2.ResourceBinding{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := utiljson.Unmarshal(raw, &plain{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
