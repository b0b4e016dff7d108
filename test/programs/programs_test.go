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

	"github.com/google/go-cmp/cmp"
)

// TestCommands compares the builds with those of the Makefile.
func TestCommands(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^release := CGO_ENABLED=0 go (.*)$`).FindSubmatch(makefile)
	recipe := regexp.MustCompile(`(?m)^build:.*\n((?:\t.*\n)+)`).FindSubmatch(makefile)
	if release == nil || recipe == nil {
		t.Fatal("the Makefile has no release or no build")
	}
	var want, got []string
	for line := range strings.Lines(string(recipe[1])) {
		want = append(want, sorted(strings.ReplaceAll(strings.TrimSpace(line), "$(release)", string(release[1]))))
	}
	for _, args := range commands("bin", All()) {
		got = append(got, sorted(strings.ReplaceAll(strings.Join(args, " "), "-s -w", "'-s -w'")))
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the builds are not those of make build (-Makefile +here):\n%s", d)
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
	wantError("dragoman-cluster, of DRAGOMAN_BIN: no such file or directory; run make build")
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
