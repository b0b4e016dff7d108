// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// newDeps returns an engine without rules, and the registry of its metrics. through, if
// it is not nil, returns what the activator writes to instead of the engine.
func newDeps(t *testing.T, through func(*engine.Interpreter) activation.Rules) (base.Deps, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	observer, err := activation.NewObserver(registry)
	if err != nil {
		t.Fatal(err)
	}
	d := base.Deps{Interpreter: engine.NewInterpreter(engine.Options{Observe: observer.Observe}), Changes: &rulechange.Changes{}}
	if d.Compiler, err = engine.NewCompiler(); err != nil {
		t.Fatal(err)
	}
	var rules activation.Rules = d.Interpreter
	if through != nil {
		rules = through(d.Interpreter)
	}
	d.Activator = activation.New(rules, observer, d.Changes)
	return d, registry
}

// embedded returns an engine with the bundles of a file system.
func embedded(t *testing.T, fsys fs.FS, parameters map[string]string) (*engine.Interpreter, error) {
	t.Helper()
	d, _ := newDeps(t, nil)
	err := bundle.New(d, bundle.Options{Embedded: fsys, Parameters: parameters}).Load(t.Context())
	return d.Interpreter, err
}

// flink is a job whose memory is 1024m, which can be read in two ways.
func flink() *unstructured.Unstructured {
	kind := schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
	return fixture.Object(kind, "ns", "f", map[string]any{"spec": map[string]any{
		"job":         map[string]any{"parallelism": int64(1)},
		"jobManager":  map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
		"taskManager": map[string]any{"replicas": int64(1), "resource": map[string]any{"cpu": int64(1), "memory": "1024m"}},
	}})
}

const siteManifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: NAME}
spec:
  kinds: [{group: NAME.example, versions: [v1], kind: Site}]
  parameters: [{name: units, default: si}]
`

// siteOf returns the kind of the bundle of this name.
func siteOf(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: name + ".example", Version: "v1", Kind: "Site"}
}

// folder creates a folder of bundles; an operation's file is NAME/Site/FILE.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range files {
		put(t, dir, file, text)
		name, _, _ := strings.Cut(file, "/")
		put(t, dir, name+"/bundle.yaml", strings.ReplaceAll(siteManifest, "NAME", name))
	}
	return dir
}

func put(t *testing.T, dir, file, text string) {
	t.Helper()
	at := filepath.Join(dir, file)
	if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// log holds the entries of a logger.
type log struct {
	mu      sync.Mutex
	entries []map[string]any
}

func (l *log) logger(t *testing.T) logr.Logger {
	return funcr.NewJSON(func(entry string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		fields := map[string]any{}
		if err := json.Unmarshal([]byte(entry), &fields); err != nil {
			t.Error(err)
		}
		l.entries = append(l.entries, fields)
	}, funcr.Options{})
}

// byFolder returns the last entry about each folder, as its message and reason.
func (l *log) byFolder() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]string{}
	for _, e := range l.entries {
		reason, _ := e["reason"].(string)
		folder, _ := e["folder"].(string)
		all[filepath.Base(folder)] = e["msg"].(string) + " " + reason
	}
	return all
}
