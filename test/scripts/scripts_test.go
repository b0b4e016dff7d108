package scripts

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/bundle/document"
	"github.com/dragoman-io/dragoman/scripts"
)

// shared holds data that is not part of the repository.
const shared = "../../../shared"

// bundles gives the bundles of this program with some parameters chosen.
func bundles(t *testing.T, choices ...string) []*bundle.Bundle {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	all, err := bundle.LoadAll(scripts.FS, c)
	if err != nil {
		t.Fatal(err)
	}
	if all, err = bundle.Choose(all, choices); err != nil {
		t.Fatal(err)
	}
	return all
}

func interpreter(t *testing.T, choices ...string) *engine.Interpreter {
	t.Helper()
	i := engine.NewInterpreter(engine.Options{})
	for _, b := range bundles(t, choices...) {
		i.Set(engine.Embedded, b.Source)
	}
	return i
}

func TestCasesOfBundles(t *testing.T) {
	all := bundles(t)
	runner := &cases.Runner{Bundles: all}
	for _, b := range all {
		found, err := cases.InBundle(scripts.FS, b)
		if err != nil {
			t.Error(err)
		}
		for _, c := range found {
			t.Run(b.Name+"/"+c.Name, func(t *testing.T) { check(t, runner.Run(c)) })
		}
	}
}

func check(t *testing.T, result cases.Result) {
	t.Helper()
	for _, f := range result.Failures {
		t.Errorf("%s: %s: want %s, got %s", result.Case.Where(), f.Path, f.Want, f.Got)
	}
}

func TestEveryScriptHasCases(t *testing.T) {
	for _, b := range bundles(t) {
		found, err := cases.InBundle(scripts.FS, b)
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]bool{}
		for _, c := range found {
			asked[c.Kind().Kind+" "+c.Operation.Name] = true
		}
		for kind, rules := range b.Source.Kinds {
			for operation := range rules {
				if !asked[kind.Kind+" "+operation] {
					t.Errorf("bundle %s: there is no case of %s for %s", b.Name, operation, kind.Kind)
				}
			}
		}
	}
}

// TestNumbersOfKarmada115 checks the text of a component, which is what a user sees in
// a ResourceBinding. A case compares quantities by value.
func TestNumbersOfKarmada115(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment",
		"spec": map[string]any{
			"jobManager":  map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
			"taskManager": map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(2), "memory": "2048m"}},
		},
	}}
	for choice, want := range map[string]string{
		"flink.memoryUnits=quantity": `[` +
			`{"name":"jobmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"1","memory":"1.024"}}},` +
			`{"name":"taskmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"2","memory":"2.048"}}}]`,
		"flink.memoryUnits=flink": `[` +
			`{"name":"jobmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"1","memory":"1Gi"}}},` +
			`{"name":"taskmanager","replicas":1,"replicaRequirements":{"resourceRequest":{"cpu":"2","memory":"2Gi"}}}]`,
	} {
		components, err := interpreter(t, choice).Components(object)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(components)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%s: want -, got +:\n%s", choice, d)
		}
	}
}

// different are Karmada's cases whose answer is another here, on purpose: Karmada drops
// an empty list that a script hands on, we keep it.
var different = map[string]string{
	"FlinkDeployment with one status item":   "aggregatedStatus.status.jobStatus.savepointInfo.savepointHistory: want , got []",
	"FlinkDeployment: interpret status test": "status.jobStatus.savepointInfo.savepointHistory: want , got []",
}

func TestCasesOfKarmada(t *testing.T) {
	folder := filepath.Join(shared, "cases", "flink.apache.org")
	if _, err := os.Stat(folder); err != nil {
		t.Logf("%s is not there: Karmada's cases are not run", folder)
		return
	}
	runner := &cases.Runner{Bundles: bundles(t, "flink.memoryUnits=quantity"), AllowUnchecked: true}
	passed, got := 0, map[string]string{}
	for _, file := range yamlFiles(t, folder) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := cases.Read(file, data)
		if err != nil {
			t.Error(err)
		}
		for _, c := range found {
			var lines []string
			for _, f := range runner.Run(c).Failures {
				lines = append(lines, f.Path+": want "+string(f.Want)+", got "+string(f.Got))
			}
			if len(lines) == 0 {
				passed++
				continue
			}
			got[c.Name] = strings.Join(lines, "\n")
			t.Logf("differs: %s: %s", c.Name, got[c.Name])
		}
	}
	t.Logf("%d of Karmada's cases pass, %d differ", passed, len(got))
	if d := cmp.Diff(different, got); d != "" {
		t.Errorf("the cases that differ: want -, got +:\n%s", d)
	}
	if passed == 0 {
		t.Error("nothing ran")
	}
}

// TestPublishedObjects asks every question about the samples of the Flink operator.
func TestPublishedObjects(t *testing.T) {
	folder := filepath.Join(shared, "real", "flink")
	if _, err := os.Stat(folder); err != nil {
		t.Logf("%s is not there: the samples of the Flink operator are not read", folder)
		return
	}
	i := interpreter(t)
	asked := 0
	for _, file := range yamlFiles(t, folder) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := document.Read(file, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			object, _ := n.Value.(map[string]any)
			if object["kind"] != "FlinkDeployment" {
				continue
			}
			asked++
			before := plain(t, object)
			askAll(t, i, &unstructured.Unstructured{Object: object})
			if !bytes.Equal(before, plain(t, object)) {
				t.Errorf("%s:%d: a script changed the object", n.File, n.Line)
			}
		}
	}
	if asked == 0 {
		t.Error("there is no FlinkDeployment among the samples")
	}
}

func askAll(t *testing.T, i *engine.Interpreter, object *unstructured.Unstructured) {
	t.Helper()
	for _, op := range engine.Operations() {
		if !i.Supports(object.GroupVersionKind(), op.Name) {
			continue
		}
		q := engine.Question{Operation: op.Name, Object: object, Observed: object, State: map[string]string{"flink.apache.org/savepoint": "s3://x"}}
		if _, err := i.Ask(q); err != nil {
			t.Errorf("%s: %v", object.GetName(), err)
		}
	}
	components, err := i.Components(object)
	if err != nil || len(components) != 2 {
		t.Fatalf("%s: got %d components, error %v", object.GetName(), len(components), err)
	}
	for _, c := range components {
		memory := c.ReplicaRequirements.ResourceRequest["memory"]
		if memory.String() != "2Gi" {
			t.Errorf("%s: %s needs memory %s; want 2Gi", object.GetName(), c.Name, memory.String())
		}
	}
}

func plain(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func yamlFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && cases.IsYAML(path) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
