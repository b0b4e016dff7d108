// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/scripts"
)

// flink is a job whose memory is 1024m, which can be read in two ways.
func flink() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": map[string]any{"name": "f", "namespace": "ns"},
		"spec": map[string]any{
			"job":         map[string]any{"parallelism": int64(1)},
			"jobManager":  map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
			"taskManager": map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
		},
	}}
}

// loaded returns an engine with the bundles of a file system.
func loaded(fsys fs.FS, p parameters) (*engine.Interpreter, []string, error) {
	o := controllers.Options{Failures: &customization.Failures{}}
	unknown, err := load(&o, fsys, p)
	return o.Interpreter, unknown, err
}

func TestLoadTakesParameters(t *testing.T) {
	memory := map[string]int64{} // in thousandths of a byte
	for _, units := range []string{"flink", "quantity"} {
		i, _, err := loaded(scripts.FS, parameters{"flink.memoryUnits": units})
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

func TestLoadHasAllBundles(t *testing.T) {
	i, _, err := loaded(scripts.FS, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := i.Snapshot().Origin(flink().GroupVersionKind(), engine.InterpretComponent); got != "bundle flink" {
		t.Errorf("a FlinkDeployment is answered for by %q, want bundle flink", got)
	}
}

func TestLoadTellsWhichParametersNoBundleHas(t *testing.T) {
	_, unknown, err := loaded(scripts.FS, parameters{"nobody.a": "1", "another.b": "2", "memoryUnits": "flink", "flink.memoryUnits": "flink"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"another.b", "memoryUnits", "nobody.a"}, unknown); diff != "" {
		t.Errorf("the parameters that no bundle has (-want +got):\n%s", diff)
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
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, err := loaded(scripts.FS, tc.parameters)
			if err == nil {
				t.Fatalf("%s: load() took %v", tc.reason, tc.parameters)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: the error %q lacks %q", tc.reason, err, part)
				}
			}
		})
	}
	broken := fstest.MapFS{"odd/bundle.yaml": {Data: []byte("kind: Nonsense\n")}}
	if _, _, err := loaded(broken, nil); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("load() of a broken bundle = %v, want an error that names it", err)
	}
}
