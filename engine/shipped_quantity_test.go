// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// The shipped scripts return the cpu of a FlinkDeployment as it stands in the object: an
// object alone must not keep a worker busy.
func TestAQuantityOfAnObjectIsBounded(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	flink, err := bundle.Loader{Compiler: c}.Load(scripts.FS, "flink", nil)
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Embedded, flink.Source); err != nil {
		t.Fatal(err)
	}
	for _, cpu := range []string{"1e-9999999", "0.1e-999999999", strings.Repeat("9", 1<<19)} {
		object := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal([]byte(flinkDeployment), &object.Object); err != nil {
			t.Fatal(err)
		}
		if err := unstructured.SetNestedField(object.Object, cpu, "spec", "jobManager", "resource", "cpu"); err != nil {
			t.Fatal(err)
		}
		_, err := i.Snapshot().Components(object)
		_, err2 := i.Snapshot().Replicas(object)
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), "is out of range") {
				t.Errorf("cpu %.20s: got error %v", cpu, err)
			}
		}
	}
}
