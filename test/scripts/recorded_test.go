// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
)

// recordedFolder has sequences of statuses as the controllers of some kinds write them, each
// beside what the scripts answer for it. Fields, states and reasons are those that the named
// code writes; ids, times and the texts of errors are examples.
const recordedFolder = "testdata/recorded"

// recording is a file of recordedFolder: an object, and the statuses that its controller
// wrote, in their order.
type recording struct {
	// Source is where the sequence is from: repository, file, function or page.
	Source string
	Object map[string]any
	Steps  []step
}

// step is one status of a recording.
type step struct {
	Name string
	// Source is that of the step where it is not that of the recording.
	Source string
	Status map[string]any
	// Spec is merged over the spec of the object, from this step on; generation goes along.
	Spec map[string]any
	// Generation is metadata.generation from this step on; 0 leaves it.
	Generation int64
	// Related are objects of the same cluster, for InterpretState.
	Related []map[string]any
}

// TestRecordedStatuses replays the statuses through health, finished, state, status and
// aggregate, and compares the transcript with the one beside it.
func TestRecordedStatuses(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordedFolder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no recordings: %v", recordedFolder, err)
	}
	i := interpreter(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", transcript(t, i.Snapshot(), read(t, file)))
		})
	}
}

func read(t *testing.T, file string) recording {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := yaml.UnmarshalStrict(data, &r); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if r.Source == "" || len(r.Steps) == 0 {
		t.Fatalf("%s has no source, or no steps", file)
	}
	return r
}

// transcript has a paragraph for each step: its name, and a line for each answer.
func transcript(t *testing.T, v engine.Snapshot, r recording) string {
	t.Helper()
	var out strings.Builder
	object := &unstructured.Unstructured{Object: wholeNumbers(t, r.Object)}
	for _, s := range r.Steps {
		s.apply(t, object)
		fmt.Fprintf(&out, "%s\n", s.Name)
		for _, line := range answers(t, v, object, s) {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	return out.String()
}

// apply makes the object that of the step.
func (s step) apply(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	if s.Generation != 0 {
		object.SetGeneration(s.Generation)
	}
	for field, value := range wholeNumbers(t, s.Spec) {
		if err := unstructured.SetNestedField(object.Object, value, "spec", field); err != nil {
			t.Fatal(err)
		}
	}
	delete(object.Object, "status")
	if s.Status != nil {
		object.Object["status"] = wholeNumbers(t, s.Status)
	}
}

// answers returns what the scripts say of the object of a step.
func answers(t *testing.T, v engine.Snapshot, object *unstructured.Unstructured, s step) []string {
	t.Helper()
	related := make([]*unstructured.Unstructured, 0, len(s.Related))
	for _, r := range s.Related {
		related = append(related, &unstructured.Unstructured{Object: wholeNumbers(t, r)})
	}
	var lines []string
	ask := func(name string, q engine.Request) any {
		q.Object = object
		if !v.Supports(object.GroupVersionKind(), q.Operation) {
			return nil
		}
		answer, err := v.Evaluate(q)
		if err != nil {
			t.Errorf("step %q: %s: %v", s.Name, q.Operation, err)
			return nil
		}
		lines = append(lines, name+": "+oneLine(t, answer[0]))
		return answer[0]
	}
	ask("health", engine.Request{Operation: engine.InterpretHealth})
	ask("health where the policy moves it", engine.Request{Operation: engine.InterpretHealth, Failover: true})
	ask("finished", engine.Request{Operation: engine.InterpretFinished})
	ask("state", engine.Request{Operation: engine.InterpretState, Related: related})
	return append(lines, "told of it: "+oneLine(t, aggregated(t, v, object, s)))
}

// aggregated returns the status that the template gets where one cluster reports the object.
func aggregated(t *testing.T, v engine.Snapshot, object *unstructured.Unstructured, s step) any {
	t.Helper()
	status, err := v.Status(object)
	if err != nil {
		t.Fatalf("step %q: %v", s.Name, err)
	}
	item := map[string]any{"clusterName": "member1", "applied": true, "health": ""}
	if status != nil {
		item["status"] = status
	}
	template := object.DeepCopy()
	delete(template.Object, "status")
	whole, err := v.Aggregate(template, []any{item})
	if err != nil {
		t.Fatalf("step %q: %v", s.Name, err)
	}
	return whole.Object["status"]
}

// oneLine returns a value as JSON.
func oneLine(t *testing.T, v any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}

// wholeNumbers returns a map that was read from YAML as objects of an API server have it:
// numbers without a fraction are integers. It is nil for nil.
func wholeNumbers(t *testing.T, in map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
