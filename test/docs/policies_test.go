// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dragoman-io/dragoman/api"
)

// TestPolicies decodes and validates the policies among the examples.
func TestPolicies(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	files, err := filepath.Glob(filepath.Join(root, "examples", "policies", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d policies, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		policy, ok := object.(interface{ Validate() field.ErrorList })
		if !ok {
			t.Errorf("%s: a %T cannot be validated", file, object)
		} else if err := policy.Validate().ToAggregate(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
