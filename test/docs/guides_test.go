// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGuides follows each guide docs/adding-*.md: with the files that its blocks of Go are
// and the changes that its blocks of diff make, the packages compile, and the tests that it shows
// pass. Nothing is written into the tree.
func TestGuides(t *testing.T) {
	guides, err := filepath.Glob(filepath.Join(root, "docs", "adding-*.md"))
	if err != nil || len(guides) < 4 {
		t.Fatalf("got %d guides, error %v; want 4 at least", len(guides), err)
	}
	for _, guide := range guides {
		t.Run(filepath.Base(guide), func(t *testing.T) {
			files := typedIn(t, filepath.Join("docs", filepath.Base(guide)))
			if len(files) == 0 {
				return // adding-a-kind.md has no Go
			}
			overlay := overlayOf(t, files)
			compile(t, overlay, packagesOf(files)...)
			for name, text := range files {
				if strings.HasSuffix(name, "_test.go") {
					testsOf(t, overlay, name, text)
				}
			}
		})
	}
}

// typedIn returns the files that a guide adds or changes, by their paths below the root.
func typedIn(t *testing.T, guide string) map[string]string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(root, guide))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, b := range blocks(string(document)) {
		if b.language != "go" && b.language != "diff" {
			continue
		}
		if err := typeIn(files, b); err != nil {
			t.Errorf("%s:%d: %v", guide, b.line, err)
		}
	}
	return files
}

// typeIn adds what a block is to files. The first line of the block is a comment with the
// path of a file below the root: a block of Go is a new one, a block of diff changes one.
func typeIn(files map[string]string, b block) error {
	first, rest, _ := strings.Cut(b.text, "\n")
	m := pathComment.FindStringSubmatch(first)
	if m == nil {
		return fmt.Errorf("the first line is %q; want a comment with the path of the file", first)
	}
	name, text := m[1], rest
	if b.language == "diff" {
		before, err := contents(files, name)
		if err != nil {
			return err
		}
		if text, err = changed(before, rest); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	} else if _, err := contents(files, name); err == nil {
		return fmt.Errorf("there is a %s already; show the change in a block of diff", name)
	}
	formatted, err := format.Source([]byte(text))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case string(formatted) != text:
		return fmt.Errorf("%s is not as gofmt formats it", name)
	}
	files[name] = text
	return nil
}

// contents returns a file as it is when the guide was followed up to here.
func contents(files map[string]string, name string) (string, error) {
	if text, ok := files[name]; ok {
		return text, nil
	}
	text, err := os.ReadFile(filepath.Join(root, name))
	return string(text), err
}

// changed applies a diff: lines that begin with a space or a minus stand in the text, once
// and together, and get those with a space or a plus in their place.
func changed(text, diff string) (string, error) {
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		rest := line[1:]
		switch line[0] {
		case ' ':
			before.WriteString(rest)
			after.WriteString(rest)
		case '-':
			before.WriteString(rest)
		case '+':
			after.WriteString(rest)
		default:
			return "", fmt.Errorf("a line of a diff begins with a space, + or -, not as %q", line)
		}
	}
	old := "\n" + before.String()
	if n := strings.Count("\n"+text, old); n != 1 {
		return "", fmt.Errorf("these lines occur %d times; want 1:%s", n, old)
	}
	return strings.Replace("\n"+text, old, "\n"+after.String(), 1)[1:], nil
}

// overlayOf returns the file for the flag -overlay of the go command that has these files in
// their places.
func overlayOf(t *testing.T, files map[string]string) string {
	t.Helper()
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	folder, replace := t.TempDir(), map[string]string{}
	for name, text := range files {
		file := filepath.Join(folder, name)
		replace[filepath.Join(absolute, name)] = file
		writeFile(t, file, []byte(text))
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(folder, "overlay.json")
	writeFile(t, overlay, text)
	return overlay
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// packagesOf returns the packages of files, as the go command has them.
func packagesOf(files map[string]string) []string {
	folders := map[string]bool{}
	for name := range files {
		folders["./"+path.Dir(name)] = true
	}
	return slices.Sorted(maps.Keys(folders))
}

// compile compiles packages, and with the argument -test their tests. It links nothing. go vet,
// which would do as well, wants the folder of a package in the tree.
func compile(t *testing.T, overlay string, args ...string) {
	t.Helper()
	runGo(t, append([]string{"list", "-export", "-overlay", overlay}, args...)...)
}

var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsOf runs the tests of a file; those that need a server are only compiled.
func testsOf(t *testing.T, overlay, name, text string) {
	t.Helper()
	if strings.Contains(text, "/test/suite\"") {
		compile(t, overlay, "-test", "./"+path.Dir(name))
		return
	}
	var names []string
	for _, m := range testName.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatalf("%s has no test", name)
	}
	out := runGo(t, "test", "-v", "-vet=off", "-overlay", overlay, "-run", "^("+strings.Join(names, "|")+")$", "./"+path.Dir(name))
	for _, n := range names {
		if !strings.Contains(out, "--- PASS: "+n+" ") {
			t.Errorf("%s did not run:\n%s", n, out)
		}
	}
}

func runGo(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestChanged(t *testing.T) {
	const text = "a\nb\nc\nb\n"
	for diff, want := range map[string]string{
		" a\n+x\n": "a\nx\nb\nc\nb\n", "-a\n+x\n b\n": "x\nb\nc\nb\n", " c\n b\n+x\n": "a\nb\nc\nb\nx\n", "-c\n": "a\nb\nb\n",
		"": "", " b\n+x\n": "", " x\n+y\n": "", " a\n c\n": "", "a\n": "", "\n": "",
	} {
		if got, err := changed(text, diff); got != want || (err == nil) != (want != "") {
			t.Errorf("changed(%q) = %q, %v; want %q", diff, got, err, want)
		}
	}
}
