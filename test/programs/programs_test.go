// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBuild compares the build with that of the Makefile.
func TestBuild(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^release := CGO_ENABLED=0 go (.*)$`).FindSubmatch(makefile)
	recipe := regexp.MustCompile(`(?m)^build:.*\n\t(.*)\n\n`).FindSubmatch(makefile)
	if release == nil || recipe == nil {
		t.Fatal("the Makefile has no release, or no build of one command")
	}
	want := sorted(strings.ReplaceAll(string(recipe[1]), "$(release)", string(release[1])))
	got := sorted(strings.ReplaceAll(strings.Join(buildArguments("bin", All()), " "), "-s -w", "'-s -w'"))
	if got != want {
		t.Errorf("the build is\n%s\nand that of make is\n%s", got, want)
	}
}

// sorted returns a command with its packages in one order.
func sorted(command string) string {
	words := strings.Fields(command)
	first := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "./cmd/") })
	if first >= 0 {
		slices.Sort(words[first:])
	}
	return strings.Join(words, " ")
}

func TestDirOfTheVariable(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "dragoman")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, bin)
	if got, err := Dir(t.Context(), "nowhere", "dragoman"); got != bin || err != nil {
		t.Errorf("got %q, error %v; want %q", got, err, bin)
	}
	wantError := func(want string, names ...string) {
		t.Helper()
		if _, err := Dir(t.Context(), "nowhere", names...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
	wantError("dragoman-estimator, of DRAGOMAN_BIN: no such file or directory; run make build")
	long := time.Now().AddDate(-20, 0, 0)
	if err := os.Chtimes(program, long, long); err != nil {
		t.Fatal(err)
	}
	wantError("is older than ", "dragoman")
	t.Setenv(Variable, "bin")
	wantError("want an absolute path", "dragoman")
}

// TestSources looks for files of each sort among those that the programs are built from.
func TestSources(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, err := sources(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"go.mod", "go.sum", "cmd/dragoman-manager/main.go", "engine/table.go", "scripts/kubernetes/bundle.yaml"} {
		if !slices.Contains(files, filepath.Join(root, file)) {
			t.Errorf("the sources have no %s", file)
		}
	}
}
