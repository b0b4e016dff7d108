// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

// twins returns the scripts of testdata/cel: health and replicas of five kinds once more,
// as expressions.
func twins(t *testing.T) *bundle.Bundle {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Loader{Compiler: c}.Load(os.DirFS("testdata"), "cel", nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTwinsAnswerAlike asks the Lua of the bundle and its twin in CEL about all objects
// in the cases of the five kinds, also about those that are malformed.
func TestTwinsAnswerAlike(t *testing.T) {
	twin := twins(t)
	cel, lua := engine.NewInterpreter(engine.Options{}), interpreter(t)
	if err := cel.Set(engine.Embedded, twin.Source); err != nil {
		t.Fatal(err)
	}
	for kind, rules := range twin.Source.Kinds {
		objects := objectsOf(t, kind.Kind)
		for operation := range rules {
			t.Run(kind.Kind+"/"+string(operation), func(t *testing.T) {
				seen := map[string]bool{}
				for name, object := range objects {
					q := engine.Request{Operation: operation, Object: object}
					want, got := outcome(lua, q), outcome(cel, q)
					if want != got {
						t.Errorf("%s: Lua answers %s, CEL %s", name, want, got)
					}
					seen[want] = true
				}
				if len(seen) < 2 {
					t.Errorf("the objects of the cases have but one answer: %v", seen)
				}
			})
		}
	}
}

// objectsOf returns the objects in the cases of a kind of the bundle kubernetes, each by
// the place and name of its case.
func objectsOf(t *testing.T, kind string) map[string]*unstructured.Unstructured {
	t.Helper()
	objects := map[string]*unstructured.Unstructured{}
	for _, c := range casesOf(t, bundleNamed(t, "kubernetes")) {
		if c.Kind().Kind != kind {
			continue
		}
		objects[c.Where()+" "+c.Name] = c.Question.Object
		if c.Question.Observed != nil {
			objects[c.Where()+" "+c.Name+", observed"] = c.Question.Observed
		}
	}
	return objects
}

// outcome returns the answer to a question as JSON, or the code of its error.
func outcome(i *engine.Interpreter, q engine.Request) string {
	answer, err := i.Snapshot().Evaluate(q)
	if failure, ok := errors.AsType[*script.Error](err); ok {
		return "error " + string(failure.Code)
	}
	if err != nil {
		return fmt.Sprintf("error %v", err)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Sprintf("error %v", err)
	}
	return string(text)
}
