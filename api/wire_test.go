// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/api"
)

// TestWireForm decodes objects that have every published field and encodes them
// again: each name is known, and nothing is lost, added or changed.
func TestWireForm(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			t.Run(filepath.Base(file), func(t *testing.T) { roundTrip(t, document) })
		}
	}
}

func roundTrip(t *testing.T, document string) {
	object, err := decode(t, document)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	want, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(values(t, want), values(t, encoded)); diff != "" {
		t.Errorf("the wire form changed (-want +got):\n%s", diff)
	}
}

// decode returns the object of a YAML document; an error names what its type does
// not have.
func decode(t *testing.T, document string) (runtime.Object, error) {
	t.Helper()
	codecs := serializer.NewCodecFactory(scheme(t), serializer.EnableStrict)
	object, _, err := codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
	return object, err
}

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// values returns JSON as plain Go values, numbers as they are written.
func values(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
