// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// tools is a program small enough for a unit test, with two names.
var tools = program{name: "tools", module: "tools", pkg: ".", binaries: []string{"first", "second"}}

// smallRoot returns a repository with the source of tools.
func smallRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "test/tools/go.mod"), "module example.test/tools\n\ngo 1.26\n")
	write(t, filepath.Join(root, "test/tools/go.sum"), "")
	write(t, filepath.Join(root, "test/tools/main.go"), `package main

import "os"

func main() { os.Stdout.WriteString(os.Args[0] + " works\n") }
`)
	return root
}

func TestBuildOnlyWhatIsMissingOrOutdated(t *testing.T) {
	root := smallRoot(t)
	bin := filepath.Join(root, "bin/kube")
	first := filepath.Join(bin, "first")
	remove := func(name string) func() {
		return func() {
			if err := os.Remove(filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		reason string
		before func()
		builds bool
	}{
		{"missing", func() {}, true},
		{"unchanged", func() {}, false},
		{"program removed", remove("tools"), true},
		{"one name removed", remove("first"), true},
		{"another file by one name", func() { remove("first")(); write(t, first, "of an older version\n") }, true},
		{"other module versions", func() { write(t, filepath.Join(root, "test/tools/go.sum"), "\n") }, true},
		{"another file of source", func() { write(t, filepath.Join(root, "test/tools/more.go"), "package main\n") }, true},
		{"built by hand, no stamp", remove(".tools.stamp"), true},
		{"unchanged since", func() {}, false},
	} {
		step.before()
		out := new(bytes.Buffer)
		if err := ensure(t.Context(), []program{tools}, root, "kube", out); err != nil {
			t.Fatalf("%s: %v", step.reason, err)
		}
		if built := strings.Contains(out.String(), "building first, second\n"); built != step.builds {
			t.Errorf("%s: built %v, want %v; it printed %q", step.reason, built, step.builds, out)
		}
		for _, name := range tools.binaries {
			path := filepath.Join(bin, name)
			if output, err := exec.Command(path).CombinedOutput(); err != nil || string(output) != path+" works\n" {
				t.Fatalf("%s: %s printed %q, %v", step.reason, name, output, err)
			}
		}
	}
}

func TestBuildTwiceAtOnceBuildsOnce(t *testing.T) {
	root := smallRoot(t)
	var group sync.WaitGroup
	outs := make([]bytes.Buffer, 2)
	for i := range outs {
		group.Go(func() {
			if err := ensure(t.Context(), []program{tools}, root, "kube", &outs[i]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := strings.Count(outs[0].String()+outs[1].String(), "building"); n != 1 {
		t.Errorf("built %d times, want once:\n%s\n%s", n, &outs[0], &outs[1])
	}
}

func TestFailedBuildLeavesTheOldBinaries(t *testing.T) {
	root := smallRoot(t)
	if err := ensure(t.Context(), []program{tools}, root, "kube", new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "test/tools/more.go"), "package main\n\nfunc init() { undefined() }\n")
	err := ensure(t.Context(), []program{tools}, root, "kube", new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("got %v, want the compiler's message", err)
	}
	if strings.Contains(err.Error(), "\nexample.test/tools\n") {
		t.Errorf("got %v, want no names of packages that were compiled", err)
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ensure(cancelled, []program{tools}, root, "kube", new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
	if output, err := exec.Command(filepath.Join(root, "bin/kube/first")).CombinedOutput(); err != nil {
		t.Errorf("the old binary printed %q, %v", output, err)
	}
	entries, err := os.ReadDir(filepath.Join(root, "bin/kube"))
	if err != nil || len(entries) != 5 { // the program, two names, the stamp and the lock
		t.Errorf("bin/kube holds %v, %v: want 5 files", entries, err)
	}
}

func TestProgressCountsPackages(t *testing.T) {
	p := newProgress(new(bytes.Buffer))
	defer p.end()
	want := func(text string) {
		t.Helper()
		if got := p.String(); got != "  0s: "+text {
			t.Errorf("got %q, want %q after the time", got, text)
		}
	}
	want("reading the packages")
	if !p.downloads("go: downloading k8s.io/api v0.36.3") || p.downloads("go: k8s.io/api@v0.36.3: not found") {
		t.Error("downloads takes a line that is not its own, or leaves one that is")
	}
	want("downloaded modules: 1")
	p.compile([]string{"errors", "k8s.io/api/core/v1"})
	want("compiled 0 of 2 packages")
	if !p.compiles("errors") || p.compiles("errors") || p.compiles("# k8s.io/api/core/v1") {
		t.Error("compiles takes a line that is not its own, or leaves one that is")
	}
	want("compiled 1 of 2 packages")
	p.compiles("k8s.io/api/core/v1")
	want("compiled 2 packages, linking")
}

func TestLinesComeWhole(t *testing.T) {
	var taken []string
	l := &lines{take: func(line string) bool { taken = append(taken, line); return line == "b" }}
	for _, text := range []string{"a\nb", "\nc", "d\n"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", text, n, err)
		}
	}
	if got := strings.Join(taken, " "); got != "a b cd" || string(l.kept) != "a\ncd\n" {
		t.Errorf("took %q and kept %q, want all lines, and all but b", got, l.kept)
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

func TestBuildServersOfAnUnknownVersion(t *testing.T) {
	root := t.TempDir()
	err := BuildServers(t.Context(), "1.12", root, new(bytes.Buffer))
	if want := `servers of Kubernetes "1.12": there are those of 1.29`; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("it left %v, %v", entries, err)
	}
}
