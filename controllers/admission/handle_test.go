// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/api/validation"
	"github.com/dragoman-io/dragoman/controllers/decide/schema/review"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
)

// none is a client of a control plane without policies.
type none struct{ client.Client }

func (none) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// webhooks answer as the server does, one after the other.
type webhooks struct {
	*Controller
	kinds validation.Kinds
}

func newWebhooks(t testing.TB) webhooks {
	t.Helper()
	kinds, err := validation.New()
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return webhooks{New(base.Deps{Client: none{}, Compiler: compiler, Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}, Options{}), kinds}
}

// create has both webhooks look at a new object whose defaults of the schema are set.
func (w webhooks) create(t testing.TB, object *unstructured.Unstructured) admission.Response {
	t.Helper()
	kind := w.kinds[object.GroupVersionKind()]
	kind.SetDefaults(object.Object)
	raw, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	gvk := object.GroupVersionKind()
	r := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: admissionv1.Create, Namespace: object.GetNamespace(), Name: object.GetName(),
		Kind: metav1.GroupVersionKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind}, Object: runtime.RawExtension{Raw: raw},
	}}
	if answer := (&defaulter{Deps: w.Deps, kind: kind}).Handle(t.Context(), r); !answer.Allowed {
		return answer
	}
	noWarnings := func(context.Context, runtime.Object) []review.Warning { return nil }
	return (&validator{kind: kind, more: w.more, warn: noWarnings}).Handle(t.Context(), r)
}

// TestMistakes has the webhooks alone refuse each mistake with one message, so that nothing
// of what the API server refuses gets by if its schema is that of another version.
func TestMistakes(t *testing.T) {
	w := newWebhooks(t)
	text, err := os.ReadFile("testdata/mistakes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		title, body, _ := strings.Cut(document, "\n")
		t.Run(strings.TrimPrefix(title, "# "), func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(body), &object.Object); err != nil {
				t.Fatal(err)
			}
			if object.GetName() == "" {
				object.SetName("mistake")
			}
			if w.kinds[object.GroupVersionKind()].Namespaced {
				object.SetNamespace("default")
			}
			answer := w.create(t, object)
			if answer.Allowed || answer.Result.Details == nil || len(answer.Result.Details.Causes) != 1 {
				t.Errorf("want one message, got allowed %v, %v", answer.Allowed, answer.Result)
			}
		})
	}
}
