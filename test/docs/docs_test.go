// SPDX-License-Identifier: Apache-2.0

// Package docs runs what the Markdown files of the repository show: it writes their
// files, runs their commands and compares the output, so that none of it goes stale.
//
// A fenced block is understood by its form:
//
//   - one whose first line is a comment that is a path, such as "# mine/bundle.yaml", is
//     written to that file below an empty folder, without that line;
//   - one with lines that begin with "$ " is commands and what they print; a line "..."
//     stands for any lines;
//   - in one without a language, or of sh, lines that begin with make, bin/ or go run name
//     targets, flags and packages that exist.
//
// In the guides docs/adding-*.md, a block of Go is a new file of this module, and a block of
// diff, whose first line is a comment with a path too, changes one: see TestGuides.
//
// Files that a document leaves out are in testdata/<name of the document>.
package docs

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/test/programs"
)

const root = "../.."

var update = flag.Bool("update", false, "rewrite the outputs in the documents")

// bin is the folder of the programs that the commands call.
var bin string

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	scratch, err := os.MkdirTemp("", "docs")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if bin, err = programs.Dir(context.Background(), scratch); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// documents returns the Markdown files that git knows or does not ignore, by their paths
// below the root.
func documents(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the documents: %v", err)
	}
	var all []string
	for _, path := range strings.Fields(string(out)) {
		if _, err := os.Stat(filepath.Join(root, path)); err == nil {
			all = append(all, path)
		}
	}
	return all
}

func TestDocuments(t *testing.T) {
	for _, path := range documents(t) {
		t.Run(path, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatal(err)
			}
			s := newSession(t, path)
			for _, b := range blocks(string(text)) {
				if after := s.follow(t, b); after != b.text {
					text = bytes.Replace(text, []byte(b.text), []byte(after), 1)
				}
			}
			if *update {
				if err := os.WriteFile(filepath.Join(root, path), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// session follows one document in a folder of its own.
type session struct {
	folder, path string
}

// newSession returns a session in an empty folder with the files that the document leaves
// out. The documents of examples are followed where they are, since they are about the
// files beside them.
func newSession(t *testing.T, path string) session {
	t.Helper()
	if strings.HasPrefix(path, "examples/") {
		return session{folder: filepath.Join(root, filepath.Dir(path)), path: path}
	}
	s := session{folder: t.TempDir(), path: path}
	name := strings.TrimSuffix(strings.ReplaceAll(path, "/", "_"), ".md")
	err := os.CopyFS(s.folder, os.DirFS(filepath.Join("testdata", name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return s
}

// pathComment is the first line of a block that is a file.
var pathComment = regexp.MustCompile(`^(?:#|--|//) ([\w.-]+(?:/[\w.-]+)*\.(?:yaml|lua|cel|go|sh))$`)

// follow runs a block, and returns it with the actual output.
func (s session) follow(t *testing.T, b block) string {
	t.Helper()
	first, rest, _ := strings.Cut(b.text, "\n")
	switch m := pathComment.FindStringSubmatch(first); {
	case m != nil:
		s.write(t, m[1], rest)
	case strings.HasPrefix(first, "$ "):
		var after strings.Builder
		for _, c := range commands(b) {
			after.WriteString(c.source)
			if output := s.run(t, c); output != "" {
				after.WriteString(output + "\n")
			}
		}
		return after.String()
	case b.language == "" || b.language == "sh":
		for i, line := range strings.Split(b.text, "\n") {
			if err := exists(line); err != nil {
				t.Errorf("%s:%d: %v", s.path, b.line+i, err)
			}
		}
	}
	return b.text
}

func (s session) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(s.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a command and compares what it prints, whatever its exit code. It returns the
// output for the document.
func (s session) run(t *testing.T, c command) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", c.text)
	cmd.Dir = s.folder
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s:%d: %v", s.path, c.line, err)
	}
	got := strings.Trim(string(out), "\n")
	switch {
	case matches(c.output, got):
		return c.output
	case !*update:
		t.Errorf("%s:%d: %s\nprints\n%s\nand the document has\n%s", s.path, c.line, c.text, got, c.output)
	}
	return got
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinks checks that the files that documents link to are there.
func TestLinks(t *testing.T) {
	for _, path := range documents(t) {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(withoutBlocks(string(text)), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			}
		}
	}
}
