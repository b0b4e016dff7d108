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
	"github.com/dragoman-io/dragoman/engine/author"
)

// TestSamplesAnswerEveryQuestion asks every question that their kinds have scripts for
// about the objects that nine projects publish as samples.
func TestSamplesAnswerEveryQuestion(t *testing.T) {
	folder := filepath.Join(shared, "real")
	if _, err := os.Stat(folder); err != nil {
		t.Logf("%s is not there: the samples of the projects are not read", folder)
		return
	}
	i := interpreter(t)
	asked := map[string]int{}
	for _, file := range yamlFiles(t, folder) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := author.Objects(file, data)
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
