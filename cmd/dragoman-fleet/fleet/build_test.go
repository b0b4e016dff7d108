// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A repository with one binary to build, small enough for a unit test.
func smallRoot(t *testing.T) string {
	t.Helper()
	all := binaries
	t.Cleanup(func() { binaries = all })
	binaries = []binary{{name: "tool", module: "tools", pkg: "example.test/tools/tool"}}

	root := t.TempDir()
	write(t, filepath.Join(root, "test/tools/go.mod"), "module example.test/tools\n\ngo 1.26\n")
	write(t, filepath.Join(root, "test/tools/go.sum"), "")
	write(t, filepath.Join(root, "test/tools/tool/main.go"), "package main\n\nfunc main() { println(\"it works\") }\n")
	return root
}

func TestBuildOnlyWhatIsMissingOrOutdated(t *testing.T) {
	root := smallRoot(t)
	tool := filepath.Join(root, "bin/kube/tool")
	for _, step := range []struct {
		reason string
		before func()
		builds bool
	}{
		{"missing", func() {}, true},
		{"unchanged", func() {}, false},
		{"removed", func() { os.Remove(tool) }, true},
		{"other module versions", func() { write(t, filepath.Join(root, "test/tools/go.sum"), "\n") }, true},
		{"built by hand, no stamp", func() { os.Remove(filepath.Join(root, "bin/kube/.tool.stamp")) }, true},
	} {
		step.before()
		out := new(bytes.Buffer)
		if err := Build(t.Context(), root, out); err != nil {
			t.Fatalf("%s: %v", step.reason, err)
		}
		if built := strings.Contains(out.String(), "building tool (1 of 1)"); built != step.builds {
			t.Errorf("%s: built %v, want %v; it printed %q", step.reason, built, step.builds, out)
		}
		if output, err := exec.Command(tool).CombinedOutput(); err != nil || string(output) != "it works\n" {
			t.Fatalf("%s: the binary printed %q, %v", step.reason, output, err)
		}
	}
}

func TestBuildTwiceAtOnceBuildsOnce(t *testing.T) {
	root := smallRoot(t)
	var group sync.WaitGroup
	outs := make([]bytes.Buffer, 2)
	for i := range outs {
		group.Go(func() {
			if err := Build(t.Context(), root, &outs[i]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := strings.Count(outs[0].String()+outs[1].String(), "building"); n != 1 {
		t.Errorf("built %d times, want once:\n%s\n%s", n, &outs[0], &outs[1])
	}
}

func TestBuildSaysWhatTheCompilerSays(t *testing.T) {
	root := smallRoot(t)
	write(t, filepath.Join(root, "test/tools/tool/main.go"), "package main\n\nfunc main() { undefined() }\n")
	err := Build(t.Context(), root, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("got %v, want the compiler's message", err)
	}
	if _, err := os.Stat(filepath.Join(root, "bin/kube/tool")); err == nil {
		t.Error("a binary is there after a failed build")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
