// SPDX-License-Identifier: Apache-2.0

package web

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// engineIn returns a folder with files of an engine.
func engineIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestExport(t *testing.T) {
	engine := engineIn(t, map[string]string{module: string(wasmMagic) + "rest", loader: "// loads"})
	for name, to := range map[string]string{"a new folder": filepath.Join(t.TempDir(), "a", "site"), "an empty folder": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			names, err := Export(to, engine)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"index.html", "app.js", "codemirror.js", "codemirror.LICENSE.txt", "worker.js", module, loader} {
				if !slices.Contains(names, name) {
					t.Errorf("there is no %s among %v", name, names)
				}
			}
			entries, err := os.ReadDir(to)
			if err != nil || len(entries) != len(names) {
				t.Errorf("%d files, %v; want %d", len(entries), err, len(names))
			}
			text, err := os.ReadFile(filepath.Join(to, "engine.js"))
			if err != nil || !strings.Contains(string(text), "Worker") {
				t.Errorf("the page asks a server: %v\n%s", err, text)
			}
		})
	}
}

func TestExportRefuses(t *testing.T) {
	good := engineIn(t, map[string]string{module: string(wasmMagic), loader: ""})
	full := engineIn(t, map[string]string{"mine.txt": "mine"})
	for name, c := range map[string]struct{ to, engine, err string }{
		"a folder with files":    {full, good, "is not empty"},
		"a file":                 {filepath.Join(full, "mine.txt"), good, "mine.txt"},
		"no engine":              {filepath.Join(t.TempDir(), "a"), t.TempDir(), "make playground-wasm builds it"},
		"no loader":              {filepath.Join(t.TempDir(), "a"), engineIn(t, map[string]string{module: string(wasmMagic)}), loader},
		"what is no WebAssembly": {filepath.Join(t.TempDir(), "a"), engineIn(t, map[string]string{module: "no", loader: ""}), "is no WebAssembly module"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Export(c.to, c.engine); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v; want %s", err, c.err)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(full, "mine.txt")); err != nil || string(text) != "mine" {
		t.Errorf("what was there is changed: %q, %v", text, err)
	}
}
