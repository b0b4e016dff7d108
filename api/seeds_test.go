// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/test/shared"
)

// TestSeeds reads the documents that describe the system asked for, which are beside
// the repository, and decodes and validates every object of our kinds in them.
func TestSeeds(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Folder(t, "seeds"), "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := scheme(t)
	count := 0
	for _, file := range files {
		for _, document := range documents(t, file) {
			if !known.Recognizes(kindOf(document)) {
				continue
			}
			count++
			object, err := decode(t, document)
			if err != nil {
				t.Errorf("%s: decode %v\n%s", filepath.Base(file), err, document)
				continue
			}
			if err := validate(object, document); err != nil {
				t.Errorf("%s: %v\n%s", filepath.Base(file), err, document)
			}
		}
	}
	t.Logf("decoded %d objects out of %d files", count, len(files))
	if count == 0 {
		t.Error("the seeds hold objects of our kinds, but none was found")
	}
}

// TestPolicies decodes and validates policies as people write them.
func TestPolicies(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(string(text), "\n---\n") {
		object, err := decode(t, document)
		if err != nil {
			t.Errorf("decode %v\n%s", err, document)
			continue
		}
		if _, ok := object.(interface{ Validate() field.ErrorList }); !ok {
			t.Errorf("%T has no Validate", object)
		}
		if err := validate(object, document); err != nil {
			t.Errorf("%v\n%s", err, document)
		}
	}
}

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// documents returns the YAML documents between the fences of a Markdown file.
func documents(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.Split(block[1], "\n---\n")...)
	}
	return all
}

// kindOf returns the kind of a document; empty for a fragment of an object.
func kindOf(document string) schema.GroupVersionKind {
	var typeMeta metav1.TypeMeta
	if err := yaml.Unmarshal([]byte(document), &typeMeta); err != nil {
		return schema.GroupVersionKind{}
	}
	return typeMeta.GroupVersionKind()
}

// validate returns what is wrong with the object. Where the document leaves parts
// out with dots, the selectors may be among them.
func validate(object runtime.Object, document string) error {
	validator, ok := object.(interface{ Validate() field.ErrorList })
	if !ok {
		return nil
	}
	errs := validator.Validate()
	if strings.Contains(document, "...") {
		errs = errs.Filter(func(err error) bool {
			return strings.HasPrefix(err.Error(), "spec.resourceSelectors: Required value")
		})
	}
	return errs.ToAggregate()
}
