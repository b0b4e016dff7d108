// SPDX-License-Identifier: Apache-2.0

package seeds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// document returns the text of a document.
func document(t *testing.T, folder, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s in %s: %v, %v; want one file", pattern, folder, files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks returns the YAML blocks of a document.
func blocks(t *testing.T, folder, pattern string) []string {
	t.Helper()
	var all []string
	for _, match := range fence.FindAllStringSubmatch(document(t, folder, pattern), -1) {
		all = append(all, match[1])
	}
	return all
}

// value reads YAML, with numbers as the API server's clients have them.
func value(text string) (v map[string]any) {
	GinkgoHelper()
	raw, err := yaml.YAMLToJSONStrict([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	Expect(utiljson.Unmarshal(raw, &v)).To(Succeed())
	return v
}

// objects reads the objects of a block.
func objects(block string) (all []*unstructured.Unstructured) {
	GinkgoHelper()
	for document := range strings.SplitSeq(block, "\n---\n") {
		all = append(all, &unstructured.Unstructured{Object: value(document)})
	}
	return all
}

// apply creates the objects of a block, unchanged but for the namespace that the user is
// in, and returns them as the control plane has them.
func apply(ctx context.Context, space, block string) []*unstructured.Unstructured {
	GinkgoHelper()
	all := objects(block)
	for _, o := range all {
		o.SetNamespace(space)
		written := o.DeepCopy().Object
		Expect(env.Hub.Create(ctx, o)).To(Succeed(), block)
		Expect(missing(written, o.Object)).To(BeEmpty(), "the control plane has what was written")
	}
	return all
}

// missing lists the fields of a value that another does not have, or has otherwise, as
// path: value. A list must have all items, in their order; the other may have more.
func missing(wanted, got any) []string {
	var lacks []string
	switch wanted := wanted.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key, v := range wanted {
			for _, m := range missing(v, have[key]) {
				lacks = append(lacks, "."+key+m)
			}
		}
	case []any:
		have, _ := got.([]any)
		for i, v := range wanted {
			var other any
			if i < len(have) {
				other = have[i]
			}
			for _, m := range missing(v, other) {
				lacks = append(lacks, fmt.Sprintf("[%d]%s", i, m))
			}
		}
	default:
		if wanted != got {
			lacks = []string{fmt.Sprintf(": %v, not %v", wanted, got)}
		}
	}
	return lacks
}
