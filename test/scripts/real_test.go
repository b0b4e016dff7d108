// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/test/shared"
)

// TestSamplesAnswerEveryQuestion asks every question that their kinds have scripts for
// about the objects that nine projects publish as samples.
func TestSamplesAnswerEveryQuestion(t *testing.T) {
	folder := shared.Folder(t, "real")
	i := interpreter(t)
	asked := map[string]int{}
	for _, file := range yamlFiles(t, folder) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := source.Objects(file, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range objects {
			t.Run(filepath.Base(file)+"/"+object.GetKind()+" "+object.GetName(), func(t *testing.T) {
				project := filepath.Base(filepath.Dir(file))
				asked[project] += askAll(t, i, object)
			})
		}
	}
	for _, project := range []string{"argo", "flink", "jobset", "kruise", "kubeflow", "lws", "ray", "spark", "volcano"} {
		if asked[project] == 0 {
			t.Errorf("nothing was asked about the samples of %s", project)
		}
	}
	t.Logf("questions by project: %v", asked)
}

// TestObjectsOfCasesAnswerEveryQuestion asks every question that their kinds have scripts
// for about the objects of the bundles' own cases, whichever operation they were written
// for. Left out are cases whose answer is an error, and objects whose spec or status is no
// map: no API server would hold them.
func TestObjectsOfCasesAnswerEveryQuestion(t *testing.T) {
	i := interpreter(t)
	asked := 0
	for _, b := range bundles(t) {
		for _, c := range casesOf(t, b) {
			if _, err := i.Snapshot().Evaluate(c.Question); err != nil {
				continue
			}
			t.Run(b.Name+"/"+c.Name, func(t *testing.T) {
				for _, object := range []*unstructured.Unstructured{c.Question.Object, c.Question.Observed} {
					if object != nil && hasMaps(object) {
						asked += askAll(t, i, object)
					}
				}
			})
		}
	}
	t.Logf("asked %d questions", asked)
	if asked == 0 {
		t.Error("no question was asked")
	}
}

// hasMaps reports whether spec and status of an object are maps, where it has them.
func hasMaps(object *unstructured.Unstructured) bool {
	for _, field := range []string{"spec", "status"} {
		if _, _, err := unstructured.NestedMap(object.Object, field); err != nil {
			return false
		}
	}
	return true
}

// askAll asks all that there are scripts for, and returns how much that was.
func askAll(t *testing.T, i *engine.Interpreter, object *unstructured.Unstructured) (asked int) {
	t.Helper()
	before := plain(t, object.Object)
	for _, op := range engine.Operations() {
		if !i.Snapshot().Supports(object.GroupVersionKind(), op.Name) {
			continue
		}
		asked++
		q := engine.Request{
			Operation: op.Name, Object: object, Observed: object, Replicas: 3,
			State: map[string]string{"flink.apache.org/savepoint": "s3://x"},
		}
		if _, err := i.Snapshot().Evaluate(q); err != nil {
			t.Errorf("%s: %v", op.Name, err)
		}
	}
	if !bytes.Equal(before, plain(t, object.Object)) {
		t.Error("a script changed the object")
	}
	return asked
}

func plain(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
