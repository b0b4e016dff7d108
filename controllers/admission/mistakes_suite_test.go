// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// answer are the messages with which the API server refuses a mistake.
type answer struct {
	mistake  string
	messages []string
}

// unchecked is what the API server adds to what a schema refuses.
const unchecked = "some validation rules were not checked"

// ask has the API server create each object of testdata/mistakes.yaml, without storing
// any. An object without a name is called mistake.
func ask(ctx context.Context, c client.Client) []answer {
	GinkgoHelper()
	text, err := os.ReadFile("testdata/mistakes.yaml")
	Expect(err).NotTo(HaveOccurred())
	var all []answer
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		title, body, _ := strings.Cut(document, "\n")
		object := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal([]byte(body), &object.Object)).To(Succeed())
		if object.GetName() == "" {
			object.SetName("mistake")
		}
		object.SetNamespace("default")
		all = append(all, answer{strings.TrimPrefix(title, "# "), refusal(c.Create(ctx, object, client.DryRunAll))})
	}
	return all
}

// refusal returns the messages of an answer of the API server.
func refusal(err error) []string {
	GinkgoHelper()
	if err == nil {
		return nil
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	Expect(ok).To(BeTrue(), "%v", err)
	if status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return []string{err.Error()}
	}
	var messages []string
	for _, cause := range status.ErrStatus.Details.Causes {
		messages = append(messages, fmt.Sprintf("%s: %s", cause.Field, cause.Message))
	}
	return messages
}

// compare compares answers with those in a file.
func compare(answers []answer, file string) {
	GinkgoHelper()
	var text bytes.Buffer
	for _, a := range answers {
		fmt.Fprintf(&text, "# %s\n", a.mistake)
		for _, line := range a.messages {
			fmt.Fprintln(&text, line)
		}
		fmt.Fprintln(&text)
	}
	if *update {
		Expect(os.WriteFile(file, text.Bytes(), 0o644)).To(Succeed())
	}
	want, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	Expect(cmp.Diff(string(want), text.String())).To(BeEmpty(), "want -, got +")
}

var _ = Describe("mistakes", func() {
	It("are refused by the schema alone where it can, each with one message of its own", func() {
		compare(bySchema, "testdata/schema.txt")
		for _, a := range bySchema {
			own := 0
			for _, m := range a.messages {
				if !strings.Contains(m, unchecked) {
					own++
				}
			}
			Expect(own).To(BeNumerically("<=", 1), "%s: %q", a.mistake, a.messages)
		}
	})

	It("are all refused by schema and webhooks, each with one message", func(ctx SpecContext) {
		answers := ask(ctx, user)
		compare(answers, "testdata/webhook.txt")
		for _, a := range answers {
			Expect(a.messages).To(HaveLen(1), a.mistake)
		}
	})
})
