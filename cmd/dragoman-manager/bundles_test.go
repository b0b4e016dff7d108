// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/customization"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/scripts"
)

const siteManifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: NAME}
spec:
  kinds: [{group: NAME.example, versions: [v1], kind: Site}]
  parameters: [{name: units, default: si}]
`

// folder makes a folder of bundles; an operation's file is NAME/Site/FILE.
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

func siteOf(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: name + ".example", Version: "v1", Kind: "Site"}
}

func TestBundlesOfAFolderAreActiveBeforeTheControllersAndFollowIt(t *testing.T) {
	const good, bad = "function InterpretHealth(obj) return true end\n", "function InterpretHealth(obj) return true end end\n"
	dir := folder(t, map[string]string{
		"good/Site/health.lua":           good,
		"broken/Site/health.lua":         bad,
		"wrong/Site/health.lua":          good,
		"wrong/Site/testdata/first.yaml": "name: it is not healthy\ndesiredObj: {apiVersion: wrong.example/v1, kind: Site}\noperation: InterpretHealth\noutput: {healthy: false}\n",
	})
	var log output
	ctx, cancel := context.WithCancel(ctrl.LoggerInto(t.Context(), (&logging{format: "json"}).logger(&log)))
	defer cancel()
	o := controllers.Options{Failures: &customization.Failures{}, Changes: &customization.Changes{}}
	if _, err := load(&o, scripts.FS, nil); err != nil {
		t.Fatal(err)
	}
	installed, err := install(ctx, o, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"good": "bundle good", "broken": "", "wrong": ""} {
		if got := o.Interpreter.Snapshot().Origin(siteOf(name), engine.InterpretHealth); got != want {
			t.Errorf("%s is answered for by %q; want %q", name, got, want)
		}
	}
	told := map[string]string{}
	for _, entry := range entries(t, log.String()) {
		reason, _ := entry["reason"].(string)
		told[filepath.Base(entry["folder"].(string))] = entry["msg"].(string) + " " + reason
	}
	for name, want := range map[string]string{
		"good": "activated bundle", "broken": "broken/Site/health.lua:1", "wrong": "wrong/Site/testdata/first.yaml:1: it is not healthy: healthy: want false, got true",
	} {
		if !strings.Contains(told[name], want) {
			t.Errorf("the log tells %q of %s; want %q", told[name], name, want)
		}
	}

	changed := make(chan schema.GroupVersionKind, 100)
	o.Changes.Listen(func(kind schema.GroupVersionKind, _ []engine.Op) { changed <- kind })
	ended := make(chan error, 1)
	go func() { ended <- installed.Start(ctx) }()
	put(t, dir, "broken/Site/health.lua", good)
	select {
	case kind := <-changed:
		if kind != siteOf("broken") || !o.Interpreter.Snapshot().Supports(kind, engine.InterpretHealth) {
			t.Errorf("the controllers are told of %v; want %v, which is answered for by now", kind, siteOf("broken"))
		}
	case <-time.After(time.Minute):
		t.Errorf("the bundle that was mended did not become active; the log:\n%s", log.String())
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestBundlesOfAFolderTakeParameters(t *testing.T) {
	dir := folder(t, map[string]string{"web/Site/health.lua": "function InterpretHealth(obj) return params.units == 'binary' end\n"})
	o := controllers.Options{Failures: &customization.Failures{}, Changes: &customization.Changes{}}
	if _, err := load(&o, scripts.FS, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := install(t.Context(), o, dir, parameters{"web.units": "binary"}); err != nil {
		t.Fatal(err)
	}
	site := flink()
	site.SetGroupVersionKind(siteOf("web"))
	if health, err := o.Interpreter.Snapshot().Health(site); err != nil || health != "Healthy" {
		t.Errorf("got health %q, error %v; want Healthy, as with units=binary", health, err)
	}
}

func TestAFolderOfBundlesMustBeThere(t *testing.T) {
	o := controllers.Options{Failures: &customization.Failures{}}
	if _, err := load(&o, scripts.FS, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := install(t.Context(), o, "/nonexistent", nil); err == nil || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("got error %v; want one that names the folder", err)
	}
}
