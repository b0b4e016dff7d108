// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/scripts"
)

func TestEmbeddedBundlesTakeParameters(t *testing.T) {
	memory := map[string]int64{} // in thousandths of a byte
	for _, units := range []string{"flink", "quantity"} {
		i, err := embedded(t, scripts.FS, map[string]string{"flink.memoryUnits": units})
		if err != nil {
			t.Fatalf("flink.memoryUnits=%s: %v", units, err)
		}
		components, err := i.Snapshot().Components(flink())
		if err != nil {
			t.Fatalf("flink.memoryUnits=%s: %v", units, err)
		}
		memory[units] = components[0].ReplicaRequirements.ResourceRequest.Memory().MilliValue()
	}
	if diff := cmp.Diff(map[string]int64{"flink": 1000 << 30, "quantity": 1024}, memory); diff != "" {
		t.Errorf("the memory of a job with 1024m (-want +got):\n%s", diff)
	}
}

func TestEmbeddedBundlesAreActive(t *testing.T) {
	i, err := embedded(t, scripts.FS, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := i.Snapshot().Origin(flink().GroupVersionKind(), engine.InterpretComponent); got != "bundle flink" {
		t.Errorf("the components of a FlinkDeployment come from %q, want bundle flink", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	cases := map[string]struct {
		reason     string
		parameters map[string]string
		want       []string
	}{
		"Parameter": {reason: "the bundle does not have it", parameters: map[string]string{"flink.memoryUnit": "flink"}, want: []string{"flink", "memoryUnit"}},
		"Value":     {reason: "the bundle does not take it", parameters: map[string]string{"flink.memoryUnits": "bytes"}, want: []string{"flink", "memoryUnits", "bytes"}},
		"Bundle": {
			reason: "there is no such bundle", parameters: map[string]string{"nobody.a": "1", "another.b": "2", "memoryUnits": "flink", "flink.memoryUnits": "flink"},
			want: []string{"no bundle has the parameter another.b, memoryUnits, nobody.a"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := embedded(t, scripts.FS, tc.parameters)
			if err == nil {
				t.Fatalf("%s: Load took %v", tc.reason, tc.parameters)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: the error %q lacks %q", tc.reason, err, part)
				}
			}
		})
	}
	broken := fstest.MapFS{"odd/bundle.yaml": {Data: []byte("kind: Nonsense\n")}}
	if _, err := embedded(t, broken, nil); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("Load of a broken bundle = %v, want an error that names it", err)
	}
}

func TestLoadWithoutBundles(t *testing.T) {
	if _, err := embedded(t, nil, map[string]string{"flink.memoryUnits": "flink"}); err == nil || !strings.Contains(err.Error(), "no bundle has the parameter flink.memoryUnits") {
		t.Errorf("got %v, want an error that names the parameter", err)
	}
}
